// Plays opencode for its plugin: node opencode_host.mjs PLUGIN SCENARIOS
//
// SCENARIOS is a JSON file: [{name, directory, infos, messages, env, steps: [{hook, input, output}]}]. Each scenario
// gets a plugin of its own; its steps run one after another, and `PAL_TEST_SCENARIO` names it to the programs started.
// An event is not awaited, as in opencode; the step `wait` waits for those before it. The answer, on stdout: {name: [{output, threw}]}.

import fs from "node:fs"
import { pathToFileURL } from "node:url"

const [plugin, scenarios] = process.argv.slice(2)
const { Pal, ...others } = await import(pathToFileURL(plugin))
if (Object.keys(others).length) throw new Error("opencode would take every export for a plugin")

const results = {}
for (const scenario of JSON.parse(fs.readFileSync(scenarios, "utf8"))) {
  process.env.PAL_TEST_SCENARIO = scenario.name
  Object.assign(process.env, scenario.env)
  const client = {
    session: {
      get: async ({ path }) => ({ data: scenario.infos?.[path.id] }),
      messages: async ({ path }) => ({ data: scenario.messages?.[path.id] }),
    },
  }
  const hooks = await Pal({ client: scenario.broken ? undefined : client, directory: scenario.directory })
  const said = []
  const events = []
  for (const { hook, input, output } of scenario.steps) {
    let threw = null
    try {
      if (hook === "event") events.push(hooks.event?.({ event: input }))
      else if (hook === "wait") await Promise.all(events)
      else await hooks[hook]?.(input, output)
    } catch (error) {
      threw = error.message
    }
    said.push({ output: output ?? null, threw })
  }
  for (const name of Object.keys(scenario.env ?? {})) delete process.env[name]
  results[scenario.name] = said
}
console.log(JSON.stringify(results))
