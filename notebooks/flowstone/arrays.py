# SPDX-License-Identifier: Apache-2.0
"""Names of types that many signatures have."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Union

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]
Columns = dict[str, Array]
Words = npt.NDArray[np.uint64]
Message = Union[bytes, bytearray, memoryview]
Names = Iterable[str]
