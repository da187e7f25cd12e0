"""Studies: each module answers one question for the pages, the commands and scripts."""
