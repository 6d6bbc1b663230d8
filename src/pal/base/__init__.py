"""Floor 1: what every other floor stands on: paths, clock, files, locks, log, settings, processes, text, redaction."""
