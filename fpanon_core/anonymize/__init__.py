"""Techniques that hide people in the data."""
