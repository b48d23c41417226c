"""Several policies over the same conversations: side by side, and which one costs least."""
