"""Answers, put together from what providers stream: one dialect a module, nothing lost."""
