"""Who a message says it is from, proven: a signature by the user's own key over what the message is, good for five
minutes and once. Without one a sender is whoever the session belongs to."""

from __future__ import annotations

import hashlib
import hmac
import os

from pal.base import clock, files
from pal.switchboard import planfiles
from pal.switchboard.errors import refused

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pal.base.home import Home
    from pal.switchboard.desk import Desk
    from pal.switchboard.store import Writing

VERSION = "hmac-sha256-v1"
VALID = 300.0  # seconds
_FIELDS = ("id", "createdAt", "nonce", "mac")


def key(home: Home) -> bytes:
    """The user's key, made when it is first asked for, readable by the user alone."""
    standing = files.read_bytes(home.switchboard_key)
    if standing and len(standing) >= 32:
        return standing
    files.make_folder(os.path.dirname(home.switchboard_key))
    fresh = os.urandom(32).hex().encode()
    try:
        made = os.open(home.switchboard_key, os.O_WRONLY | os.O_CREAT | os.O_EXCL | files.BINARY, files.PRIVATE)
    except FileExistsError:
        return files.read_bytes(home.switchboard_key) or fresh
    try:
        os.write(made, fresh)
    finally:
        os.close(made)
    return fresh


def sign(home: Home, now: float, action: str, sender: str, recipient: str, payload: str) -> dict[str, str]:
    """`{id, createdAt, nonce, mac}` for a message that another program of this user hands in."""
    parts = {"id": "out_" + os.urandom(8).hex(), "createdAt": clock.iso_ms(now), "nonce": os.urandom(16).hex()}
    return {**parts, "mac": _mac(home, parts, action, sender, recipient, payload)}


def check(desk: Desk, signature: dict[str, str], action: str, sender: str, recipient: str, payload: str) -> None:
    """E_READONLY unless the signature is whole, fresh and by the user's key."""
    whole = all(isinstance(signature.get(name), str) and signature[name] for name in _FIELDS) and sender
    if not whole:
        raise refused("E_READONLY", "the claimed sender is not signed", "leave `sender` out, or sign the message")
    if not hmac.compare_digest(_mac(desk.home, signature, action, sender, recipient, payload), signature["mac"]):
        raise refused("E_READONLY", f"the signature does not prove that this is from {sender!r}", "sign it again")
    if not -VALID < clock.age(signature["createdAt"], desk.now) < VALID:
        raise refused("E_READONLY", "the signature is older than five minutes", "sign it again")


def spend(write: Writing, signature: dict[str, str], now: float) -> None:
    """Use the signature's nonce up; E_READONLY when somebody did before. Old ones are forgotten."""
    write.db.execute("delete from nonces where moment < ?", (now - 2 * VALID,))
    done = write.db.execute("insert or ignore into nonces values (?, ?)", (signature["nonce"], now)).rowcount
    if not done:
        raise refused("E_READONLY", "this signature has been used", "sign each message anew")


def _mac(home: Home, parts: dict[str, str], action: str, sender: str, recipient: str, payload: str) -> str:
    said = [VERSION, parts["id"], action, sender, recipient, parts["createdAt"], parts["nonce"], planfiles.sha(payload)]
    # Each part with its length: no bar inside a name can make two messages look alike.
    text = "|".join(f"{len(part)}:{part}" for part in said)
    return hmac.new(key(home), text.encode("utf-8", "replace"), hashlib.sha256).hexdigest()
