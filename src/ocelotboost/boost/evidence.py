"""What the structure of a tree is chosen by: gradients, and who may learn from whom."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Evidence:
    """Gradients of the rows of one parcel at one model, or at the models of an ordering's segments.

    gradients  float32 (n_gradients, n), weights not included. Plain: one per output. Ordered: those
               of ``own``, then of the models of later segments, the last first; 0 where a segment
               does not know a row
    own        float32 (n_outputs, n) of them: at the model that a row is compared with
    weight     float32 (n,), or None when all weigh 1
    places     of the parcel
    rows       uint32 (n,) the place of the row that each entry of the arrays above is about; None:
               in the order of places
    eras       uint32 (n_eras + 1,) entries [eras[e], eras[e + 1]) are of era e
    """

    gradients: NDArray[np.float32]
    own: NDArray[np.float32]
    weight: NDArray[np.float32] | None
    places: slice
    rows: NDArray[np.uint32] | None
    eras: NDArray[np.uint32]
