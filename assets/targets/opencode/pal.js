// PAL's plugin for opencode, kept by `pal install`: hands the events of a session to PAL and gives opencode what it
// answers. Nothing that goes wrong here may end a turn: a hook that throws would, and only the guard means to.
// opencode takes every export for a plugin, so there is one.

import { spawn } from "node:child_process"
import fs from "node:fs"
import os from "node:os"
import path from "node:path"

const HOOK = {{hook}}
const ANSWER_WITHIN = 10000 // milliseconds; opencode itself would wait for ever
const CLIENT_WITHIN = 3000
const FAREWELL_WITHIN = 2000 // opencode waits for it when it leaves
const MESSAGES_KEPT = 40
const LONGEST = 32000 // characters of one message that PAL is told
const UNGUARDED = new Set(["todowrite", "todoread", "task", "question", "plan_enter", "plan_exit"])

const sure = (hook) => async (input, output) => {
  try {
    await hook(input ?? {}, output ?? {})
  } catch {
    // the turn goes on without PAL
  }
}

const limited = (promise, milliseconds) =>
  new Promise((done) => {
    const timer = setTimeout(done, milliseconds)
    const finish = (value) => {
      clearTimeout(timer)
      done(value)
    }
    promise.then(finish, () => finish(undefined))
  })

const start = (event, stdio, detached) =>
  spawn(HOOK[0], [...HOOK.slice(1), event, "--agent=opencode"], {
    stdio,
    detached,
    windowsHide: true,
    env: { ...process.env, PAL_AGENT: "opencode" },
  })

/** What PAL answers to an event: an object, or undefined when it says nothing, fails or takes too long. */
const ask = (event, payload) =>
  new Promise((done) => {
    const child = start(event, ["pipe", "pipe", "ignore"], false)
    const said = []
    const timer = setTimeout(() => {
      done(undefined)
      child.kill()
    }, ANSWER_WITHIN)
    child.stdout.on("data", (data) => said.push(data))
    child.on("error", () => {
      clearTimeout(timer)
      done(undefined)
    })
    child.on("close", () => {
      clearTimeout(timer)
      try {
        done(JSON.parse(Buffer.concat(said).toString("utf8")))
      } catch {
        done(undefined)
      }
    })
    child.stdin.on("error", () => {})
    child.stdin.end(JSON.stringify(payload))
  }).catch(() => undefined)

/** Starts work that outlives opencode, which exits without waiting: its payload is on disk before this returns. */
const leave = (event, payload) => {
  const name = path.join(os.tmpdir(), `pal-${process.pid}-${Math.random().toString(36).slice(2)}.json`)
  const forget = sure(() => fs.rmSync(name, { force: true })) // Windows keeps it until its reader is gone
  fs.writeFileSync(name, JSON.stringify(payload), { mode: 0o600, flag: "wx" })
  const stream = fs.openSync(name, "r")
  try {
    // On Windows a child outlives its parent anyway, and a detached one would have no console to hide.
    const child = start(event, [stream, "ignore", "ignore"], process.platform !== "win32")
    child.unref()
    return new Promise((done) => child.on("exit", done).on("error", done)).then(forget)
  } finally {
    fs.closeSync(stream)
    forget()
  }
}

// opencode orders the parts of a message by their ids: the low 48 bits of milliseconds × 4096 + a counter, then 14
// characters. The highest counter puts a part behind those made so far.
const partId = () => {
  const stamp = (BigInt(Date.now()) * 4096n + 4095n) & 0xffffffffffffn
  const random = Math.random().toString(36).slice(2).padEnd(14, "0").slice(0, 14)
  return "prt_" + stamp.toString(16).padStart(12, "0") + random
}

const words = (parts) =>
  (Array.isArray(parts) ? parts : [])
    .filter((part) => part?.type === "text" && !part.synthetic && !part.ignored && typeof part.text === "string")
    .map((part) => part.text)
    .join("\n\n")

const isOurModelCall = () =>
  ["PAL_SPAWNED_INFERENCE", "PAL_SPAWN_DEPTH", "PAL_INFERENCE_DEPTH"].some(
    (name) => !["", "0"].includes(process.env[name] ?? ""),
  )

