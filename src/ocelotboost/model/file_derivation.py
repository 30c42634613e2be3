"""Columns of dates and derived columns as JSON fields and back."""

from __future__ import annotations

from typing import Any

from ocelotboost.model.file_arrays import Fields
from ocelotboost.table.formulas import NOTHING_DERIVED, Derivation, Formula, TimeKind


def derivation_fields(derivation: Derivation) -> Fields:
    """The fields ``times`` and ``derived``."""
    return {
        "times": [
            {"column": column, "holds": kind.what, "zone": kind.zone}
            for column, kind in sorted(derivation.times.items())
        ],
        "derived": [
            {"kind": formula.kind, "sources": list(formula.sources)}
            for formula in derivation.formulas
        ],
    }


def derivation_of(fields: Fields) -> Derivation:
    """What ``derivation_fields`` made fields of; nothing, where a file has none."""
    if "times" not in fields:
        return NOTHING_DERIVED
    times: dict[int, TimeKind] = {}
    for own in fields["times"]:
        _exactly(own, {"column", "holds", "zone"})
        if own["column"] in times:
            raise ValueError(f"the column {own['column']} holds times twice")
        times[own["column"]] = TimeKind(own["holds"], own["zone"])
    formulas = []
    for own in fields["derived"]:
        _exactly(own, {"kind", "sources"})
        formulas.append(Formula(own["kind"], tuple(own["sources"])))
    return Derivation(times, tuple(formulas))


def _exactly(found: Any, keys: set[str]) -> None:
    if not isinstance(found, dict) or found.keys() != keys:
        raise ValueError(f"{str(found)[:80]} does not have the fields {sorted(keys)}")
