"""Lists the lines of source files where security is decided: input, queries, commands, files, secrets, crypto, rights.

A place to look, not a verdict: each row says what to ask there. Reads files and folders; skips what is generated."""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
from collections.abc import Iterator
from typing import Any

ENDINGS = frozenset(
    """py js jsx ts tsx mjs cjs vue svelte java kt kts scala go rs rb php cs c cc cpp h hpp swift sh bash ps1 sql html
    erb ejs yml yaml json toml tf ini conf env xml gradle dockerfile""".split()  # noqa: SIM905
)
SKIPPED = frozenset(
    {".git", "node_modules", "vendor", "dist", "build", "target", ".venv", "venv", "__pycache__", ".next"}
)
LARGEST = 1_000_000  # bytes; what is larger was made by a program
LONGEST_LINE = 600  # characters; longer ones are minified
LOUD = ("secret", "command", "query", "deserialise")  # kinds that come first

# kind → what to ask there, and the patterns that lead there; a pattern that begins with (?i) ignores case
KINDS: dict[str, tuple[str, tuple[str, ...]]] = {
    "secret": ("is this a real secret? then revoke it, not only remove it", (
        r"-----BEGIN [A-Z ]*PRIVATE KEY-----",
        r"\b(?:AKIA|ASIA)[0-9A-Z]{16}\b|\bgh[pousr]_[A-Za-z0-9]{30,}|\bsk_live_[A-Za-z0-9]{16,}",
        r"(?i)\b(?:password|passwd|secret|api_?key|token)\b['\"]?\s*[:=]\s*['\"][^'\"\s${}<]{8,}['\"]",
    )),
    "command": ("can any part of it come from outside? pass a list, no shell", (
        r"os\.system\(|shell\s*=\s*True|subprocess\.getoutput|child_process|\bexecSync\(|exec\.Command\(|Command::new\(",
        r"(?<![.\w])(?:shell_exec|passthru|popen)\(|Runtime\.getRuntime\(\)\.exec|ProcessBuilder\(|Invoke-Expression",
        r"(?<![\w.])eval\(|new Function\(",
    )),
    "query": ("is every value bound, never joined into the text?", (
        r"(?i)(?:execute|query|raw|prepare)\w*\(\s*(?:f['\"]|['\"`][^'\"`]*(?:['\"]\s*[+%]|\$\{)|[\w.]+\s*\+)",
        r"(?i)['\"`]\s*(?:select|insert|update|delete) [^;\n]{0,120}(?:['\"]\s*\+\s*\w|\$\{|%s['\"]\s*%|\{\w+\})",
    )),
    "deserialise": ("does the data come from outside? use a format that holds data only", (
        r"pickle\.loads?\(|yaml\.load\((?![^)]*Safe)|marshal\.loads|Marshal\.load",
        r"ObjectInputStream|BinaryFormatter|(?<!\w)unserialize\(",
    )),
    "markup": ("is it escaped where it enters the page?", (
        r"innerHTML\s*=|dangerouslySetInnerHTML|v-html|document\.write\(|\|\s*safe\b|mark_safe\(|html_safe|\{!!",
        r"(?i)autoescape\s*(?:=\s*)?(?:false|off)",
    )),
    "path": ("can `..` or a link lead outside?", (
        r"(?i)\b(?:open|readFile\w*|sendFile|send_file|createReadStream|FileInputStream)\([^)]*(?:req(?:uest)?\.|params|query|user)",
        r"extractall\(|ZipFile\(|tarfile\.open",
    )),
    "request": ("can the address be chosen from outside? what may it reach?", (
        r"(?i)\b(?:requests\.\w+|fetch|axios\.?\w*|urlopen|http\.Get|curl_init)\([^)]*(?:req\.|request\.|params|query|user|\burl\b)",
    )),
    "crypto": ("is it fit for this? passwords need a slow hash, keys a random source", (
        r"(?i)\b(?:md5|sha1)\s*\(|hashlib\.(?:md5|sha1)|['\"](?:DES|RC4)\b|AES[-_/]ECB|\bMODE_ECB\b",
        r"Math\.random\(\)|\brandom\.(?:random|randint|choice)\(",
    )),
    "trust": ("why is a check switched off?", (
        r"(?i)verify\s*=\s*False|rejectUnauthorized['\"]?\s*:\s*false|InsecureSkipVerify\s*:\s*true|CERT_NONE|csrf_exempt",
        r"(?i)Access-Control-Allow-Origin['\"]?\s*[,:]\s*['\"]\*|\balg['\"]?\s*[:=]\s*['\"]none|\bdebug\s*[:=]\s*true\b",
        r"(?i)--no-verify\b|chmod\w*\b.{0,60}\b0?o?777\b",
    )),
    "entry": ("who may call it, and what is believed of what it says?", (
        r"@(?:app|router|bp|blueprint|api)\.(?:get|post|put|patch|delete|route)\(|http\.HandleFunc\(|\bMapPost\(",
        r"\b(?:app|router)\.(?:get|post|put|patch|delete|use)\(\s*['\"]|@(?:Get|Post|Put|Patch|Delete|Request)Mapping",
        r"@(?:api_view|login_required|permission_required)",
    )),
    "rights": ("is it asked on the server, for this object, every time?", (
        r"(?i)\b(?:is_?admin|is_?superuser|has_?role|has_?permission|can_?access)\b|\bauthori[sz]e\w*\(",
    )),
    "log": ("does this write down a secret or a person's data?", (
        r"(?i)\b(?:log(?:ger)?\.\w+|console\.log|print)\((?:[^)'\"`]|(['\"])[^'\"]*\1)*\b\w*(?:password|token|secret|cookie)",
        r"(?i)\b(?:log(?:ger)?\.\w+|console\.log|print)\([^)]*\{[^}]*(?:password|token|secret|cookie)",
    )),
}  # fmt: skip
_PATTERNS = [(kind, ask, re.compile(each)) for kind, (ask, patterns) in KINDS.items() for each in patterns]


