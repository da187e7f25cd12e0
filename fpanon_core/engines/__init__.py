"""How blocks of work reach the cores of this machine."""
