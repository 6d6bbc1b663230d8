"""Cursor, the editor and its `cursor-agent`: facts, turn, transcripts, installation."""
