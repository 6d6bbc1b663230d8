// The one way to the server: calls with the key of this page, and streams that resume where they stopped.

const KEY = "pal-key";
const WAIT = { first: 1000, most: 15000 };

let key = "";
let project = "";

/** Take the key out of the address, where it would be copied along with it. It opens nothing once the server ended. */
export function unlock() {
  const given = /^#key=([\w-]+)/.exec(location.hash);
  try {
    key = given ? given[1] : localStorage.getItem(KEY) || "";
    if (given) localStorage.setItem(KEY, key);
  } catch {
    key = given ? given[1] : "";
  }
  if (given) history.replaceState(null, "", location.pathname);
  return Boolean(key);
}

export const chosenProject = () => project;
export const chooseProject = (id) => {
  project = id;
};

/** What the server refused: a code for programs, a sentence for people, what to do next, and the facts. */
export class Refusal extends Error {
  constructor(status, error) {
    const told = typeof error === "object" && error ? error : { code: String(error || "unreachable"), message: "" };
    super(told.message || WORDS[told.code] || told.code);
    this.status = status;
    this.code = told.code;
    this.hint = told.hint || "";
    this.data = told.data || {};
  }
}

const WORDS = {
  unreachable: "The server does not answer",
  too_large: "That is too long",
  internal_error: "Something failed in the server; `pal debug` shows its log",
  too_many_readers: "Too many pages are open",
};

function address(path, query = {}) {
  const url = new URL(path, location.origin);
  if (project && !("project" in query)) query = { ...query, project };
  for (const [name, value] of Object.entries(query)) if (value !== "" && value !== undefined) url.searchParams.set(name, value);
  return url;
}

async function call(path, query, options = {}) {
  let response;
  try {
    response = await fetch(address(path, query), { ...options, headers: { ...options.headers, "X-PAL-Token": key } });
  } catch {
    throw new Refusal(0, "unreachable");
  }
  if (response.status === 204) return null;
  const body = await response.json().catch(() => ({}));
  if (!response.ok) throw new Refusal(response.status, body.error);
  return body;
}

export const get = (path, query = {}) => call(path, query);
export const post = (path, body = {}) =>
  call(path, {}, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) });

/**
 * Follow a stream of server-sent events. `told(value)` gets each one; `state` is told "live", "waiting" or "refused".
 * `EventSource` sends no headers, so the lines are read here; it comes back with the id of the last event it saw.
 * The answer ends it.
 */
export function stream(path, query, told, state = () => {}) {
  const ended = new AbortController();
  let last = "";
  let pause = WAIT.first;

  async function once() {
    const headers = { "X-PAL-Token": key, ...(last && { "Last-Event-ID": last }) };
    const response = await fetch(address(path, query), { headers, signal: ended.signal });
    if (response.status === 401) return false;
    if (!response.ok || !response.body) throw new Error(String(response.status));
    state("live");
    pause = WAIT.first;
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    let rest = "";
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return true;
      rest += value;
      const blocks = rest.split("\n\n");
      rest = blocks.pop();
      for (const block of blocks) read(block);
    }
  }

  function read(block) {
    const data = [];
    for (const line of block.split("\n")) {
      const colon = line.indexOf(":");
      if (colon < 1) continue;
      const name = line.slice(0, colon);
      const value = line.slice(colon + 1).replace(/^ /, "");
      if (name === "data") data.push(value);
      else if (name === "id") last = value;
    }
    if (data.length) told(JSON.parse(data.join("\n")));
  }

  (async () => {
    while (!ended.signal.aborted) {
      try {
        if (!(await once())) return state("refused");
      } catch {
        // The connection broke; it is tried again below.
      }
      if (ended.signal.aborted) return undefined;
      state("waiting");
      await new Promise((resolve) => setTimeout(resolve, pause));
      pause = Math.min(pause * 2, WAIT.most);
    }
    return undefined;
  })();
  return () => ended.abort();
}
