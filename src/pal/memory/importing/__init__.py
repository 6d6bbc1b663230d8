"""Takes in what other memories remember: a reader for each form, one way in. No reader ever writes to its source."""
