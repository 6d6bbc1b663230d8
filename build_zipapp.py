"""Pack this checkout into ``dist/pal.pyz``: the same sources give the same bytes, on any machine."""

from __future__ import annotations

import argparse
import hashlib
import os
import sys

ROOT = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(ROOT, "src"))

from pal.base import files  # noqa: E402  (the checkout's own package, found through the line above)
from pal.base.errors import PalError  # noqa: E402
from pal.install import archive  # noqa: E402

LIMIT = 1_000_000  # bytes; PAL must stay small enough to be mailed to a locked-down machine


def main(arguments: list[str]) -> int:
    """Build, write and report; 1 with one line on stderr when the archive cannot be made."""
    parser = argparse.ArgumentParser(description="Pack PAL into one reproducible file.")
    parser.add_argument("--output", default=os.path.join(ROOT, "dist", "pal.pyz"), help="default: dist/pal.pyz")
    output = os.path.abspath(parser.parse_args(arguments).output)
    try:
        contents = archive.files(ROOT)
        data = archive.pack(contents, archive.source_epoch(os.environ))
        if len(data) > LIMIT:
            raise PalError(f"The archive has {len(data):,} bytes, more than the {LIMIT:,} allowed.")
        os.makedirs(os.path.dirname(output), exist_ok=True)
        files.write(output, data, mode=0o755)
    except (PalError, OSError) as fault:
        sys.stderr.write(f"build_zipapp: {fault}\n")
        return 1
    sys.stdout.write(
        f"{output}\n"
        f"size     {len(data):,} bytes in {len(contents)} files\n"
        f"archive  sha256 {hashlib.sha256(data).hexdigest()}\n"
        f"content  sha256 {archive.content_digest(contents)}\n"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
