"""Builds the documentation.

`python -m tools.site` writes build/site/html. Every warning is an error: a link or an anchor that
leads nowhere, a docstring that is no valid markup, a notebook that fails.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from tools.site.build import build
from tools.site.stage import PROJECT, BrokenLinkError


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tools.site", description=__doc__)
    parser.add_argument("--out", type=Path, default=PROJECT / "build" / "site", metavar="FOLDER")
    folder: Path = parser.parse_args().out
    try:
        first_page = build(folder)
    except BrokenLinkError as problem:
        sys.exit(str(problem))
    if first_page is None:
        sys.exit("The site has warnings, see above.")
    print(f"wrote {first_page}: open it in a browser")


if __name__ == "__main__":
    main()
