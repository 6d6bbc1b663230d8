"""The server that the public MCP conformance suite wants to see: its tools, resources and prompts behind PAL's own
dispatcher and HTTP shell. `python fixture_server.py` prints its address and serves until it is stopped."""

from __future__ import annotations

import json
import signal
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "src"))

from pal.base.home import Home
from pal.external import loopback
from pal.external.mcp.catalog import Catalog
from pal.external.mcp.dispatch import Server
from pal.external.mcp.http import Door, refused
from pal.external.tools import Call, Missing, Outcome, Tool, failed, told

PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=="
WAV = "UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA="
IMAGE = {"type": "image", "data": PNG, "mimeType": "image/png"}
NOTHING = {"type": "object", "additionalProperties": False}
DIALECT = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "$defs": {
        "address": {
            "$anchor": "addressDef",
            "type": "object",
            "properties": {"street": {"type": "string"}, "city": {"type": "string"}},
        }
    },
    "properties": {
        "name": {"type": "string"},
        "address": {"$ref": "#/$defs/address"},
        "contactMethod": {"type": "string", "enum": ["phone", "email"]},
        "phone": {"type": "string"},
        "email": {"type": "string"},
    },
    "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
    "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
    "then": {"required": ["phone"]},
    "else": {"required": ["email"]},
    "additionalProperties": False,
}


def resource(uri: str, text: str, kind: str = "text/plain") -> dict[str, object]:
    return {"uri": uri, "mimeType": kind, "text": text}


def logging(arguments: dict[str, object], call: Call) -> Outcome:
    for text in ("Tool execution started", "Tool processing data", "Tool execution completed"):
        call.log("info", text)
        call.wait(0.05)
    return told("logged three lines")


def progress(arguments: dict[str, object], call: Call) -> Outcome:
    for done in (0, 50, 100):
        call.progress(done, 100, "")
        call.wait(0.05)
    return told("all done")


def capability(arguments: dict[str, object], call: Call) -> Outcome:
    if "sampling" not in call.capabilities:
        raise Missing({"sampling": {}})
    return told("the client could be asked")


MIXED = [
    {"type": "text", "text": "Multiple content types test:"},
    IMAGE,
    {
        "type": "resource",
        "resource": resource("test://mixed-content-resource", '{"test":"data","value":123}', "application/json"),
    },
]
EMBEDDED = [
    {"type": "resource", "resource": resource("test://embedded-resource", "This is an embedded resource content.")}
]
PROMPTS = [
    {"name": "test_simple_prompt", "description": "A prompt without arguments"},
    {
        "name": "test_prompt_with_arguments",
        "description": "A prompt with two arguments",
        "arguments": [{"name": name, "description": "A test argument", "required": True} for name in ("arg1", "arg2")],
    },
    {
        "name": "test_prompt_with_embedded_resource",
        "description": "A prompt with a resource in it",
        "arguments": [{"name": "resourceUri", "description": "The resource", "required": True}],
    },
    {"name": "test_prompt_with_image", "description": "A prompt with an image in it"},
]
RESOURCES = [
    {"uri": "test://static-text", "name": "static-text", "description": "A text", "mimeType": "text/plain"},
    {"uri": "test://static-binary", "name": "static-binary", "description": "A picture", "mimeType": "image/png"},
    {"uri": "test://watched-resource", "name": "watched", "description": "A text to watch", "mimeType": "text/plain"},
]
TEMPLATES = [
    {
        "uriTemplate": "test://template/{id}/data",
        "name": "template",
        "description": "By id",
        "mimeType": "application/json",
    }
]


def read(uri: str) -> list[dict[str, object]] | None:
    if uri == "test://static-text":
        return [resource(uri, "This is the content of the static text resource.")]
    if uri == "test://static-binary":
        return [{"uri": uri, "mimeType": "image/png", "blob": PNG}]
    if uri == "test://watched-resource":
        return [resource(uri, "watched")]
    identity = uri.removeprefix("test://template/").removesuffix("/data")
    if uri == f"test://template/{identity}/data" and identity:
        value = {"id": identity, "templateTest": True, "data": f"Data for ID: {identity}"}
        return [resource(uri, json.dumps(value), "application/json")]
    return None


def prompt(name: str, arguments: dict[str, object]) -> dict[str, object] | None:
    def said(*content: dict[str, object]) -> dict[str, object]:
        return {"messages": [{"role": "user", "content": one} for one in content]}

    def text(words: str) -> dict[str, object]:
        return {"type": "text", "text": words}

    if name == "test_simple_prompt":
        return said(text("This is a simple prompt for testing."))
    if name == "test_prompt_with_arguments":
        return said(text(f"Prompt with arguments: arg1='{arguments.get('arg1')}', arg2='{arguments.get('arg2')}'"))
    if name == "test_prompt_with_embedded_resource":
        embedded = resource(str(arguments.get("resourceUri")), "Embedded resource content for testing.")
        return said({"type": "resource", "resource": embedded}, text("Please process the embedded resource above."))
    if name == "test_prompt_with_image":
        return said(IMAGE, text("Please analyze the image above."))
    return None


def fixture(home: Home) -> Door:
    """A door to a server with everything in it."""

    def changed(part: str) -> Outcome:
        door.changed(part)
        return told(f"{part} changed")

    runs = {
        "test_simple_text": lambda arguments, call: told("This is a simple text response for testing."),
        "test_image_content": lambda arguments, call: Outcome([IMAGE]),
        "test_audio_content": lambda arguments, call: Outcome(
            [{"type": "audio", "data": WAV, "mimeType": "audio/wav"}]
        ),
        "test_embedded_resource": lambda arguments, call: Outcome(EMBEDDED),
        "test_multiple_content_types": lambda arguments, call: Outcome(MIXED),
        "test_tool_with_logging": logging,
        "test_logging_tool": logging,
        "test_tool_with_progress": progress,
        "test_streaming_elicitation": progress,
        "test_error_handling": lambda arguments, call: failed("This tool intentionally returns an error for testing"),
        "test_missing_capability": capability,
        "test_trigger_tool_change": lambda arguments, call: changed("tools"),
        "test_trigger_prompt_change": lambda arguments, call: changed("prompts"),
    }
    tools = [Tool(name, name, f"The suite's {name}", NOTHING, run) for name, run in runs.items()]
    dialect = "json_schema_2020_12_tool"
    tools.append(Tool(dialect, dialect, "Tool with JSON Schema 2020-12 features", DIALECT, lambda a, c: told("ok")))
    catalog = Catalog(
        lambda: tools,
        safe_names=True,
        resources=lambda: RESOURCES,
        templates=lambda: TEMPLATES,
        read=read,
        prompts=lambda: PROMPTS,
        prompt=prompt,
        complete=lambda params: ["paris", "park", "party"],
        logs=True,
    )
    door = Door(Server(home, catalog))
    return door


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        door = fixture(Home(folder))
        server = loopback.Server(loopback.Site(door.routes(), refused=refused), int(sys.argv[1]) if sys.argv[1:] else 0)
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
        print(f"{server.url}/mcp", flush=True)
        server.serve_forever()


if __name__ == "__main__":
    main()
