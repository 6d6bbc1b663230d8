"""The Model Context Protocol: messages in, messages out; standard input and HTTP are thin shells around it."""
