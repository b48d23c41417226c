"""Reads what a provider said when it did not answer: evidence out of any object, then its numbers and its kind."""
