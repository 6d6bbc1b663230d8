"""The memory tools: they write what the readers beside them hand to sessions. Verbs and detached jobs call them."""
