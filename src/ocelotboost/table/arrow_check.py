"""Is Arrow data what it says? Nobody has looked when it was read from a file or a stream.

pyarrow alone knows how large its buffers are, and can look by itself. What it costs decides when:
the sizes of buffers against the lengths of arrays are compared for whatever is read, contents
(offsets, indices of dictionaries) only where they are read value by value. Texts that are hashed
are checked by the kernels that hash them.
"""

from __future__ import annotations

from typing import Any

from ocelotboost.errors import InputError
from ocelotboost.table.values import capital


def is_arrow_dtype(dtype: Any) -> bool:
    """Is it a dtype of a pandas column that holds an Arrow array?"""
    return hasattr(dtype, "pyarrow_dtype") or getattr(dtype, "storage", None) == "pyarrow"


def check_arrow(holder: Any, what: str, *, contents: bool = False) -> None:
    """Raise InputError about ``what`` when a pyarrow object, or a pandas column of one, is damaged.

    Anything else is left alone.
    """
    if is_arrow_dtype(getattr(holder, "dtype", None)):
        holder = getattr(holder, "array", holder).__arrow_array__()
    if not type(holder).__module__.startswith("pyarrow.") or not hasattr(holder, "validate"):
        return
    try:
        holder.validate(full=contents)
    except Exception as error:
        raise damaged(what, error) from error


def damaged(what: str, error: Exception) -> InputError:
    return InputError(
        f"{capital(what)} is damaged Arrow data ({error}): read or make it again; pyarrow's "
        ".validate(full=True) finds what is wrong."
    )
