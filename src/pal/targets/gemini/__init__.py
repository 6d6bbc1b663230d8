"""Gemini CLI: its facts, its turn, its transcripts, its installation."""
