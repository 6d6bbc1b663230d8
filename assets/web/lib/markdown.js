// Markdown as elements, for plans that anybody may have written: no HTML passes, links lead to http and https only.
// Every pattern has bounded repeats, so that no text makes it slow.

import { h } from "./dom.js";

const LONGEST = 200000; // characters that are drawn; what is longer is shown as it stands
const INLINE = /`([^`\n]{1,400})`|\*\*([^*\n]{1,400})\*\*|\*([^*\s][^*\n]{0,400})\*|\[([^\]\n]{1,300})\]\(([^)\s]{1,600})\)|(https?:\/\/[^\s<>()"'`]{1,600})/g;

export function render(text) {
  if (text.length > LONGEST) return [h("pre", { class: "raw" }, text)];
  const lines = text.replace(/\r\n?/g, "\n").split("\n");
  const made = [];
  let at = 0;
  while (at < lines.length) {
    const [block, next] = blockAt(lines, at);
    if (block) made.push(block);
    at = next;
  }
  return made;
}

function blockAt(lines, at) {
  const line = lines[at];
  if (!line.trim()) return [null, at + 1];
  const fence = /^ {0,3}(`{3,}|~{3,})/.exec(line);
  if (fence) return fenced(lines, at, fence[1]);
  const heading = /^(#{1,6}) +(.{0,500})/.exec(line);
  // The page's own title is the first level, so a plan's headings are one lower.
  if (heading) return [h(`h${Math.min(heading[1].length + 1, 6)}`, { class: `md-${heading[1].length}` }, inline(heading[2])), at + 1];
  if (/^ {0,3}([-*_])( *\1){2,} *$/.test(line.slice(0, 200))) return [h("hr"), at + 1];
  if (/^ {0,3}>/.test(line)) return quoted(lines, at);
  if (itemOf(line)) return listed(lines, at);
  if (line.trimStart().startsWith("|") && /^[\s|:-]{3,400}$/.test(lines[at + 1] || "")) return tabled(lines, at);
  return paragraph(lines, at);
}

function fenced(lines, at, mark) {
  const body = [];
  let next = at + 1;
  while (next < lines.length && !(lines[next].trim().startsWith(mark) && !lines[next].trim().replaceAll(mark[0], ""))) body.push(lines[next++]);
  return [h("pre", {}, h("code", {}, body.join("\n"))), next + 1];
}

function quoted(lines, at) {
  const body = [];
  while (at < lines.length && /^ {0,3}>/.test(lines[at])) body.push(lines[at++].replace(/^ {0,3}> ?/, ""));
  return [h("blockquote", {}, h("p", {}, inline(body.join(" ")))), at];
}

function itemOf(line) {
  return /^( {0,40})([-*+]|\d{1,4}[.)]) +(?:\[([ xX])\] )?/.exec(line);
}

function listed(lines, at) {
  const first = itemOf(lines[at]);
  const ordered = /\d/.test(first[2]);
  const list = h(ordered ? "ol" : "ul", ordered ? { start: parseInt(first[2], 10) } : {});
  while (at < lines.length) {
    const found = itemOf(lines[at]);
    if (!found || found[1].length < first[1].length) break;
    if (found[1].length > first[1].length + 1 && list.lastElementChild && found[1].length < 20) {
      const [inner, next] = listed(lines, at);
      list.lastElementChild.append(inner);
      at = next;
      continue;
    }
    const words = [lines[at].slice(found[0].length)];
    at += 1;
    while (at < lines.length && lines[at].trim() && /^ {2,}/.test(lines[at]) && !itemOf(lines[at])) words.push(lines[at++].trim());
    const ticked = found[3] === undefined ? null : h("input", { type: "checkbox", disabled: true, checked: found[3] !== " ", "aria-label": "done" });
    list.append(h("li", { class: ticked && "task" }, ticked, inline(words.join(" "))));
  }
  return [list, at];
}

function cells(line) {
  return line.trim().replace(/^\||\|$/g, "").split("|").slice(0, 40).map((each) => each.trim());
}

function tabled(lines, at) {
  const head = h("tr", {}, cells(lines[at]).map((each) => h("th", { scope: "col" }, inline(each))));
  const rows = [];
  at += 2;
  while (at < lines.length && lines[at].trimStart().startsWith("|")) rows.push(h("tr", {}, cells(lines[at++]).map((each) => h("td", {}, inline(each)))));
  return [h("div", { class: "wide" }, h("table", {}, h("thead", {}, head), h("tbody", {}, rows))), at];
}

function paragraph(lines, at) {
  const body = [lines[at++]];
  while (at < lines.length && lines[at].trim() && !/^ {0,3}(#{1,6} |>|`{3}|~{3})/.test(lines[at]) && !itemOf(lines[at])) body.push(lines[at++]);
  return [h("p", {}, kept(body).map((line) => inline(line))), at];
}

/** Lines flow together, as Markdown has it, but a line that begins with a bold label stays a line. */
function kept(lines) {
  const made = [];
  for (const line of lines) {
    if (made.length && !line.startsWith("**")) made[made.length - 1] += `\n${line}`;
    else made.push(line);
  }
  return made.flatMap((line, at) => (at ? [BREAK, line] : [line]));
}

const BREAK = Symbol("a new line");

function inline(text) {
  if (text === BREAK) return h("br");
  const made = [];
  let from = 0;
  for (const found of text.matchAll(INLINE)) {
    if (found.index > from) made.push(text.slice(from, found.index));
    made.push(span(found));
    from = found.index + found[0].length;
  }
  if (from < text.length) made.push(text.slice(from));
  return made;
}

function span([whole, code, strong, weak, label, target, bare]) {
  if (code !== undefined) return h("code", {}, code);
  if (strong !== undefined) return h("strong", {}, strong);
  if (weak !== undefined) return h("em", {}, weak);
  const to = target ?? bare;
  // Anything else, a path or a script, is shown as it was written.
  if (!/^https?:\/\//i.test(to)) return whole;
  return h("a", { href: to, target: "_blank", rel: "noopener noreferrer" }, label ?? to);
}
