"""What marks PAL's block in a text file that people write too: installed once, renewed by hooks, taken out again."""

from __future__ import annotations

BEGIN, END = "pal:begin", "pal:end"
NOTE = " (kept by PAL; edit outside)"  # behind BEGIN; a file with another note is read all the same