def sources(paths: list[str]) -> Iterator[str]:
    for path in paths:
        if os.path.isfile(path):
            yield path
        elif not os.path.isdir(path):
            raise OSError(f"there is no file or folder {path}")
        for folder, folders, names in os.walk(path):
            folders[:] = sorted(name for name in folders if name not in SKIPPED)
            for name in sorted(names):
                ending = name.lower().rpartition(".")[2]
                if ending in ENDINGS and not name.endswith((".min.js", "-lock.json", ".lock")):
                    yield os.path.join(folder, name)


def places(path: str) -> Iterator[dict[str, Any]]:
    """Each line that asks for a look, with `file`, `line`, `kind`, `ask` and its text; a secret's value is hidden."""
    if os.path.getsize(path) > LARGEST:
        return
    with open(path, encoding="utf-8", errors="replace") as file:
        for number, line in enumerate(file, 1):
            if len(line) > LONGEST_LINE or line.lstrip().startswith(("//", "#", "*", "--", "<!--")):
                continue
            seen: set[str] = set()
            for kind, ask, pattern in _PATTERNS:
                match = None if kind in seen else pattern.search(line)
                if match:
                    seen.add(kind)
                    shown = line.strip()[:160]
                    if kind == "secret":
                        shown = shown.replace(match[0][-max(len(match[0]) - 12, 1) :], "…")
                    yield {"file": path, "line": number, "kind": kind, "ask": ask, "text": shown}


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="surface", description=__doc__, epilog="examples: surface src;  git diff --name-only main | surface -"
    )
    parser.add_argument("paths", nargs="+", help="files and folders; - reads names from standard input")
    parser.add_argument("--kind", action="append", choices=list(KINDS), help="only this kind; may be repeated")
    parser.add_argument("--json", action="store_true", help="print the places as JSON")
    options = parser.parse_args(argv)
    paths = [line.strip() for line in sys.stdin if line.strip()] if options.paths == ["-"] else options.paths
    rows: list[dict[str, Any]] = []
    count = 0
    try:
        for path in sources([path for path in paths if options.paths != ["-"] or os.path.exists(path)]):
            count += 1
            rows += [row for row in places(path) if not options.kind or row["kind"] in options.kind]
    except OSError as fault:
        sys.stderr.write(f"{fault}\n")
        return 1
    rows.sort(key=lambda row: (row["kind"] not in LOUD, row["kind"], row["file"], row["line"]))
    if options.json:
        sys.stdout.write(json.dumps({"files": count, "places": rows}, ensure_ascii=False) + "\n")
        return 0
    before = ""
    for row in rows:
        if row["kind"] != before:
            sys.stdout.write(f"{row['kind']}: {row['ask']}\n")
            before = row["kind"]
        sys.stdout.write(f"  {row['file']}:{row['line']}  {row['text']}\n")
    sys.stdout.write(
        f"{len(rows)} places to look at in {count} files. A place is not a fault, and no place is no proof.\n"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
