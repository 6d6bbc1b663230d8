"""The tables of `board.db`, how the file is opened, and what it raises; `store` reads and writes through this.

A board of a newer VERSION is read and not written."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sqlite3 import Connection

VERSION = 1
PLAN = (
    "plan_id", "session_id", "topic", "plan_file", "moving_from", "home_file", "column_id", "status", "score",
    "score_source", "tags", "deps", "repo", "parent_id", "created_at", "updated_at", "completed_at", "content_sha",
    "size", "mtime_ns", "missing_since", "source", "rev",
)  # fmt: skip
TABLES = """
create table meta (key text primary key, value) without rowid;
create table plans (
    plan_id text primary key, session_id text not null unique, topic text not null, plan_file text not null,
    moving_from text not null default '', home_file text not null default '',
    column_id text not null, status text not null, score integer not null default 0,
    score_source text not null default 'none', tags text not null default '', deps text not null default '[]',
    repo text not null default '', parent_id text not null default '',
    created_at text not null, updated_at text not null, completed_at text not null default '',
    content_sha text not null default '', size integer not null default 0, mtime_ns integer not null default 0,
    missing_since text not null default '', source text not null default 'local', rev integer not null default 1
) without rowid;
create unique index plan_of_file on plans (plan_file) where status != 'deleted';
create index plan_of_column on plans (status, column_id);
create index plan_of_hash on plans (content_sha);
create table events (
    id integer primary key autoincrement, plan_id text not null, ts text not null, actor text not null,
    session text not null, kind text not null, from_col text not null, to_col text not null, reason text not null,
    data text not null, idem text unique
);
create index event_of_plan on events (plan_id, id);
create table roles (
    role text primary key, name text not null, kind text not null, command text not null default '',
    prompt text not null default '', in_board integer not null default 1, sort integer not null,
    visible integer not null default 1
) without rowid;
create table agents (
    name text primary key collate nocase, role text not null default '', host text not null default '',
    session text not null default '', status text not null default 'idle', note text not null default '',
    last_seen text not null
) without rowid;
create index agent_of_session on agents (session);
create table runs (
    run_id text primary key, host_session text not null, agent text not null, workflow text not null,
    def_sha text not null, args text not null, plan_id text not null default '', target_path text not null default '',
    worktree text not null default '', step integer not null default 0, state text not null,
    started_at text not null, seen_at text not null, snapshot text not null default '{}'
) without rowid;
create unique index one_active_run on runs (host_session, agent) where state = 'active';
create table run_steps (
    run_id text not null, step integer not null, ts text not null, evidence text not null default '[]',
    skip_reason text not null default '', primary key (run_id, step)
) without rowid;
create table tool_log (
    id integer primary key autoincrement, run_id text not null, step integer not null, tool text not null,
    target text not null, exit integer, ts text not null
);
create index tool_of_run on tool_log (run_id, id);
create table messages (
    msg_id text primary key, action text not null, sender text not null, recipient text not null collate nocase,
    in_reply_to text not null default '', plan_id text not null default '', run_id text not null default '',
    payload text not null, payload_sha text not null, metadata text not null default '{}', state text not null,
    created_at text not null, claimed_by text not null default '', lease_until text not null default '',
    tries integer not null default 0, idem text unique, moment real not null
) without rowid;
create index message_of_recipient on messages (recipient, state, msg_id);
create index message_of_sender on messages (sender, moment);
create table nonces (nonce text primary key, moment real not null) without rowid;
create table dispatches (
    plan_id text not null, move_event integer not null unique, role text not null, recipient text not null,
    ts text not null, state text not null
);
create index dispatch_of_plan on dispatches (plan_id, move_event);
create view board as select * from plans where status = 'active';
"""
SYNCHRONOUS = "full"  # a commit that was reported survives a power cut


def connect(path: str, wait: float) -> Connection:
    """Open the file; a folder or a name that cannot be opened raises `errors()`."""
    from pal.memory.index import schema  # the C module alone, where Python has it

    return schema.connect(path, wait)


def durable(db: Connection) -> None:
    """For a connection that writes."""
    db.execute(f"pragma synchronous = {SYNCHRONOUS}")


def errors() -> type[Exception]:
    """What SQLite raises: for a damaged file, a busy one, a full disk."""
    from pal.memory.index import schema

    return schema.errors()[0]


def statements(script: str) -> list[str]:
    """One by one: `executescript` would commit a transaction that is under way."""
    return [each.strip() for each in script.split(";\n") if each.strip()]
