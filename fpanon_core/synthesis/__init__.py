"""Synthetic people with a promise: learnt with differential privacy, and made up."""
