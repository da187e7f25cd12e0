"""Invented regions, and call records of invented people who live in them."""
