"""Attacks on releases: linkage, homes, composition, and trajectories recovered from counts."""
