"""`pal completion SHELL`: a script that completes verbs, actions and options, made from the table of verbs."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from pal.cli import main

if TYPE_CHECKING:
    from pal.cli.context import Context

EXAMPLES = """
pal completion bash > ~/.local/share/bash-completion/completions/pal
pal completion zsh > "${fpath[1]}/_pal"
pal completion fish > ~/.config/fish/completions/pal.fish
pal completion powershell >> $PROFILE
"""

# A word typed so far → what may follow it: "" is the verb itself, "handoff" its actions, "handoff note" its options.
Tree = dict[str, list[str]]


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("shell", choices=sorted(WRITERS), help="the shell to complete in")


def run(options: argparse.Namespace, context: Context) -> int:
    context.output.text(WRITERS[options.shell](tree()))
    return 0


def tree() -> Tree:
    found: Tree = {"": sorted([*main.BY_NAME, "help"])}
    for verb in main.VERBS:
        _describe(verb.name, main.parser_of(verb, main.load(verb)), found)
    return found


def _describe(path: str, parser: argparse.ArgumentParser, found: Tree) -> None:
    words = []
    for action in parser._actions:
        words += [option for option in action.option_strings if option.startswith("--")]
        if isinstance(action, argparse._SubParsersAction):
            for name, below in action.choices.items():
                words.append(name)
                _describe(f"{path} {name}", below, found)
        elif action.choices and not action.option_strings:
            words += [str(choice) for choice in action.choices]
    found[path] = sorted(words)


def _bash(found: Tree) -> str:
    cases = "\n".join(f'    "{path}") words="{" ".join(words)}" ;;' for path, words in found.items() if path)
    return f"""# bash completion for pal
_pal() {{
  local here="${{COMP_WORDS[COMP_CWORD]}}" path="" words="" word
  for word in "${{COMP_WORDS[@]:1:COMP_CWORD-1}}"; do
    case "$word" in cli|-*) ;; *) [ "${{path#* }}" = "$path" ] && path="${{path:+$path }}$word" ;; esac
  done
  while :; do
    case "$path" in
    "") words="{" ".join(found[""])}" ;;
{cases}
    *" "*) path="${{path% *}}"; continue ;;
    esac
    break
  done
  COMPREPLY=($(compgen -W "$words" -- "$here"))
  [ ${{#COMPREPLY[@]}} -gt 0 ] || COMPREPLY=($(compgen -f -- "$here"))
}}
complete -F _pal pal pal.pyz
"""


def _zsh(found: Tree) -> str:
    rows = "\n".join(f'    "{path}" "{" ".join(words)}"' for path, words in found.items())
    return f"""#compdef pal pal.pyz
# zsh completion for pal
_pal() {{
  local -A table
  local -a typed options
  local key
  table=(
{rows}
  )
  typed=(${{${{words[2,CURRENT-1]}}:#(cli|-*)}})
  key="${{(j: :)typed[1,2]}}"
  (( ${{+table[$key]}} )) || key="${{typed[1]}}"
  options=(${{=table[$key]}})
  compadd -a options || _files
}}
if [ "$funcstack[1]" = "_pal" ]; then _pal "$@"; else compdef _pal pal pal.pyz; fi
"""


def _fish(found: Tree) -> str:
    lines = ["# fish completion for pal", "complete -c pal -f"]
    for path, words in found.items():
        names = path.split()
        if not names:
            when = "__fish_use_subcommand"
        else:
            when = " ".join(["__fish_seen_subcommand_from", names[0]])
            if len(names) == 2:
                when += f"; and __fish_seen_subcommand_from {names[1]}"
        for word in words:
            option = f"-l {word[2:]}" if word.startswith("--") else f"-a {word}"
            lines.append(f"complete -c pal -n '{when}' {option}")
    return "\n".join(lines) + "\n"


def _powershell(found: Tree) -> str:
    rows = "\n".join(
        f"    '{path}' = @({', '.join(chr(39) + word + chr(39) for word in words)})" for path, words in found.items()
    )
    return f"""# PowerShell completion for pal
Register-ArgumentCompleter -Native -CommandName pal, pal.cmd -ScriptBlock {{
  param($wordToComplete, $commandAst, $cursorPosition)
  $table = @{{
{rows}
  }}
  $typed = @($commandAst.CommandElements | Select-Object -Skip 1 | ForEach-Object {{ "$_" }} |
    Where-Object {{ $_ -notlike '-*' -and $_ -ne 'cli' -and $_ -ne $wordToComplete }})
  $key = ($typed | Select-Object -First 2) -join ' '
  if (-not $table.ContainsKey($key)) {{ $key = "$($typed | Select-Object -First 1)" }}
  $table[$key] | Where-Object {{ $_ -like "$wordToComplete*" }} |
    ForEach-Object {{ [System.Management.Automation.CompletionResult]::new($_) }}
}}
"""


WRITERS = {"bash": _bash, "fish": _fish, "powershell": _powershell, "zsh": _zsh}
