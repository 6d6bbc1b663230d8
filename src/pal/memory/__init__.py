"""Floor 3: what PAL remembers, in plain files a person can read; this part of it is written without a model."""
