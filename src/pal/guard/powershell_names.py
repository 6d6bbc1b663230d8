"""The tables behind `powershell.py`: aliases of its commands, their parameters, what the environment holds."""

from __future__ import annotations

from pal.guard.paths import names

ALIASES = {
    "remove-item": "ri rm rmdir del erase rd", "clear-content": "clc", "set-content": "sc", "add-content": "ac",
    "get-content": "gc cat type", "copy-item": "cp copy cpi", "move-item": "mv move mi", "get-childitem": "gci ls dir",
    "get-item": "gi", "set-location": "cd sl chdir", "push-location": "pushd", "invoke-expression": "iex",
    "invoke-webrequest": "iwr curl wget", "invoke-restmethod": "irm", "start-process": "saps start",
    "select-string": "sls", "foreach-object": "% foreach", "where-object": "? where", "invoke-command": "icm",
    "new-item": "ni md", "tee-object": "tee", "rename-item": "ren rni", "stop-process": "kill spps",
    "format-hex": "fhx",
    "write-output": "echo write", "get-process": "gps ps", "remove-itemproperty": "rp", "start-job": "sajb",
    "import-csv": "ipcsv", "resolve-path": "rvpa", "sort-object": "sort",
    "select-object": "select",
}  # fmt: skip
CANONICAL = {alias: name for name, listed in ALIASES.items() for alias in listed.split()}

# Parameters that take a value, by their full name; everything else is a switch.
VALUED = (
    "path", "literalpath", "lp", "pspath", "filter", "include", "exclude", "stream", "credential", "erroraction", "ea",
    "errorvariable", "ev", "warningaction", "wa", "informationaction", "outvariable", "ov", "outbuffer", "destination",
    "encoding", "pattern", "totalcount", "tail", "first", "last", "head", "skip", "filepath", "argumentlist", "args",
    "verb", "workingdirectory", "uri", "outfile", "infile", "body", "method", "headers", "contenttype", "command",
    "scriptblock", "computername", "value", "name", "itemtype", "type", "property", "delimiter", "readcount", "depth",
    "context", "id", "driveletter", "number", "disknumber", "partitionnumber", "friendlyname", "filesystem", "group",
    "member", "source", "inputobject", "process", "windowstyle", "executionpolicy", "scope", "typename",
    "destinationpath",     "newname", "timeoutsec", "useragent", "form", "redirectstandardinput", "filesystemlabel",
)  # fmt: skip
SWITCHES = (
    "recurse", "force", "whatif", "wi", "confirm", "cf", "verbose", "debug", "passthru", "raw", "wait", "file",
    "directory", "hidden", "readonly", "system", "usebasicparsing", "nonewline", "append", "noclobber", "list",
    "quiet",
    "simplematch", "casesensitive", "allmatches", "notmatch", "container", "asjob", "removedata", "removeoem", "rf",
    "fr",
    "disablerealtimemonitoring", "all", "full", "noprofile", "nologo", "noninteractive", "usetransaction", "update",
)  # fmt: skip
SHORT = {"r": "recurse", "f": "force", "fo": "force", "rf": "recurse", "fr": "recurse", "p": "path", "c": "command"}

READS = names("get-content select-string format-hex import-csv more findstr convertto-html import-clixml")
COPIES = names("copy-item compress-archive move-item")
WRITES = names(
    "set-content add-content out-file new-item tee-object clear-content export-csv export-clixml remove-item"
)
DOWNLOADS = names("invoke-webrequest invoke-restmethod start-bitstransfer")
DOWNLOAD_CALLS = ("downloadstring", "downloaddata", "downloadfile", "getstringasync", "openread")
DISKS = names(
    "format-volume clear-disk initialize-disk remove-partition reset-physicaldisk remove-virtualdisk remove-storagepool"
    " remove-volume set-partition"
)
UNCLEAR = names(
    "set-executionpolicy stop-computer restart-computer set-acl clear-eventlog register-scheduledtask stop-service"
    " set-service remove-service unregister-scheduledtask set-itemproperty disable-netadapter remove-netroute"
    " uninstall-windowsfeature new-partition resize-partition"
)
ACCOUNTS = names(
    "add-localgroupmember new-localuser remove-localuser set-localuser add-adgroupmember remove-aduser"
    " set-adaccountpassword disable-localuser"
)
# The first half of the names of PowerShell's own commands; those with no rule here do nothing that a rule is about.
VERBS = names(
    "add assert clear compare complete confirm connect convert convertfrom convertto copy debug disable"
    " disconnect dismount edit enable enter exit expand export find foreach format get group hide import"
    " initialize install invoke join limit lock measure merge mount move new open optimize out pop protect publish"
    " push read receive redo register remove rename repair request reset resize resolve restart restore resume"
    " revoke save search select send set show skip sort split start step stop submit suspend switch sync test"
    " trace unblock undo uninstall unlock unprotect unpublish unregister update use wait watch where write"
)
TALKS = names("write-output write-host write-verbose write-warning write-information write-error write-debug out-null")
READ_CALLS = (
    "::readalltext",
    "::readalllines",
    "::readallbytes",
    "::openread",
    "::readlines",
    "::opentext",
    "streamreader]::new",
)
WRITE_CALLS = ("::writealltext", "::writealllines", "::writeallbytes", "::appendalltext", "::openwrite", "::create")
TAKES_COMMAND = names("sudo gsudo runas start-process nsudo psexec psexec64 saps")
KEYWORDS = names(
    "if else elseif while for foreach do until switch try catch finally function return throw in param begin end"
)


def environment(home: str, cwd: str) -> dict[str, str]:
    """What the variables of a usual system hold, by lower-case name."""
    drive = home[:2] if home[1:2] == ":" else "C:"
    return {
        "home": home, "env:userprofile": home, "env:home": home, "pwd": cwd, "env:systemdrive": drive,
        "env:homedrive": drive, "env:homepath": home[2:] if home[1:2] == ":" else home,
        "env:systemroot": drive + "\\Windows", "env:windir": drive + "\\Windows",
        "env:programfiles": drive + "\\Program Files",
        "env:programfiles(x86)": drive + "\\Program Files (x86)", "env:programdata": drive + "\\ProgramData",
        "env:allusersprofile": drive + "\\ProgramData", "env:public": drive + "\\Users\\Public",
        "env:appdata": home + "\\AppData\\Roaming", "env:localappdata": home + "\\AppData\\Local",
        "env:temp": home + "\\AppData\\Local\\Temp", "env:tmp": home + "\\AppData\\Local\\Temp", "env:tmpdir": "/tmp",
        "null": "", "true": "true", "false": "false", "env:comspec": drive + "\\Windows\\System32\\cmd.exe",
    }  # fmt: skip
