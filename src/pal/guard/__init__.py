"""What may run: pure functions from a tool call to a verdict, and the settings and records around them."""