export const Pal = async ({ client, directory }) => {
  const begun = Date.now()
  const sessions = new Map()
  const running = new Set()

  const leaveBehind = (event, payload) => {
    const over = leave(event, payload)
    running.add(over)
    over.then(() => running.delete(over))
  }

  const add = (session, role, id, text) => {
    const last = session.messages.at(-1)
    if (last && last.id === id) last.text += "\n\n" + text
    else session.messages.push({ role, id, text, time: new Date().toISOString() })
    if (session.messages.length > 2 * MESSAGES_KEPT) session.messages.splice(0, MESSAGES_KEPT)
    session.unheard = true
  }

  const recall = async (id) => {
    const found = await limited(client.session.messages({ path: { id } }), CLIENT_WITHIN)
    return (Array.isArray(found?.data) ? found.data : [])
      .slice(-MESSAGES_KEPT)
      .map(({ info, parts }) => ({
        role: info?.role,
        id: info?.id,
        text: words(parts),
        time: new Date(info?.time?.created ?? 0).toISOString(),
      }))
      .filter((message) => message.text)
  }

  // What is known of a session. One that this plugin did not see begin is asked about once, before its first turn.
  const meet = (id, info) => {
    let session = sessions.get(id)
    if (!session) {
      session = { id, messages: [], source: "startup", unheard: false }
      sessions.set(id, session)
      session.ready = sure(async () => {
        if (info) return
        const found = await limited(client.session.get({ path: { id } }), CLIENT_WITHIN)
        note(session, found?.data)
        if (found?.data?.time?.created < begun) {
          session.source = "resume"
          if (!session.parent) session.messages = [...(await recall(id)), ...session.messages]
        }
      })()
    }
    return session
  }

  const note = (session, info) => {
    if (typeof info?.parentID === "string") session.parent = info.parentID
    if (typeof info?.agent === "string") session.agent = info.agent
  }

  // Subagents work for the session that a person talks to.
  const mainOf = (id) => {
    for (let depth = 0; depth < 16 && sessions.get(id)?.parent; depth++) id = sessions.get(id).parent
    return id
  }

  const told = (session) => {
    session.context ??= ask("session-start", {
      session_id: session.id,
      cwd: directory,
      source: session.source,
    }).then((answer) => answer?.context)
    return session.context
  }

  const story = (session) =>
    session.messages.slice(-MESSAGES_KEPT).map(({ role, text, time }) => ({ role, text: text.slice(0, LONGEST), time }))

  const lastReply = (session) => {
    const last = session.messages.at(-1)
    return last?.role === "assistant" ? last.text : ""
  }

  const turnIsOver = async (id) => {
    const session = sessions.get(id)
    if (!session?.unheard) return // the end of this turn was told already
    session.unheard = false
    if (session.parent) {
      leaveBehind("subagent-stop", { session_id: mainOf(id), cwd: directory, agent_type: session.agent ?? "" })
      return
    }
    if (!lastReply(session)) {
      const found = await recall(id)
      if (found.length) session.messages = found
    }
    leaveBehind("stop", {
      session_id: id,
      cwd: directory,
      prompt_id: session.turn ?? "",
      last_assistant_message: lastReply(session),
      attended: Boolean(process.stdout?.isTTY),
      transcript: story(session),
    })
  }

  const sessionIsOver = (session, reason) => {
    if (session.parent || !session.turn) return
    leaveBehind("session-end", { session_id: session.id, cwd: directory, reason, transcript: story(session) })
  }

  const guard = {
    "tool.execute.before": async (input, output) => {
      let verdict
      try {
        if (!UNGUARDED.has(input.tool))
          verdict = await ask("pre-tool", {
            session_id: input.sessionID,
            cwd: directory,
            tool_name: input.tool,
            tool_input: output.args,
            tool_use_id: input.callID,
          })
      } catch {
        // a broken guard stops nothing
      }
      if (verdict?.permission === "deny") throw new Error(verdict.reason)
    },
  }
  if (isOurModelCall()) return guard

  return {
    ...guard,

    event: sure(async ({ event }) => {
      const about = event?.properties ?? {}
      if (event?.type === "session.created") {
        note(meet(about.info.id, about.info), about.info)
      } else if (event?.type === "session.idle" || (event?.type === "session.status" && about.status?.type === "idle")) {
        await turnIsOver(about.sessionID)
      } else if (event?.type === "session.compacted") {
        const session = meet(about.sessionID)
        session.source = "compact"
        session.context = undefined
      } else if (event?.type === "session.deleted" && sessions.has(about.info?.id)) {
        sessionIsOver(sessions.get(about.info.id), "deleted")
        sessions.delete(about.info.id)
      }
    }),

    "chat.message": sure(async (input, output) => {
      const session = meet(input.sessionID)
      await session.ready
      if (input.agent) session.agent ??= input.agent
      const prompt = words(output.parts)
      const message = output.message?.id
      add(session, "user", message, prompt)
      if (session.parent) return
      session.turn = message
      told(session)
      const answer = await ask("user-prompt", {
        session_id: session.id,
        cwd: directory,
        prompt,
        prompt_id: message,
      })
      if (!answer?.context || !message || !Array.isArray(output.parts)) return
      output.parts.push({
        id: partId(),
        sessionID: session.id,
        messageID: message,
        type: "text",
        text: answer.context,
        synthetic: true,
      })
    }),

    "experimental.chat.system.transform": sure(async (input, output) => {
      if (!input.sessionID || !Array.isArray(output.system)) return
      if (output.system.some((text) => /^You are a title generator/.test(text))) return
      const session = meet(input.sessionID)
      await session.ready
      if (session.parent) return
      const context = await told(session)
      if (context) output.system.push(context)
    }),

    "experimental.text.complete": sure(async (input, output) => {
      const session = sessions.get(input.sessionID)
      if (session && output.text) add(session, "assistant", input.messageID, output.text)
    }),

    "experimental.session.compacting": sure(async (input) => {
      const session = meet(input.sessionID)
      await session.ready
      if (session.parent) return
      await ask("pre-compact", { session_id: session.id, cwd: directory, trigger: "auto", transcript: story(session) })
    }),

    "tool.execute.after": sure(async (input) => {
      if (UNGUARDED.has(input.tool)) return
      leaveBehind("post-tool", {
        session_id: mainOf(input.sessionID),
        cwd: directory,
        tool_name: input.tool,
        tool_input: input.args,
        tool_use_id: input.callID,
      })
    }),

    "shell.env": sure(async (input, output) => {
      if (input.sessionID && output.env) output.env.PAL_OPENCODE_SESSION = mainOf(input.sessionID)
    }),

    dispose: sure(async () => {
      await limited(Promise.all(running), FAREWELL_WITHIN)
      for (const session of sessions.values()) sessionIsOver(session, "exit")
    }),
  }
}
