"""Runs the cells of notebooks one after the other: python run.py [NOTEBOOK…], all of this folder if there are none.

Needs no Jupyter. A notebook whose packages are not installed is skipped, with a word; its metadata names them.
"""

import importlib.metadata
import json
import sys
import time
from pathlib import Path


def missing(packages):
    for package in packages:
        try:
            importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            yield package


def run(path):
    """Runs a notebook; the value of a cell's last line is not shown."""
    notebook = json.loads(path.read_text(encoding="utf-8"))
    lacking = list(missing(notebook["metadata"]["dpverify"]["packages"]))
    if lacking:
        print("%s: skipped, no %s" % (path.name, ", ".join(lacking)))
        return
    begun = time.time()
    names = {"__name__": "__main__"}
    cells = [c for c in notebook["cells"] if c["cell_type"] == "code"]
    for i, cell in enumerate(cells):
        if cell["outputs"] or cell["execution_count"] is not None:
            raise SystemExit("%s, code cell %d: has an output, want none in the repository" % (path.name, i + 1))
        exec(compile("".join(cell["source"]), "%s, code cell %d" % (path.name, i + 1), "exec"), names)
    print("%s: %d cells (%.1f s)" % (path.name, len(cells), time.time() - begun), flush=True)


if __name__ == "__main__":
    found = [Path(p) for p in sys.argv[1:]] or sorted(Path(__file__).parent.glob("*.ipynb"))
    for p in found:
        run(p)
