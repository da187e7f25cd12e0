"""Reading and checking files, and the account of what was read."""
