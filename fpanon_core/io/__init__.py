"""Reading and checking files, and writing what may leave."""
