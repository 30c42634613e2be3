"""Trained models have the bits they had: on any machine, for any number of threads."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tools.fingerprint import TRAININGS, fingerprint_of

KNOWN = json.loads((Path(__file__).parent / "fingerprints.json").read_text(encoding="utf-8"))


def test_every_training_has_a_fingerprint():
    assert list(KNOWN) == list(TRAININGS)


@pytest.mark.parametrize("name", TRAININGS)
def test_a_model_keeps_its_bits(name):
    assert fingerprint_of(name) == KNOWN[name], "if this is meant: python -m tools.fingerprint"
