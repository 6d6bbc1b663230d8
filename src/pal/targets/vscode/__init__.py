"""VS Code's chat in agent mode: facts, turn, transcripts, installation."""
