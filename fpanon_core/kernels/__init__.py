"""Numba loops over plain arrays; public functions elsewhere validate, these trust."""
