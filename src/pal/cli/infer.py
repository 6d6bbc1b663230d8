"""`pal infer`: the prompt on stdin, the model's answer on stdout; a filter like any other."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from pal.base import files, jsontext
from pal.base.errors import PalError
from pal.cli import asking
from pal.cli.parser import Usage, json_option
from pal.inference.dispatcher import TIERS

if TYPE_CHECKING:
    import argparse

    from pal.cli.context import Context

EXAMPLES = """
git diff | pal infer --system "Write a commit message for this diff. One line."
pal infer --schema answer.schema.json < question.txt
pal infer --preview
"""
_LONGEST = 4_000_000  # bytes of a prompt; no model reads more


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--system", default="", metavar="TEXT", help="what the model is told beside the prompt")
    parser.add_argument("--tier", choices=TIERS, default="small", help="how large a model (default: small)")
    parser.add_argument("--schema", metavar="FILE", help="a JSON schema; the answer is JSON that fits it, or a failure")
    parser.add_argument("--timeout", type=_seconds, default=60.0, metavar="SECONDS", help="default: 60")
    parser.add_argument("--route", default="", metavar="NAME", help=f"take this way only: {', '.join(asking.routes())}")
    parser.add_argument("--preview", action="store_true", help="say which way a question would take, and ask nothing")
    json_option(parser)


def run(options: argparse.Namespace, context: Context) -> int:
    if options.route and options.route not in asking.routes():
        raise Usage(f"there is no route {options.route!r}; known: {', '.join(asking.routes())}")
    dispatcher = asking.typed(context, options.route)
    if options.preview:
        return _preview(options, context, dispatcher.preview().facts())
    schema = _schema(options.schema)
    prompt = sys.stdin.buffer.read(_LONGEST).decode("utf-8", "replace")
    if not prompt.strip():
        raise PalError("nothing came on stdin; give the prompt there, as in `echo Hello | pal infer`")
    answer = dispatcher.ask(options.system, prompt, options.tier, schema, options.timeout, "infer")
    if options.json:
        context.output.json(answer.facts())
    elif answer.ok:
        context.output.text(answer.text)
    else:
        raise PalError(answer.reason)
    return 0 if answer.ok else 1


def _preview(options: argparse.Namespace, context: Context, facts: dict[str, str]) -> int:
    if options.json:
        context.output.json(facts)
    else:
        context.output.line(f"{facts['route']}: {facts['reason']} (agent: {facts['agent']})")
    return 0


def _schema(path: str | None) -> dict[str, Any] | None:
    if path is None:
        return None
    data = files.read_bytes(path)
    if data is None:
        raise PalError(f"there is no file {path}; --schema names one that holds a JSON schema")
    try:
        found = jsontext.loads(data)
    except ValueError as fault:
        raise PalError(f"{path} holds no JSON schema: {fault}") from None
    if not isinstance(found, dict):
        raise PalError(f"{path} holds no JSON schema: it is not an object")
    return found


def _seconds(text: str) -> float:
    value = float(text)
    if not 0 < value <= 3600:
        raise ValueError("out of bounds")
    return value
