"""Drives an A2A 1.0 agent with the public Python SDK (a2a-sdk==1.3.0).

    python a2a_sdk.py http://127.0.0.1:PORT [TEXT]

Fetches the card, sends TEXT blocking and streaming, reads, lists and cancels. Prints one JSON object.
"""

import asyncio
import json
import sys
import uuid

import httpx
from a2a.client import A2ACardResolver, ClientConfig, ClientFactory
from a2a.types import CancelTaskRequest, GetTaskRequest, ListTasksRequest, Message, Part, Role, SendMessageRequest


async def failure(call) -> str | None:
    try:
        await call
    except Exception as error:  # the SDK has one class for each A2A error
        return type(error).__name__
    return None


async def main(base: str, text: str) -> None:
    seen: dict[str, object] = {}
    async with httpx.AsyncClient(timeout=20) as http:
        card = await A2ACardResolver(http, base).get_agent_card()
        seen["card"] = [card.name, [skill.id for skill in card.skills]]
        for streaming in (True, False):
            client = ClientFactory(ClientConfig(httpx_client=http, streaming=streaming)).create(card)
            message = Message(message_id=uuid.uuid4().hex, role=Role.ROLE_USER, parts=[Part(text=text)])
            events = [event async for event in client.send_message(SendMessageRequest(message=message))]
            seen["streaming" if streaming else "blocking"] = [event.WhichOneof("payload") for event in events]
        task = events[0].task
        seen["get"] = (await client.get_task(GetTaskRequest(id=task.id, history_length=1))).status.state
        seen["list"] = len((await client.list_tasks(ListTasksRequest(page_size=2))).tasks)
        seen["cancel_done"] = await failure(client.cancel_task(CancelTaskRequest(id=task.id)))
        seen["missing"] = await failure(client.get_task(GetTaskRequest(id="no-such-task")))
    print(json.dumps(seen))


asyncio.run(main(sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else "hello"))
