"""Detached work: what a hook hands to a child that outlives it. `queue` keeps the files, `run` is the child's side."""
