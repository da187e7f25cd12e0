"""Reading and writing any table, whatever it holds: forms of files, columns, times, names."""
