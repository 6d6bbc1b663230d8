"""What PAL offers to programs it has no hooks for: servers on loopback and on standard input, skills as tools."""
