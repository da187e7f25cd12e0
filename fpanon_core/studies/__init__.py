"""Studies that pages, commands and scripts run, and the code that all studies share."""
