"""Claude Code: its facts, its turn, its transcripts, its installation."""
