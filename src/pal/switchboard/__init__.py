"""Switchboard: workflows that are followed, plans that move over a board, agents that talk; all in one project."""
