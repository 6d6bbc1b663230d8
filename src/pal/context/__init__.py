"""Floor 5: what an agent is told: its standing text (tier 1), digests (tier 2), a session and a prompt (tier 3)."""

from __future__ import annotations
