"""Antigravity as a target."""
