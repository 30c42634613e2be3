"""Code blocks of pages run as they say."""

from __future__ import annotations

import pytest
from tools.markdown import blocks, run

from tests.markdown import PROJECT


def page(*parts: tuple[str, str]) -> str:
    return "\n".join(f"```{info}\n{code}\n```\n" for info, code in parts)


def run_text(text: str) -> list[str]:
    return run(blocks(text), PROJECT / "page.md", "page.md")


def test_blocks_share_a_namespace_and_output_does_not_run():
    run_text(
        page(("python", "x = 1"), ("", "x = 2"), ("text", "x = 3"), ("python", "assert x == 1"))
    )


def test_an_error_that_was_asked_for_is_returned():
    text = page(("python raises=ValueError", 'int("ten")'))
    (message,) = run_text(text)
    assert message.startswith("ValueError: invalid literal")


def test_the_base_class_of_an_error_may_be_asked_for():
    assert run_text(page(("python raises=LookupError", "{}[1]"))) == ["LookupError: 1"]


def test_an_error_that_does_not_come_is_one():
    with pytest.raises(AssertionError, match="ValueError was not raised"):
        run_text(page(("python raises=ValueError", 'int("10")')))


def test_another_error_than_asked_for_is_not_hidden():
    with pytest.raises(ZeroDivisionError):
        run_text(page(("python raises=ValueError", "1 / 0")))


def test_a_block_that_needs_a_package_runs_only_where_it_is():
    run_text(page(("python needs=no_such_package", "1 / 0")))
    with pytest.raises(ZeroDivisionError):
        run_text(page(("python needs=numpy", "1 / 0")))


def test_commands_run_in_the_folder_of_the_page(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    run_text(page(("sh", "echo hello > greeting.txt"), ("python", 'open("greeting.txt").close()')))
    with pytest.raises(AssertionError, match=r"page.md:2 ends with 1"):
        run_text(page(("sh", "false | cat")))


def test_tracebacks_name_the_line_of_the_page():
    with pytest.raises(SyntaxError) as caught:
        run_text("Text\n\n" + page(("python", "a b")))
    assert caught.value.lineno == 4
