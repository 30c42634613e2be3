"""In a terminal there is a bar, and Ctrl-C saves the trees so far."""

from __future__ import annotations

import os
import subprocess
import sys
import time

import pytest

from ocelotboost import load_model
from tests.cli.conftest import COMMAND, run

pty = pytest.importorskip("pty")


def in_terminal(arguments, *, interrupt_at=None, seconds=120):
    """What a terminal shows, and the exit code; Ctrl-C once the text has appeared."""
    process, terminal = pty.fork()
    if process == 0:
        os.environ.update(TERM="xterm-256color", COLUMNS="100")
        os.execv(COMMAND, [COMMAND, *map(str, arguments)])
    shown, deadline = b"", time.monotonic() + seconds
    try:
        while time.monotonic() < deadline:
            try:
                read = os.read(terminal, 1 << 16)
            except OSError:  # the other side was closed
                break
            if not read:
                break
            shown += read
            if interrupt_at is not None and interrupt_at in shown:
                os.write(terminal, b"\x03")
                interrupt_at = None
    finally:
        os.close(terminal)
    return shown.decode(errors="replace"), os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])


def test_a_bar_and_the_summary(folder, tmp_path):
    arguments = ["train", folder / "sales.csv", "-t", "sold", "--iterations", "30"]
    shown, code = in_terminal([*arguments, "-o", tmp_path / "m.ocelot"])
    assert code == 0
    assert "━" in shown
    assert "30/30" in shown
    assert "\x1b[" in shown
    assert "Saved" in shown


def test_ctrl_c_saves_the_trees_so_far(folder, tmp_path):
    path = tmp_path / "m.ocelot"
    arguments = ["train", folder / "sales.csv", "-t", "sold", "--iterations", "1000000"]
    shown, code = in_terminal([*arguments, "-o", path], interrupt_at=b"/1000000")
    assert code == 130
    assert "Interrupted: the trees so far are saved." in shown
    assert 0 < load_model(path).n_iter_ < 1_000_000


def test_help_does_not_wait_for_scikit_learn():
    code = "import sys, ocelotboost.cli; ocelotboost.cli.main(['--help']);"
    code += "print(sorted({'sklearn', 'pyarrow', 'numpy'} & set(sys.modules)), file=sys.stderr)"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
    assert ran.stderr.decode().strip() == "[]"
    assert "train" in ran.stdout.decode()


def test_the_package_does_not_import_typer():
    code = "import sys; from ocelotboost import OcelotClassifier; print('typer' in sys.modules)"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
    assert ran.stdout.strip() == b"False"


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_shells_complete_commands_options_and_values(shell, monkeypatch):
    def completed(words):
        monkeypatch.setenv("_OCELOT_COMPLETE", f"complete_{shell}")
        monkeypatch.setenv("COMP_WORDS", f"ocelot {words}")
        monkeypatch.setenv("COMP_CWORD", str(len(words.split())))
        monkeypatch.setenv("_TYPER_COMPLETE_ARGS", f"ocelot {words}")
        monkeypatch.setenv("_TYPER_COMPLETE_FISH_ACTION", "get-args")
        return run().stdout.decode()

    assert "train" in completed("tr")
    if shell == "bash":  # what is completed is the same for all of them
        assert "--learning-rate" in completed("train --learn")
        assert "Ordered" in completed("train --boosting-type O")


WITHOUT = """
import sys
class Nothing:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in ("pyarrow", "pandas", "polars"):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
sys.meta_path.insert(0, Nothing())
from ocelotboost.cli import main
sys.exit(main(sys.argv[1:]))
"""


def test_without_pyarrow_the_demo_works_and_files_ask_for_it(folder):
    python = [sys.executable, "-c", WITHOUT]
    demo = [*python, "demo", "--rows", "600", "--iterations", "5", "-q"]
    assert b"the same bits" in subprocess.run(demo, capture_output=True, check=True).stdout
    command = [*python, "predict", folder / "sold.ocelot", folder / "new.csv"]
    ran = subprocess.run(command, capture_output=True, check=False)
    assert ran.returncode == 2
    assert b"pip install 'ocelot-boost[files]'" in ran.stderr
    assert ran.stderr.count(b"\n") == 1
