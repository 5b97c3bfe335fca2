# SPDX-License-Identifier: Apache-2.0
"""Where packets stood in their rings: a stream and a position, by which results name a packet."""

from __future__ import annotations

import numpy as np

from .arrays import Array


def rows_at(batches: Array, batch_of: Array, stream: int | str, position: int) -> Array:
    """Rows of the packets at that position of the stream, in a table whose packets came in batches (packets.BATCH) as batch_of says.

    Batches say the positions of their first and their last packet. Those between are known where none is missing; where that does
    not tell the packet, this is a ValueError and not a packet that may be another one.
    """
    number = np.uint64(int(stream, 16) if isinstance(stream, str) else stream)
    steps = np.uint64(position) - batches["first_position"]  # of what begins later: more than any span
    holds = (batches["stream"] == number) & (batches["count"] > 0) & (steps <= batches["position_span"])
    rows = [_row_in(batches[batch], np.flatnonzero(batch_of == batch), int(steps[batch])) for batch in np.flatnonzero(holds)]
    return np.array(rows, dtype=np.int64)


def _row_in(batch: Array, rows: Array, step: int) -> int:
    count, span = int(batch["count"]), int(batch["position_span"])
    if len(rows) != count or rows[-1] - rows[0] != count - 1:
        raise ValueError(f"of a batch of {count:,} packets {len(rows):,} are here, or not in their order: ask the table that was read")
    if step == span:
        return int(rows[-1])
    if step > 0 and span != count - 1:
        raise ValueError(f"a batch of {count:,} packets chosen from {span + 1:,} positions does not say which these are: rings do")
    return int(rows[step])
