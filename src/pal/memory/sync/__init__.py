"""One memory on several machines: how two versions of a file become one, and the git repository that carries them."""
