"""Studies that answer questions from pages, commands and scripts; code that all studies share."""
