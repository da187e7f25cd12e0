"""What is asked: one module a question, for pages, commands and scripts alike."""
