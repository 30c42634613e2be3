"""The command ``ocelot``: a thin shell around what Python users have, too.

    app         which commands there are; each is imported when it is used
    errors      what went wrong, in a line or two, and the exit code
    screen      what is shown where: for people, as JSON, or not at all
    options     what several commands take: files, columns, formats
    parameters  an option for each declared training parameter
    config      the same in a TOML file
    asked       both, and the columns: what train, cv and tune have in common
    rows        files -> rows to judge a model by;  training_rows  -> to train on

The commands: train; search (cv, tune); predict; judging (evaluate, compare, report); explaining
(explain, importance, describe); models (convert, params, version); demo.
"""

from __future__ import annotations

from collections.abc import Sequence


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; the exit code is the result."""
    from ocelotboost.cli.errors import run

    return run(arguments)
