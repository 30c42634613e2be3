"""Names of users break neither of the two forms."""

from __future__ import annotations

from ocelotboost.report.document import (
    Cell,
    Code,
    Document,
    Paragraph,
    Table,
    code,
    section,
    strong,
)
from ocelotboost.report.html import html
from ocelotboost.report.markdown import markdown

NASTY = "a|b `c` <i>d</i> *e* \x01x\x02\n"


def document():
    return Document(
        "t",
        "s",
        (
            section(
                "verdict",
                "V",
                "Verdict",
                [
                    Paragraph(f"{code(NASTY)} is {strong('good')} at 5 %", "good"),
                    Table(("x", "y"), ((code(NASTY), Cell("1", "bad", 0.5)), ("p", "q"))),
                    Table(("h",), (("z",),), collapsed="More", page_only=True),
                    Code("x < 1"),
                ],
            ),
        ),
        {"text": "</script>\u2028"},
    )


def test_html_escapes_all_but_its_own_tags():
    page = html(document())
    assert "<i>d</i>" not in page
    assert "<code>a|b `c` &lt;i&gt;d&lt;/i&gt; *e*  x  </code>" in page
    assert "<strong>good</strong>" in page
    assert page.count("</script>") == 2
    assert '"text":"\\u003c/script>\\u2028"' in page
    assert "<summary>More</summary>" in page


def test_markdown_keeps_cells_in_their_columns():
    text = markdown(document())
    assert "✓ ``a|b `c` <i>d</i> *e*" not in text  # a pipe is escaped
    assert "`` a\\|b `c` <i>d</i> *e*  x   `` is **good** at 5 %" in text
    assert "| p | q |" in text
    assert "More" not in text
    assert "```python\nx < 1\n```" in text
