"""Ways to hide people in the data."""
