"""Long-term memory: entries as append-only events, one file a machine, folded into the state that everything reads."""
