# SPDX-License-Identifier: Apache-2.0
"""The library's sentences name its own fields; here they name the arguments of this package."""
import re
from collections.abc import Iterator
from contextlib import contextmanager

ARGUMENTS = {"clusters": "n_clusters", "dims": "n_components", "anchors": "n_anchors",
             "restarts": "n_init", "tolerance": "tol", "max_iterations": "max_iter",
             "seed": "random_state", "threads": "n_jobs"}


def arguments_named(sentence: str) -> str:
    """The sentence with the names of arguments in the place of the library's fields."""
    return re.sub(r"`(\w+)`", lambda m: f"`{ARGUMENTS.get(m[1], m[1])}`", sentence)


@contextmanager
def translated() -> Iterator[None]:
    """Raises what the library raises, in this package's words."""
    try:
        yield
    except (ValueError, MemoryError, OSError, NotImplementedError, RuntimeError) as error:
        if len(error.args) == 1 and isinstance(error.args[0], str):
            error.args = (arguments_named(error.args[0]),)
        raise
