"""Who can be handed work and written to: the roles of the board, custom agents, and the agents that hold them."""

from __future__ import annotations

from pal.base import text
from pal.switchboard import columns, store
from pal.switchboard.desk import PERSON
from pal.switchboard.errors import refused

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sqlite3 import Connection
    from typing import Any

    from pal.switchboard.desk import Desk
    from pal.switchboard.store import Writing

STATUSES = ("working", "thinking", "idle", "away", "error")
_BUSIEST = {name: rank for rank, name in enumerate(("working", "thinking", "idle", "away", "error"))}
_LONGEST_NAME = 128
CUSTOM_SORT = 400
_ROLES = "role, name, kind, command, prompt, in_board, sort, visible"
_AGENTS = "name, role, host, session, status, note, last_seen"


def roster(desk: Desk) -> dict[str, list[dict[str, Any]]]:
    """`{agents, roles}`, the person among the agents."""
    with store.Reading(desk.workspace, desk.wait) as db:
        agents = db.execute(f"select {_AGENTS} from agents order by name").fetchall()
        roles = db.execute(f"select {_ROLES} from roles order by sort, role").fetchall()
    held = {row[1] for row in agents if row[1]}
    shown = [dict(zip(("name", "role", "host", "session", "status", "note", "lastSeen"), row)) for row in agents]
    person = {"name": PERSON, "role": "", "host": "", "session": "", "status": "", "note": "the human", "lastSeen": ""}
    names = ("role", "name", "kind", "command", "prompt", "inBoard", "sort", "visible")
    table = [{**dict(zip(names, row)), "inBoard": bool(row[5]), "visible": bool(row[7]), "held": row[0] in held}
             for row in roles]  # fmt: skip
    return {"agents": [*shown, person], "roles": table}


def register(desk: Desk, name: str, role: str = "", status: str = "idle") -> dict[str, Any]:
    """Announce an agent, or the caller's session under a new role. The name becomes a mailbox."""
    name = _named(name)
    with store.Writing(desk) as write:
        kept = role_of(write.db, role) if role else None
        _status(status)
        before = write.db.execute("select role from agents where name = ?", (name,)).fetchone()
        write.db.execute(
            f"insert or replace into agents ({_AGENTS}) values (?, ?, ?, ?, ?, '', ?)",
            (name, kept or (before[0] if before else ""), desk.host, desk.session, status, write.now),
        )
    return _agent(desk, name)


def set_status(desk: Desk, name: str, status: str, note: str = "") -> dict[str, Any]:
    """What an agent is doing; E_NO_RECIPIENT for one that nobody registered."""
    _status(status)
    with store.Writing(desk) as write:
        done = write.db.execute(
            "update agents set status = ?, note = ?, last_seen = ? where name = ?",
            (status, text.clip(" ".join(note.split()), 200), write.now, name.strip()),
        )
        if not done.rowcount:
            raise nobody(write.db, name)
    return _agent(desk, name.strip())


def _status(status: str) -> None:
    if status not in STATUSES:
        raise refused("E_TARGET", f"{status!r} is no status", f"say {', '.join(STATUSES)}")


def _agent(desk: Desk, name: str) -> dict[str, Any]:
    return next(each for each in roster(desk)["agents"] if each["name"].lower() == name.lower())


def _named(name: str) -> str:
    name = " ".join(name.split())
    if not 0 < len(name) <= _LONGEST_NAME or not all(char.isalnum() or char in " _-." for char in name):
        raise refused("E_TARGET", f"{name!r} is no name", "use 1 to 128 letters, digits, blanks, `_`, `-` or `.`")
    if name.lower() in (PERSON, "session", "sidebar", "board"):
        raise refused("E_TARGET", f"the name {name!r} is taken", "take another")
    return name


def add(
    desk: Desk, name: str, prompt: str = "", command: str = "", sort: int = CUSTOM_SORT, in_board: bool = True
) -> dict[str, Any]:
    """A custom agent with, unless not wanted, a column of its own. Its name may be no word that means a column."""
    name = _named(name)
    slug = text.slug(name, limit=8).replace("-", "_")
    if columns.taken(name):
        raise refused("E_TARGET", f"{name!r} means a column or role already", "take another name")
    with store.Writing(desk) as write:
        row = {"role": columns.CUSTOM + slug, "name": name, "kind": "custom", "command": command, "prompt": prompt,
               "in_board": int(in_board), "sort": sort, "visible": 1}  # fmt: skip
        keep(write, row)
        write.db.execute(
            f"insert or ignore into agents ({_AGENTS}) values (?, ?, '', '', 'away', '', ?)",
            (name, row["role"], write.now),
        )
    return next(each for each in roster(desk)["roles"] if each["role"] == row["role"])


