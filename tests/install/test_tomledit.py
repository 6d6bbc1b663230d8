"""The TOML editor: what it reads, what it refuses, and that everything it put in comes out again byte for byte."""

from __future__ import annotations

import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from pal.base.errors import PalError
from pal.install import edits, jsonedit, tomledit, tomltree
from pal.install.changes import Match, TomlTable
from pal.install.tomlscan import Raw

TRUST = TomlTable("c", ("hooks", "state", "/home/user/.x y/hooks.json:stop:0:0"), {"trusted_hash": "sha256:1"}, False)
SECOND = TomlTable("c", ("hooks", "state", 'C:\\u\\"q"\\hooks.json:stop:0:0'), {"trusted_hash": "sha256:2"}, False)
OURS = Match(("pal.pyz mcp",), ("command", "args"))
SERVER = TomlTable("c", ("mcp_servers", "pal"), {"command": "/p/python3", "args": ["pal.pyz", "mcp"]}, True, OURS)
CHANGES = (TRUST, SECOND, SERVER)

DOCUMENTS = {
    "nothing": "",
    "a line end": "\n",
    "a comment": "# mine",
    "no last line end": 'model = "x"',
    "plain": 'model = "x"\n\n[tui]\ntheme = "dark" # best\n',
    "blank lines at the end": 'model = "x"\n\n\n\n',
    "windows line ends": 'model = "x"\r\n\r\n[tui]\r\ntheme = "dark"\r\n',
    "windows line ends, none last": 'model = "x"\r\n[tui]\r\ntheme = "dark"',
    "a byte order mark": '\ufeffmodel = "x"\n',
    "only a byte order mark": "\ufeff",
    "tabs": '[tui]\n\ttheme = "dark"\n\t[tui.deep]\n\t\ta = 1\n',
    "the tables are there": '[hooks]\na = 1\n\n[hooks.state]\n\n[mcp_servers.docs]\ncommand = "npx"\n',
    "lists over many lines": 'args = [\n  "-y", # yes\n]\n',
    "other entries": '[hooks.state."/a:stop:0:0"]\ntrusted_hash = "sha256:9"\n\n[mcp_servers]\n',
    "dotted keys": 'hooks.state."/a".trusted_hash = "sha256:9"\nmcp_servers.docs.command = "npx"\n',
    "dotted keys below a header": '[hooks]\nstate."/a".trusted_hash = "sha256:9"\n\n[x]\n',
    "inline tables": 'hooks = { state = { "/a" = { trusted_hash = "sha256:9" } } }\nmcp_servers = {}\n',
    "an inline table that holds something": "hooks = { q = 1 }\n",
    "empty inline table with a space": 'mcp_servers = { }\nhooks = { state = {} }\nz = 1',
    "lists of tables": '[[skills.config]]\npath = "a"\n[[skills.config]]\npath = "b"\n',
    "many kinds of values": "a = 1_000\nb = 1979-05-27T07:32:00Z\nc = '''x\ny'''\nd = [[1], [\"z\"]]\ne = -inf\n",
    "a table after ours would be": 'x = 1\n[projects."/home/user/p"]\ntrust_level = "trusted"\n',
    "a header without room": "[a]",
    "letters beyond ASCII": '"név" = "Tűzoltó ☃"\n',
    "a stale entry of the same key": f'[{tomledit.key_of(TRUST.keys)}]\ntrusted_hash = "sha256:old" # before\n',
    "the table without its member": f"[{tomledit.key_of(TRUST.keys)}]\n",
    "a super table below its table": '[hooks.state."/a"]\nx = 1\n[hooks]\n',
}  # fmt: skip


class Entries(list):
    """The entries of several changes, with the traces of their file."""

    traces: list


def put_all(text, changes=CHANGES):
    entries = Entries()
    entries.traces = []
    for change in changes:
        text, traces, entry = edits.put(text, change, None)
        entries.append(entry)
        entries.traces = jsonedit.merge(entries.traces, traces)
    return text, entries


def take_all(text, entries, order=None):
    for number in range(len(entries)) if order is None else order:
        text = edits.take(text, "table", entries[number]) if entries[number] else text
    return edits.tidy(text, entries.traces)[0]


