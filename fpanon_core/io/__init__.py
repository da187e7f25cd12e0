"""Reading and checking of files, with reports of what was read."""
