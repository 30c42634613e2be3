"""Small pictures as SVG texts, legible on light and dark pages.

A picture brings its own background and colours for both, and asks the reader's system which of them
to take. Coordinates are pixels; 520 of them are the width of a page.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from html import escape

WIDTH = 520

_STYLE = """
text { font: 15px system-ui, "Segoe UI", Roboto, Helvetica, Arial, sans-serif; fill: #24292f }
.small { font-size: 13px } .quiet { fill: #57606a } .strong { font-weight: 600 }
.middle { text-anchor: middle } .end { text-anchor: end } .on { fill: #ffffff }
.page { fill: #ffffff } .line { stroke: #57606a; fill: none; stroke-width: 1.4 }
.empty { fill: #f0f2f5; stroke: #c4cad1 }
.a { fill: #b5510b } .b { fill: #1f6feb } .c { fill: #6e7781 }
.pale-a { fill: #fbe3d0; stroke: #b5510b } .pale-b { fill: #dbe9fd; stroke: #1f6feb }
.tip { fill: #57606a }
@media (prefers-color-scheme: dark) {
  text { fill: #e6e8eb } .quiet { fill: #a7afb9 } .on { fill: #10141a }
  .page { fill: #171a1f } .line { stroke: #a7afb9 } .tip { fill: #a7afb9 }
  .empty { fill: #23272e; stroke: #454c56 }
  .a { fill: #f0a35e } .b { fill: #79b0ff } .c { fill: #9aa4af }
  .pale-a { fill: #4a2f18; stroke: #f0a35e } .pale-b { fill: #1b3152; stroke: #79b0ff }
}
"""


@dataclass
class Picture:
    """Shapes, in the order in which they are drawn.

    title  what the picture shows, for those who cannot see it
    """

    title: str
    height: int
    shapes: list[str] = field(default_factory=list)

    def box(self, x: float, y: float, width: float, height: float, look: str) -> None:
        self.shapes.append(
            f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" rx="4"'
            f' class="{look}"/>'
        )

    def text(self, x: float, y: float, words: str, look: str = "") -> None:
        self.shapes.append(f'<text x="{x:g}" y="{y:g}" class="{look}">{escape(words)}</text>')

    def labelled(
        self, x: float, y: float, width: float, height: float, words: str, look: str, ink: str = ""
    ) -> None:
        """A box with words in its middle."""
        self.box(x, y, width, height, look)
        self.text(x + width / 2, y + height / 2 + 5, words, f"middle {ink}".strip())

    def arrow(self, points: Iterable[tuple[float, float]]) -> None:
        """A curve from the first point to the last; those between bend it (at most two)."""
        start, *bends, end = points
        command = {0: "L", 1: "Q", 2: "C"}[len(bends)]
        path = " ".join(f"{x:g} {y:g}" for x, y in (*bends, end))
        self.shapes.append(
            f'<path d="M {start[0]:g} {start[1]:g} {command} {path}" class="line"'
            ' marker-end="url(#tip)"/>'
        )

    def svg(self) -> str:
        tip = '<marker id="tip" markerWidth="8" markerHeight="8" refX="6" refY="3" orient="auto">'
        tip += '<path d="M0 0 L7 3 L0 6 z" class="tip"/></marker>'
        head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {self.height}"'
        head += f' width="{WIDTH}" height="{self.height}" role="img">'
        page = f'<rect width="{WIDTH}" height="{self.height}" rx="8" class="page"/>'
        title = f"<title>{escape(self.title)}</title>"
        lines = [head, title, f"<style>{_STYLE}</style>", f"<defs>{tip}</defs>", page]
        return "\n".join([*lines, *self.shapes, "</svg>", ""])
