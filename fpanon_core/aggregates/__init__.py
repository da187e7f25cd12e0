"""Aggregate tables over a stated frame, their protection, and attacks on them."""
