"""Floor 6: what happens at each lifecycle event of an agent, told in neutral terms by `turn`."""
