"""Studies that answer questions for the pages, the commands and scripts, and what they share."""
