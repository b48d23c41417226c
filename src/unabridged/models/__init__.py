"""Models as they are: what their servers say, and what it means."""
