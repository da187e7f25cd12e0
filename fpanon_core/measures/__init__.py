"""Measures: data and a configuration in, a result out."""
