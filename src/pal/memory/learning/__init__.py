"""What is learned from a session after a stop, in a detached job: without a model by rule, with one better."""
