"""Engines that run blocks of work on the cores of this machine or of a cluster."""
