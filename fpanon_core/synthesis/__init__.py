"""Synthetic people: a model learnt with differential privacy, and people generated from it."""
