"""The report that ``model.report`` returns."""

from __future__ import annotations

import os
from html import escape

from ocelotboost.lazy import cached_property
from ocelotboost.model.file_writing import write_file
from ocelotboost.report.document import Document
from ocelotboost.report.html import html
from ocelotboost.report.markdown import markdown

FORMATS = ("html", "md")


class Report:
    """A report in both of its forms; notebooks show it, unless it was written to a file.

    document  sections of text, tables and figures
    path      where it was written, or None
    """

    def __init__(self, document: Document, format: str, path: str | None) -> None:
        self.document = document
        self.path = path
        self._format = format

    @cached_property
    def html(self) -> str:
        """One page without links to elsewhere."""
        return html(self.document)

    @cached_property
    def markdown(self) -> str:
        return markdown(self.document)

    def __str__(self) -> str:
        return self.markdown if self._format == "md" else self.html

    def __repr__(self) -> str:
        where = "not written to a file" if self.path is None else f"in {self.path!r}"
        return f"<report: {self.document.subtitle}, {where}>"

    def save(self, path: str | os.PathLike[str], format: str = "html") -> None:
        """Write it as "html" or "md". A file that was there before survives unless the new one is
        complete."""
        text = self.markdown if format == "md" else self.html
        write_file(os.fsdecode(path), text.encode("utf-8"))

    def _repr_html_(self) -> str:
        """In a frame, so that the page's style does not meet the notebook's."""
        if self.path is not None:
            return f"<code>{escape(repr(self))}</code>"
        return (
            f'<iframe srcdoc="{escape(self.html)}" title="{escape(repr(self))}" width="100%" '
            'height="800" style="border: 1px solid #8888; border-radius: 6px" '
            'sandbox="allow-scripts allow-downloads"></iframe>'
        )
