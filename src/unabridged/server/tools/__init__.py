"""What a model can use in a turn."""