@pytest.mark.parametrize("name", DOCUMENTS)
@pytest.mark.parametrize("order", [(0, 1, 2), (2, 1, 0), (1, 2, 0)])
def test_what_was_put_in_comes_out_in_any_order_byte_for_byte(name, order):
    before = DOCUMENTS[name]
    text, entries = put_all(before)
    for change in CHANGES:
        found = tomledit.table_at(text, change.keys)
        assert {key: found[key] for key in change.values} == change.values
    assert put_all(text)[0] == text, "twice is once"
    assert take_all(text, entries, order) == before


@pytest.mark.parametrize("name", DOCUMENTS)
def test_everything_that_was_there_still_means_the_same(name):
    before = tomltree.scan(DOCUMENTS[name]).root.value
    after = tomltree.scan(put_all(DOCUMENTS[name])[0]).root.value
    before.pop("hooks", None), before.pop("mcp_servers", None)
    assert {key: value for key, value in after.items() if key in before} == before


@pytest.mark.skipif(sys.version_info < (3, 11), reason="tomllib came with Python 3.11")
@pytest.mark.parametrize("name", DOCUMENTS)
def test_python_s_own_reader_reads_what_we_wrote(name):
    import tomllib

    text = put_all(DOCUMENTS[name])[0].lstrip("\ufeff")
    assert plain(tomllib.loads(text)) == plain(tomltree.scan(text).root.value)


def plain(value):
    """Texts and truth values as they are, every other single value alike."""
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, list):
        return [plain(item) for item in value]
    return value if isinstance(value, (str, bool)) else "other"


@pytest.mark.parametrize(
    ("text", "after"),
    [
        ("[hooks]\nx = 1\n\n# about y\n[y]\n", "# about z\n[z]\n"),
        ("", '[projects."/p"]\ntrust_level = "trusted"\n'),
    ],
)
def test_what_was_written_below_ours_stays_on_lines_of_its_own(text, after):
    put, entries = put_all(text)
    put += after
    put = take_all(put, entries)
    assert put == text + ("\n" if text and not text.endswith("\n") else "") + after


def test_text_written_below_ours_is_not_glued_to_a_line_that_had_no_end():
    put, entries = put_all('model = "x"')
    put += "[mine]\n"
    put = take_all(put, entries)
    assert put == 'model = "x"\n[mine]\n'


@pytest.mark.parametrize(
    ("find", "write", "left"),
    [
        ('trusted_hash = "sha256:1"\n', 'trusted_hash = "sha256:1"\nenabled = false\n', "enabled = false"),
        ('trusted_hash = "sha256:1"', 'trusted_hash = "sha256:1" # mine', "# mine"),
        ('trusted_hash = "sha256:1"', 'trusted_hash = "sha256:3"', 'trusted_hash = "sha256:3"'),
        (".x y/hooks.json:stop:0:0\"]", ".x y/hooks.json:stop:0:0\"] # why", "# why"),
    ],
)  # fmt: skip
def test_what_somebody_wrote_into_ours_stays(find, write, left):
    put, entries = put_all("")
    assert find in put
    put = put.replace(find, write)
    put = take_all(put, entries)
    assert left in put
    assert "sha256:1" not in put and "sha256:2" not in put and "mcp" not in put


def test_the_same_key_written_by_another_program_in_another_form_is_taken_out_too():
    _, entries = put_all("", (TRUST,))
    other = f'[hooks]\nstate = {{ {tomledit.key_of(TRUST.keys[2:])} = {{ trusted_hash = "sha256:1" }} }}\n'
    assert "sha256:1" not in edits.take(other, "table", entries[0])


def test_a_server_that_somebody_else_called_so_is_left_alone():
    text = '[mcp_servers.pal]\ncommand = "other"\n'
    assert edits.put(text, SERVER, None) == (text, [], None)
    assert edits.look(text, SERVER, None) == ""


def test_a_server_of_an_older_pal_is_renewed_in_its_place():
    old = TomlTable(
        "c", SERVER.keys, {"command": "/old/python", "args": ["/x/pal.pyz", "mcp"], "cwd": "/x"}, True, OURS
    )
    text, _, entry = edits.put("a = 1\n", old, None)
    text, _, entry = edits.put(text, SERVER, entry)
    assert tomledit.table_at(text, SERVER.keys) == SERVER.values
    assert edits.take(text, "table", entry) == "a = 1\n"
    text, _, _ = edits.put("a = 1\n", old, None)
    text, _, entry = edits.put(text, SERVER, None)
    assert entry is not None, "known by what it says, though the record is lost"
    assert "python3" in text and "/old/python" not in text


