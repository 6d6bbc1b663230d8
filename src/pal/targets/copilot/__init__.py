"""GitHub Copilot CLI as a target."""
