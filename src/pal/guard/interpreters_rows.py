"""The tables behind `interpreters.py`: which calls of which language matter, and the rules."""

from __future__ import annotations

from pal.guard.model import Row
from pal.guard.paths import names

_SAFE = "Do it in the project, or tell the user what you would run."
DELETE = Row("code-delete-protected", "filesystem", "This code deletes a folder that cannot come back.", _SAFE)
DELETE_OUTSIDE = Row(
    "code-delete-outside", "outside-delete", "This code deletes a folder outside the project, or all of it.", _SAFE
)
WORLD_WRITABLE = Row(
    "code-world-writable", "permissions", "This code lets everybody write.", "Use 0o755 for folders, 0o644 for files."
)
DECODED = Row(
    "code-run-decoded",
    "obfuscation",
    "This code runs text that it decodes.",
    "Decode it and read it before running it.",
)
FETCHED = Row(
    "code-run-fetched", "pipe-installer", "This code runs what it downloads.", "Download it, read it, then run it."
)
FETCHED_PLAIN = Row(
    "code-run-fetched-plain", "injection", "This code runs what it downloads over plain http.",
    "Download it over https, read it, then run it.",
)  # fmt: skip
SECRET = Row(
    "code-reads-secret", "secrets.read", "This code opens a file that holds secrets.",
    "Let the program load the file itself, or ask the user for the one value.",
)  # fmt: skip
WRITE = Row(
    "code-writes-protected", "paths.write", "This code changes a protected file.", "Tell the user what to change there."
)
DEVICE = Row("code-writes-device", "disk", "This code writes to a device.", "Write to an image file in the project.")
REVERSE = Row("code-reverse-shell", "reverse-shell", "This code gives a shell to another machine.", "Use ssh.")
KILL_ALL = Row("code-kill-all", "system", "This code ends every process.", "End the one process by its id.")
FORKS = Row("code-fork-loop", "forkbomb", "This code forks without end.", "Start a known number of processes.")

DENIED_TARGETS = frozenset(("root", "drive", "system", "home", "other-home", "user-folder", "state"))
ASKED_TARGETS = frozenset(("project", "git", "outside"))
LONG_CONSTANT = 2048  # characters; longer constants are not followed

DEFINES = frozenset(("def", "function", "sub", "fn", "func", "class"))
AFTER_CALL = frozenset(("if", "unless", "while", "until", "or", "and", "do", "for", "foreach"))
BARE_CALLS = frozenset(("perl", "ruby", "php", "elixir"))

_SHELL_COMMON = ("system", "exec", "popen", "spawn")
SHELL_CALLS = {
    "python": names(
        "system popen getoutput getstatusoutput check_output check_call popen2 popen3 popen4 create_subprocess_shell"
        " create_subprocess_exec execv execve execvp execvpe execl execlp execle spawnl spawnlp spawnv spawnvp"
        " posix_spawn posix_spawnp subprocess_shell"
    ),
    "js": names("execsync spawnsync execfilesync execfile command doshellscript execasync"),
    "perl": names("system exec"),
    "ruby": names("system exec spawn popen capture2 capture2e capture3 pipeline popen3 popen2e sh"),
    "php": names("system exec shell_exec passthru popen proc_open pcntl_exec"),
    "lua": names("execute popen"),
    "awk": names("system"),
    "r": names("system system2 shell"),
    "julia": names("run"),
    "elixir": names("cmd shell"),
    "groovy": names("execute"),
}
PYTHON_RUNS = names("run call spawn popen")
JS_RUNS = names("exec spawn run execa $ fork sh")
JS_RUNNERS = frozenset(("child_process", "Deno", "Bun", "execa", "zx", "shelljs"))
BARE = names(
    "system exec spawn rm_rf rm_r rmtree remove_tree chmod chmod_r open eval remove_dir remove_entry unlink popen puts"
    " readlines chdir rm_rf! rmdir assert"
)
ARGV_SECOND = names("execv execve execvp execvpe spawnv spawnvp posix_spawn posix_spawnp")
ONE_TEXT = names("system popen getoutput getstatusoutput shell_exec passthru execsync")  # take one text, no list
FIRST_ONLY = names("popen proc_open capture2 capture2e capture3 getoutput getstatusoutput shell_exec passthru")

