"""The losses of the library: the class of a loss says all there is to know about it.

What users write, the metric of the same name, the loops in C++ and the table in
docs/losses_and_metrics.md follow from the class. Defining it is registering it.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar

from ocelotboost.kernels.contract import LossKind
from ocelotboost.loss.base import Loss, NativeLoss
from ocelotboost.loss.links import SOFTMAX, Link
from ocelotboost.loss.names import NumberParameter, fill_parameters, number_text


@dataclass(frozen=True)
class DeclaredLoss(Loss):
    """A loss that users choose by name, which is that of its class.

    In addition to ``link`` and ``leaf_rule``, which every loss has:

    estimators   the kinds of model that take it: "classifier", "regressor"
    purpose      what it is for
    kernel       its number in C++; None: C++ has no loops for it, or loops of another form
    judges       links of the models that its metric can judge; not given: its own
    other_names  what other libraries call it, in lower case

    Numbers that follow the name, as in ``"Quantile:alpha=0.9"``, are fields made by ``number``.
    """

    estimators: ClassVar[tuple[str, ...]]
    purpose: ClassVar[str]
    kernel: ClassVar[LossKind | None] = None
    judges: ClassVar[tuple[Link, ...]]
    other_names: ClassVar[tuple[str, ...]] = ()

    #: All that have been defined, by name.
    declared: ClassVar[dict[str, type[DeclaredLoss]]] = {}

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        missing = [name for name in ("link", "estimators", "purpose") if not hasattr(cls, name)]
        if missing:
            raise TypeError(f"The loss {cls.__name__} does not declare {', '.join(missing)}.")
        if cls.__name__ in DeclaredLoss.declared:
            raise TypeError(f"There is a loss {cls.__name__} already.")
        if not hasattr(cls, "judges"):
            cls.judges = (cls.link,)
        DeclaredLoss.declared[cls.__name__] = cls

    @classmethod
    def parameters(cls) -> tuple[NumberParameter, ...]:
        """The numbers that may follow its name."""
        return tuple(
            field.metadata["number"](field.name)
            for field in dataclasses.fields(cls)
            if "number" in field.metadata
        )

    @classmethod
    def of(cls, given: Mapping[str, float], n_classes: int = 1) -> DeclaredLoss:
        """The loss with these parameters; ``n_classes`` is for one that has an output per class."""
        make: Callable[..., DeclaredLoss] = cls
        numbers = fill_parameters(cls.__name__, given, cls.parameters())
        return make(**numbers, n_outputs=n_classes) if cls.link is SOFTMAX else make(**numbers)

    @property
    def name(self) -> str:
        numbers = (f"{p.name}={number_text(getattr(self, p.name))}" for p in self.parameters())
        return ":".join([type(self).__name__, *filter(None, [";".join(numbers)])])

    @property
    def native(self) -> NativeLoss | None:
        if self.kernel is None:
            return None
        return NativeLoss(self.kernel, *(getattr(self, p.name) for p in self.parameters()))


def number(*, above: float, below: float, default: float | None = None) -> Any:
    """A field for a number between ``above`` and ``below``; without a default it must be given."""
    parameter = partial(NumberParameter, low=above, high=below, default=default)
    by_default = dataclasses.MISSING if default is None else default
    return dataclasses.field(default=by_default, metadata={"number": parameter})
