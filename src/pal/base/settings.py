"""What the user configured in `pal-settings.json`. It is a person's file: never moved, never rewritten whole.

While it cannot be read, the last values that could be stay in force, and `problem` says what is wrong."""

from __future__ import annotations

from pal.base import bare, jsontext

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from pal.base.home import Home

OPT_IN = ("dueReminders", "steeringTestReport")  # dynamicContext switches that are off until asked for


class Settings:
    """One reading of the settings; every question has an answer, whatever the file holds."""

    __slots__ = ("problem", "values")

    def __init__(self, values: dict[str, Any], problem: str = "") -> None:
        self.values = values
        self.problem = problem

    def get(self, dotted: str, default: Any = None) -> Any:
        """The value at `identity.ai.name` and the like, or the default."""
        value: Any = self.values
        for name in dotted.split("."):
            if not isinstance(value, dict) or name not in value:
                return default
            value = value[name]
        return value

    def text(self, dotted: str, default: str = "") -> str:
        """A string; the default for anything else or an empty one."""
        value = self.get(dotted)
        return value if isinstance(value, str) and value else default

    def flag(self, dotted: str, default: bool) -> bool:
        """A switch; the default for anything but true or false."""
        value = self.get(dotted)
        return value if isinstance(value, bool) else default

    def number(self, dotted: str, default: int) -> int:
        """A whole number from 0; the default for anything else."""
        value = self.get(dotted)
        return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else default

    def texts(self, dotted: str) -> list[str]:
        """The strings of a list; nothing for anything else."""
        value = self.get(dotted)
        return [each for each in value if isinstance(each, str) and each] if isinstance(value, list) else []

    def on(self, section: str) -> bool:
        """True if the context section is wanted (`dynamicContext.<section>`)."""
        return self.flag("dynamicContext." + section, section not in OPT_IN)

    @property
    def zone(self) -> str:
        """The user's IANA time zone; empty for the machine's own."""
        return self.text("identity.principal.timezone")

    @property
    def principal(self) -> str:
        """What to call the user."""
        return self.text("identity.principal.name", "User")

    @property
    def assistant(self) -> str:
        """What the user calls their assistant."""
        return self.text("identity.ai.name", "Assistant")


def load(home: Home) -> Settings:
    """The settings now in force. Never raises."""
    try:
        values = _parse(bare.read_bytes(home.settings))
    except (ValueError, OSError) as problem:
        try:
            kept = _parse(bare.read_bytes(home.settings_good))
        except (ValueError, OSError):
            kept = {}
        return Settings(kept, f"{home.settings} cannot be read ({problem}); the last good values are used")
    return Settings(values)


def remember(home: Home, settings: Settings) -> None:
    """Keep these values for the day the file is broken; called once a session."""
    if not settings.problem:
        from pal.base import files

        files.write(home.settings_good, jsontext.dumps_rows(settings.values))


def _parse(data: bytes | None) -> dict[str, Any]:
    if data is None or not data.strip():
        return {}
    value = jsontext.loads(data)
    if not isinstance(value, dict):
        raise ValueError("it holds no JSON object")
    return value
