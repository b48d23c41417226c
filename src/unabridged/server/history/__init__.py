"""What a session holds, as the API tells it: the real conversation, what the model sees of it, and why."""
