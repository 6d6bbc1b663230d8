"""The model services that are asked over the network, with a key of the user's that stands in the environment.

A key is never an argument of a program, never in a file, never in the log."""

from __future__ import annotations

from pal.inference import web
from pal.inference.question import Reply

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from pal.inference.question import Question

_MOST_TOKENS = 4096  # of one answer


class Service:
    """One service: its name, its key's variable, its models, and how it is asked."""

    __slots__ = ("_ask", "models", "name", "variable")

    def __init__(
        self,
        name: str,
        variable: str,
        models: dict[str, str],
        ask: Callable[[Question, str, str, Mapping[str, str]], Reply],
    ) -> None:
        self.name = name
        self.variable = variable
        self.models = models
        self._ask = ask

    def key(self, env: Mapping[str, str]) -> str:
        return env.get(self.variable, "").strip()

    def ask(self, question: Question, env: Mapping[str, str]) -> Reply:
        """The answer; a Reply with a `problem` when there is none. Never raises."""
        base = env.get(self.variable.replace("_API_KEY", "_BASE_URL"), "").strip().rstrip("/")
        try:
            return self._ask(question, base, self.key(env), env)
        except web.Failed as fault:
            return Reply("", problem=str(fault).replace(self.key(env), "[key]"))
        except (LookupError, TypeError, AttributeError, ValueError):
            return Reply("", problem=f"{self.name} answered in a form that is not known")


def _anthropic(question: Question, base: str, key: str, env: Mapping[str, str]) -> Reply:
    """The Messages API (docs.anthropic.com/en/api/messages)."""
    body: dict[str, Any] = {
        "model": question.model,
        "max_tokens": _MOST_TOKENS,
        "messages": [{"role": "user", "content": question.prompt}],
    }
    if question.instructions:
        body["system"] = question.instructions
    headers = {"x-api-key": key, "anthropic-version": "2023-06-01"}
    url = (base or "https://api.anthropic.com") + "/v1/messages"
    got = web.post(url, headers, body, env, question.timeout)
    text = "".join(block["text"] for block in got["content"] if block.get("type") == "text")
    usage = got.get("usage") or {}
    return Reply(text, usage.get("input_tokens", 0) + usage.get("output_tokens", 0), sure=True)


def _openai(question: Question, base: str, key: str, env: Mapping[str, str]) -> Reply:
    """Chat Completions (platform.openai.com/docs/api-reference/chat)."""
    messages = [{"role": "system", "content": question.instructions}] if question.instructions else []
    messages.append({"role": "user", "content": question.prompt})
    body = {"model": question.model, "max_completion_tokens": _MOST_TOKENS, "messages": messages}
    url = (base or "https://api.openai.com") + "/v1/chat/completions"
    got = web.post(url, {"authorization": f"Bearer {key}"}, body, env, question.timeout)
    usage = got.get("usage") or {}
    return Reply(got["choices"][0]["message"]["content"] or "", usage.get("total_tokens", 0), sure=True)


ANTHROPIC = Service(
    "anthropic",
    "PAL_ANTHROPIC_API_KEY",
    {"small": "claude-haiku-4-5-20251001", "medium": "claude-sonnet-5"},
    _anthropic,
)
OPENAI = Service("openai", "PAL_OPENAI_API_KEY", {"small": "gpt-6-luna", "medium": "gpt-6-sol"}, _openai)
SERVICES = (ANTHROPIC, OPENAI)
