"""Synthetic people with a promise: a model learnt with differential privacy, and its people."""
