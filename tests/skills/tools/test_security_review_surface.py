"""Places in source code where security is decided."""

from __future__ import annotations

import json

import pytest

PLACES = [
    ("a.py", "subprocess.run(cmd, shell=True)", "command"),
    ("a.js", "const out = eval(text)", "command"),
    ("a.py", "db.execute(f'select * from t where id = {x}')", "query"),
    ("a.py", "db.execute('select * from t where id = ' + x)", "query"),
    ("a.js", "db.query(`select * from t where id = ${id}`)", "query"),
    ("a.py", "data = pickle.loads(body)", "deserialise"),
    ("a.js", "box.innerHTML = name", "markup"),
    ("a.py", "open(request.args['name'])", "path"),
    ("a.py", "requests.get(request.args['url'])", "request"),
    ("a.py", "hashlib.md5(password)", "crypto"),
    ("a.py", "requests.get('https://x', verify=False)", "trust"),
    ("a.py", "@app.post('/pay')", "entry"),
    ("a.py", "if user.is_admin:", "rights"),
    ("a.js", "console.log('got', userToken)", "log"),
]
SOUND = [
    "db.execute('select * from t where id = ?', (x,))",
    "subprocess.run(['ls', name])",
    "yaml.load(text, Loader=SafeLoader)",
    "password = os.environ['PASSWORD']",
    "# eval(text) was here",
    "log.info('token refreshed')",
]


@pytest.fixture
def surface(load, ran, tmp_path):
    tool = load("security-review", "surface")
    return lambda *words, stdin="": ran(tool, *(words or (tmp_path,)), "--json", stdin=stdin)


@pytest.mark.parametrize(("name", "line", "kind"), PLACES)
def test_a_place_is_found_with_its_kind_and_line(surface, tmp_path, name, line, kind):
    (tmp_path / name).write_text(f"\n{line}\n", "utf-8")
    rows = json.loads(surface().out)["places"]
    assert [(row["kind"], row["line"]) for row in rows if row["kind"] == kind] == [(kind, 2)]


@pytest.mark.parametrize("line", SOUND)
def test_a_sound_line_is_no_place(surface, tmp_path, line):
    (tmp_path / "a.py").write_text(line + "\n", "utf-8")
    assert json.loads(surface().out)["places"] == []


def test_a_secret_is_named_and_never_printed(surface, tmp_path):
    value = "correct-horse-" + "battery"
    (tmp_path / "a.py").write_text(f"password = '{value}'\n", "utf-8")
    done = surface()
    assert json.loads(done.out)["places"][0]["kind"] == "secret"
    assert value not in done.out


def test_folders_of_others_and_long_lines_are_passed_over(surface, tmp_path):
    for folder in ("node_modules", ".git"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "a.js").write_text("eval(x)\n", "utf-8")
    (tmp_path / "b.js").write_text("eval(x);" * 200 + "\n", "utf-8")
    (tmp_path / "notes.md").write_text("eval(x)\n", "utf-8")
    assert json.loads(surface().out) == {"files": 1, "places": []}


def test_names_come_from_standard_input_and_gone_files_are_skipped(surface, tmp_path):
    (tmp_path / "a.js").write_text("eval(x)\n", "utf-8")
    done = surface("-", stdin=f"{tmp_path / 'a.js'}\n{tmp_path / 'gone.js'}\n")
    assert len(json.loads(done.out)["places"]) == 1


def test_only_the_kinds_asked_for_are_listed(surface, tmp_path):
    (tmp_path / "a.js").write_text("eval(x)\nbox.innerHTML = y\n", "utf-8")
    rows = json.loads(surface(tmp_path, "--kind", "markup").out)["places"]
    assert [row["kind"] for row in rows] == ["markup"]