DELETES = names(
    "rmtree remove_tree rm_rf rm_rf! rm_r remove_dir remove_entry remove_entry_secure rimraf removesync emptydirsync"
    " emptydir delete_tree removetree"
)
DELETES_RECURSIVE = names("rm rmsync rmdir rmdirsync remove removesync unlink rmdirall removeall")
CHMODS = names("chmod chmodsync chmod_r lchmod fchmod")
# Names that other things have too: they count when what stands before them is one of these.
COMMON_NAMES = names("copy copy2 move write read lines readlines foreach truncate remove unlink readline")
FILE_MODULES = names("shutil file io os fs fsp promises bun deno pathname file::utils")
OPEN_MODES = frozenset(("0o777", "0777", "777", "511", "S_IRWXO", "a+rwx", "ugo+rwx", "0x1ff", "0o0777"))
CHANGES_FOLDER = names("chdir cd setwd")
FILES = {
    "open": "?", "fopen": "?", "copy": "c", "copy2": "c", "move": "c", "readfilesync": "r", "readfile": "r",
    "readtextfile": "r", "readtextfilesync": "r",
    "createreadstream": "r", "read": "r", "readlines": "r", "binread": "r", "foreach": "r", "file_get_contents": "r",
    "lines": "r", "readlink": "", "writefile": "w", "writefilesync": "w", "appendfile": "w", "appendfilesync": "w",
    "createwritestream": "w", "writetextfile": "w", "writetextfilesync": "w", "write": "w", "binwrite": "w",
    "file_put_contents": "w", "remove": "w", "unlink": "w", "unlinksync": "w", "truncate": "w", "symlink": "",
    "copyfile": "r", "copyfilesync": "r", "readline": "r", "read_file": "r", "slurp": "r", "parse_ini_file": "r",
    "read.csv": "r", "opensync": "?", "dotenv_values": "r", "highlight_file": "r", "show_source": "r",
}  # fmt: skip
MODES = frozenset(("w", "a", "x", "r+", "w+", "a+", ">", ">>", "+<", "+>", "c"))
RECEIVERS = frozenset(("path", "pathlib", "pathname", "file", "bun"))
METHODS = {
    "read_text": "r", "read_bytes": "r", "open": "r", "read": "r", "readlines": "r", "write_text": "w",
    "write_bytes": "w", "unlink": "w", "text": "r", "rmtree": "delete", "binread": "r", "write": "w",
}  # fmt: skip

EVALUATES = {
    "python": names("exec eval"), "js": names("eval function runincontext runinnewcontext runinthiscontext"),
    "perl": names("eval"), "ruby": names("eval instance_eval class_eval"), "php": names("eval assert create_function"),
    "groovy": names("evaluate"), "r": names("eval parse"), "lua": names("load loadstring dostring"),
}  # fmt: skip
DECODERS = names(
    "b64decode b32decode b16decode b85decode a85decode decodebytes decodestring standard_b64decode urlsafe_b64decode"
    " fromhex unhexlify a2b_hex a2b_base64 decompress atob decode64 strict_decode64 urlsafe_decode64 base64_decode"
    " decode_base64 gzinflate gzuncompress str_rot13 hex2bin convert_uudecode unpack inflatesync gunzipsync marshal"
)
DECODER_WORDS = frozenset(("base64", "hex", "rot13", "rot_13", "h*", "m0", "base64_codec", "hex_codec"))
FETCHERS = names("urlopen urlretrieve fetch requests httpx urllib file_get_contents lwp httpclient open-uri openuri")

CONNECTS = names(
    "connect tcpsocket fsockopen createconnection create_connection inet socket_connect pfsockopen tcpclient"
)
SPAWNS = names(
    "exec execve execl execv execvp spawn system popen call run dup2 proc_open shell_exec passthru spawnsync execsync"
    " execute pcntl_exec process check_output"
)
WIRES = names("dup2 pty fileno stdin openpty makefile")
SHELLS = frozenset(
    (
        "/bin/sh",
        "sh",
        "/bin/bash",
        "bash",
        "/bin/zsh",
        "zsh",
        "cmd.exe",
        "cmd",
        "powershell",
        "powershell.exe",
        "/bin/ksh",
    )
)
SHELL_STARTS = ("/bin/sh -i", "/bin/bash -i", "sh -i", "bash -i", "/bin/sh 0", "exec /bin/sh", "/bin/sh <", "sh <&")
