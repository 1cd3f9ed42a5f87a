"""Findings about a description: what is impossible or unlikely, with advice."""
