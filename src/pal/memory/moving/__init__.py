"""A memory that moves: out into one file, in from one, and over from what was used before PAL."""
