"""The data structures: fingerprints, clocks, generalization profiles, configs, results, errors."""
