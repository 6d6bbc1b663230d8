"""What is asked of the system without `os` is what `os` would say."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from pal.base import bare


def test_what_exists_exists(tmp_path):
    (tmp_path / "file").write_text("x")
    assert bare.exists(str(tmp_path)) and bare.exists(str(tmp_path / "file"))
    assert not bare.exists(str(tmp_path / "none"))
    assert not bare.exists(str(tmp_path / "file" / "below"))
    assert bare.exists("a\0b"), "what cannot be told counts as there"


def test_a_file_is_read_whole_and_a_missing_one_is_none(tmp_path):
    (tmp_path / "file").write_bytes(b"\xff\r\n")
    assert bare.read_bytes(str(tmp_path / "file")) == b"\xff\r\n"
    assert bare.read_bytes(str(tmp_path / "none")) is None
    assert bare.read_bytes(str(tmp_path / "file" / "below")) is None
    with pytest.raises(OSError):
        bare.read_bytes(str(tmp_path))


def test_the_environment_is_that_of_os():
    code = (
        "import sys; sys.path.insert(0, sys.argv[1])\n"
        "from pal.base import bare\n"
        "before = 'os' in sys.modules\n"
        "here = bare.environment()\n"
        "import os\n"
        "assert here == dict(os.environ) and bare.variable('AN_ODD_ONE') == os.environ['AN_ODD_ONE']\n"
        "assert bare.variable('NONE_SUCH') == '' and bare.variables('_ODD_ONE') == [os.environ['AN_ODD_ONE']]\n"
        "print(before)"
    )
    source = os.path.dirname(os.path.dirname(os.path.dirname(bare.__file__)))
    env = {**os.environ, "AN_ODD_ONE": "árvíz = tűrő"}
    done = subprocess.run([sys.executable, "-I", "-S", "-c", code, source], env=env, capture_output=True, text=True)
    assert (done.returncode, done.stdout.strip()) == (0, "False"), done.stderr
