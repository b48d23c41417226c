"""Whose prices hold for which call of a walk, and what its steps cost by them."""
