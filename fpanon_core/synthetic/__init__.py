"""Invented regions, and people who live in them: call records of nobody."""