@pytest.mark.parametrize(
    ("edit", "problem"),
    [
        (lambda text: text, ""),
        (lambda text: "", "missing"),
        (lambda text: text.replace("sha256:1", "sha256:3"), "altered"),
        (lambda text: text.replace("trusted_hash", "enabled"), "missing"),
    ],
)
def test_what_is_wrong_with_a_table_is_named(edit, problem):
    text, (entry,) = put_all("x = 1\n", (TRUST,))
    assert edits.look(edit(text), TRUST, entry) == problem


GOOD = [
    ("a = 1\n", {"a": Raw("1")}),
    ("a.b = true\na.c = false\n", {"a": {"b": True, "c": False}}),
    ('"a b".\'c\' = "\\u00e9\\n"\n', {"a b": {"c": "é\n"}}),
    ('a = """\nx\\\n   y"""\n', {"a": "xy"}),
    ('a = """x"""""\n', {"a": 'x""'}),
    ("a = '''\nx''y'''''\n", {"a": "x''y''"}),
    ("a = [1, [\"x\", {b = 'y'}], # c\n]\n", {"a": [Raw("1"), ["x", {"b": "y"}]]}),
    ("[[a]]\nb = ''\n[[a]]\n[a.c]\nd = +1.5e3\n", {"a": [{"b": ""}, {"c": {"d": Raw("+1.5e3")}}]}),
    ("[a]\nb.c = 1\n[a.b.d]\ne = 07:32:00\n", {"a": {"b": {"c": Raw("1"), "d": {"e": Raw("07:32:00")}}}}),
    ("\t[ a . b ]\n\tc = 1979-05-27 07:32:00\n", {"a": {"b": {"c": Raw("1979-05-27 07:32:00")}}}),
]


@pytest.mark.parametrize(("text", "value"), GOOD)
def test_toml_is_read(text, value):
    assert tomltree.scan(text).root.value == value


BAD = [
    "a", "a =", "a = 1 b = 2", "[a", "[a]\n[a]", "a = 1\na = 2", "a.b = 1\n[a]", "a = {b = 1}\n[a.c]", "a = {b = 1\n}",
    "a = {b = 1,}", 'a = "x', 'a = "\\q"', 'a = "\\ud800"', "[[a]]\n[a]", "[a]\n[[a]]", "a = 01", "a = 1__0",
    'a = "\x01"', "a = [1 2]", "a = {b = {c = 1}, b.d = 2}", "a = 1\rb = 2", '"""a""" = 1', "a = tru", "= 1",
    'a."b\n" = 1', "[a.b]\nc = 1\n[a]\nb.d = 1", "a = " + "[" * 200, "a = {b = 1, b = 2}",
]  # fmt: skip


@pytest.mark.parametrize("text", BAD)
def test_what_is_no_toml_is_refused_with_its_line(text):
    with pytest.raises(PalError, match=r"^line \d+: .*correct that line"):
        tomltree.scan(text)


@pytest.mark.parametrize("text", ["hooks = 1\n", "[[hooks]]\n", "[hooks]\nstate = []\n"])
def test_a_table_that_is_something_else_is_refused_by_name(text):
    with pytest.raises(PalError, match="make it a table"):
        edits.put(text, TRUST, None)


names = some.sampled_from(["hooks", "state", "mcp_servers", "pal", "a", "b c"])
values = some.sampled_from(['"x"', "1", "[1, 2]", "{ q = 1 }", "{}", "true", "'''m\nn'''"])
pairs = some.builds(
    lambda keys, value, tail: tomledit.key_of(tuple(keys)) + " = " + value + tail,
    some.lists(names, min_size=1, max_size=3),
    values,
    some.sampled_from(["\n", " # c\n", "\n\n", "\r\n"]),
)
headers = some.builds(
    lambda keys, tail: f"[{tomledit.key_of(tuple(keys))}]{tail}",
    some.lists(names, min_size=1, max_size=3),
    some.sampled_from(["\n", " # c\n", "\n\n"]),
)


@settings(max_examples=150, deadline=None)
@given(some.lists(some.one_of(pairs, headers, some.sampled_from(["# c\n", "\n", "  "])), max_size=8))
def test_any_file_that_can_be_edited_is_given_back_as_it_was(lines):
    before = "".join(lines)
    try:
        text, entries = put_all(before)
    except PalError:
        return  # no TOML, or nothing that could be added to
    assert take_all(text, entries) == before