def change(desk: Desk, role: str, **fields: Any) -> dict[str, Any]:
    """Set a role's prompt, command, sort, in_board or visible."""
    with store.Writing(desk) as write:
        kept = role_of(write.db, role)
        names = _ROLES.split(", ")
        row = dict(zip(names, write.db.execute(f"select {_ROLES} from roles where role = ?", (kept,)).fetchone()))
        keep(write, {**row, **{name: value for name, value in fields.items() if name in names and value is not None}})
    return next(each for each in roster(desk)["roles"] if each["role"] == kept)


def keep(write: Writing, row: dict[str, Any]) -> None:
    """Write a role; the event carries it, so that a rebuilt board knows it."""
    names = _ROLES.split(", ")
    write.db.execute(f"insert or replace into roles ({_ROLES}) values (?, ?, ?, ?, ?, ?, ?, ?)",
                     [row[name] for name in names])  # fmt: skip
    write.event("agent", data={"role": row})


def remove(desk: Desk, name: str) -> None:
    """Take an agent, or a custom agent with its role, off the roster. Cards in its column stay visible."""
    with store.Writing(desk) as write:
        custom = write.db.execute("select role from roles where kind = 'custom' and (role = ? or lower(name) = ?)",
                                  (name, name.lower())).fetchone()  # fmt: skip
        gone = write.db.execute("delete from agents where name = ?", (name,)).rowcount
        if custom:
            write.db.execute("delete from agents where role = ?", custom)
            write.db.execute("delete from roles where role = ?", custom)
            write.event("agent", data={"gone": custom[0]})
        elif not gone:
            raise nobody(write.db, name)


def role_of(db: Connection, words: str) -> str:
    """The role these words name: `lead coder` is lead, a custom agent is named by its name or role."""
    form = columns.cleaned(words)
    for role, name, kind in db.execute("select role, name, kind from roles"):
        if words == role or form == columns.cleaned(role) or (kind == "custom" and form == columns.cleaned(name)):
            return str(role)
    found = columns.named(columns.BUILT_IN, words)
    if found and found.role:
        return found.role
    known = [role for (role,) in db.execute("select role from roles order by sort")]
    raise refused("E_TARGET", f"there is no role {words!r}", f"roles are {', '.join(known)}", valid=known)


def holder(db: Connection, role: str) -> str:
    """The agent to hand a role's work to: who works before who is idle, then who was seen last; empty for nobody."""
    rows = db.execute("select name, status, last_seen from agents where role = ?", (role,)).fetchall()
    rows.sort(key=lambda row: row[0])
    rows.sort(key=lambda row: row[2], reverse=True)
    rows.sort(key=lambda row: _BUSIEST.get(row[1], len(_BUSIEST)))
    return rows[0][0] if rows else ""


def resolve(db: Connection, words: str) -> str:
    """The mailbox these words mean: a registered name, the person, or whoever holds the role; E_NO_RECIPIENT."""
    said = " ".join(words.split())
    if said.lower() == PERSON:
        return PERSON
    row = db.execute("select name from agents where name = ?", (said,)).fetchone()
    if row:
        return str(row[0])
    try:
        found = holder(db, role_of(db, said))
    except Exception:  # no role either: the refusal below names everybody
        found = ""
    if found:
        return found
    raise nobody(db, words)


def nobody(db: Connection, words: str) -> Exception:
    """E_NO_RECIPIENT with the names that would do."""
    known = [PERSON, *[name for (name,) in db.execute("select name from agents order by name")]]
    return refused(
        "E_NO_RECIPIENT", f"nobody is registered as {words!r}", f"known are {', '.join(known)}; `register_agent` adds",
        known=known,
    )  # fmt: skip


def mine(db: Connection, desk: Desk) -> str:
    """What the caller is called: its registered name, else its host, else the person."""
    if desk.session:
        row = db.execute(
            "select name from agents where session = ? order by last_seen desc", (desk.session,)
        ).fetchone()
        if row:
            return str(row[0])
    return desk.actor
