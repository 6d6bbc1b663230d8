"""Codex as a target."""
