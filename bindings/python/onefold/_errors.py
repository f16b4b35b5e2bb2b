# SPDX-License-Identifier: Apache-2.0
"""Messages of the library name its fields; here they name the arguments of this package."""
import re
from collections.abc import Iterator
from contextlib import contextmanager

ARGUMENTS = {"clusters": "n_clusters", "dims": "n_components", "anchors": "n_anchors",
             "restarts": "n_init", "tolerance": "tol", "max_iterations": "max_iter",
             "seed": "random_state", "threads": "n_jobs"}


def arguments_named(sentence: str) -> str:
    """The message with the names of arguments in place of the library's fields."""
    return re.sub(r"`(\w+)`", lambda m: f"`{ARGUMENTS.get(m[1], m[1])}`", sentence)


@contextmanager
def translated() -> Iterator[None]:
    """Raises errors of the library with the names of arguments."""
    try:
        yield
    except (ValueError, MemoryError, OSError, NotImplementedError, RuntimeError) as error:
        if len(error.args) == 1 and isinstance(error.args[0], str):
            error.args = (arguments_named(error.args[0]),)
        raise
