"""Reading and writing of tables of any content: file formats, columns, times, names."""
