"""Who may write to memory: trusted callers at once, everybody else by way of a queue that is scored and reviewed."""
