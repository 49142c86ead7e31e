"""The protocol of `verify audit`, for the adapters of this folder: dpverify.audit, from the
Python package of this repository, which need not be installed."""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "python"))

from dpverify.audit import (  # noqa: E402
    VARIANCES,
    Unsupported,
    deviation,
    leaves,
    number,
    only,
    serve,
    subsampled_gaussian,
    unsupported,
    version,
)

__all__ = [
    "VARIANCES",
    "Unsupported",
    "deviation",
    "leaves",
    "number",
    "only",
    "serve",
    "subsampled_gaussian",
    "unsupported",
    "version",
]
