"""The search index `memory/cache/index.sqlite`: what the files of memory say; a cache, never the truth."""
