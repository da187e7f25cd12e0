"""What an attacker makes of a release: trajectories recovered from published counts."""
