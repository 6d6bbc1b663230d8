"""Start PAL: from a checkout as ``python pal.py``, and as the ``__main__`` of ``pal.pyz``.

Old Pythons must be able to read this file far enough to be told which one PAL needs.
"""

import os
import sys

if __name__ == "__main__":
    if sys.version_info < (3, 9):
        sys.stderr.write("PAL needs Python 3.9 or newer; this is Python %d.%d.%d.\n" % sys.version_info[:3])
        sys.exit(2)
    # Absolute, so that modules imported later are found from whatever folder is current then.
    here = os.path.dirname(os.path.abspath(__file__))
    source = os.path.join(here, "src")
    package = source if os.path.isdir(source) else here
    if sys.path[0] != package:
        sys.path.insert(0, package)
    from pal.app import main

    sys.exit(main(sys.argv[1:]))
