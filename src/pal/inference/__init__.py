"""Asking a model: which way leads to one, what may be spent on it, and a question's way there and back."""
