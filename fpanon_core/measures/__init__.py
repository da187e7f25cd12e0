"""Measures: each takes data and a configuration and returns a result."""
