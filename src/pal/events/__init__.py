"""What happened: the events that hooks, servers and commands report, and the log that keeps them."""
