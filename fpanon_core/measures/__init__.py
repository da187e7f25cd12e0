"""Measures of the risk and the utility of data sets and releases."""
