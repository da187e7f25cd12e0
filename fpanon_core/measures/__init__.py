"""Measures of data sets and of releases: their risk, their utility and their figures."""
