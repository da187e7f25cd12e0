"""The nouns: fingerprints, clocks, generalization profiles, configurations, results, errors."""
