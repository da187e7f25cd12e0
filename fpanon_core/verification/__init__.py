"""Verification of a release's promises by code independent of the code that makes releases."""
