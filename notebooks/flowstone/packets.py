# SPDX-License-Identifier: Apache-2.0
"""Packets of many messages, column by column, with what is known of the messages that they came in."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar, overload

import numpy as np

from . import layouts
from .arrays import Array, Message, Names
from .batch import DESCRIPTOR_PARTS, FRAME_LENGTH, PACKET, BatchHeader, decode, descriptor_part, full_times, read_header
from .columns import Decoded
from .places import rows_at
from .tuples import TUPLE, TUPLE_FIELDS, join_tuples

if TYPE_CHECKING:
    import pandas
    import pyarrow

COLUMNS: tuple[str, ...] = PACKET.names or ()
"""Names of all columns."""

GROUP_COLUMNS = ("time_ns", "source_address", "destination_address", "source_port", "destination_port", "protocol", "frame_length")
"""What groups are made of: whoever wants no more has a topic read nearly twice as fast."""

BATCH = np.dtype(
    [
        ("partition", "i4"),
        ("offset", "i8"),
        ("ring", "u2"),
        ("stream", "u8"),
        ("rule", "u2"),
        ("rule_name", "U64"),
        ("incarnation", "u8"),
        ("first_position", "u8"),
        ("position_span", "u4"),
        ("count", "u4"),
        ("weight", "u4"),
        ("time_base_ns", "i8"),
        ("lost_before", "u8"),
        ("lost_before_tap", "u8"),
        ("clock_trusted", "?"),
    ]
)
"""A row of Packets.batches; the page of the packet batch header explains each field. What did not come from Kafka has the
partition and the offset -1."""

_T = TypeVar("_T")

_ALWAYS = {"weight"}
_TUPLE_COLUMNS = frozenset(TUPLE_FIELDS)
_STORED = {"time_low": "time_ns"}


class Packets:
    """A table of packets: packets["frame_length"] is a column, packets[mask] a table of fewer packets.

    Columns are those of batch.PACKET, as NumPy arrays in the same order; changing one changes nothing in the table. A table of
    fewer packets keeps batches, losses and all: they belong to what was read.
    """

    def __init__(
        self,
        fields: dict[str, Array],
        tuples: Array,
        tuple_of: Array,
        batches: Array,
        batch_of: Array,
        names: Names,
        unreadable: int = 0,
    ):
        self._fields = fields
        self._names = tuple(name for name in COLUMNS if name in frozenset(names) | _ALWAYS)
        self.tuples = tuples
        """The 5-tuples of the packets (tuples.TUPLE); one may stand there twice."""
        self.tuple_of = tuple_of
        """The row in tuples of each packet."""
        self.batches = batches
        """A row (BATCH) for each message that was read, those too that only tell of losses."""
        self.batch_of = batch_of
        """The row in batches of each packet."""
        self.unreadable = unreadable
        """Messages that were skipped because they are not packet batches."""
        self._made: dict[Callable[[Packets], Any], Any] = {}

    def __len__(self) -> int:
        return len(self.batch_of)

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the columns that were read."""
        return self._names

    @overload
    def __getitem__(self, chosen: str) -> Array: ...
    @overload
    def __getitem__(self, chosen: slice | Array | Sequence[int]) -> Packets: ...

    def __getitem__(self, chosen: str | slice | Array | Sequence[int]) -> Array | Packets:
        if isinstance(chosen, str):
            return self._column(chosen)
        rows = chosen if isinstance(chosen, slice) else np.asarray(chosen)
        if not isinstance(rows, slice) and rows.ndim != 1:
            raise TypeError(f"packets are chosen by a slice, a mask or a list of rows, as packets[[3]]: {chosen!r}")
        fields = {name: values[rows] for name, values in self._fields.items()}
        tuples, tuple_of = _those_named(self.tuples, self.tuple_of[rows])
        return Packets(fields, tuples, tuple_of, self.batches, self.batch_of[rows], self._names, self.unreadable)

    def once(self, make: Callable[[Packets], _T]) -> _T:
        """What that makes of this table: made when it is asked for first, and kept, since a table never changes."""
        if make not in self._made:
            self._made[make] = make(self)
        return self._made[make]

    def require(self, names: Names) -> None:
        """Raises KeyError where one of these columns was not read."""
        missing = [name for name in names if name not in self._names]
        if missing:
            raise KeyError(f"no column {', '.join(map(repr, missing))} was read; there are {', '.join(self._names)}")

    def _column(self, name: str) -> Array:
        self.require([name])
        if name == "weight":
            return self.batches["weight"][self.batch_of]
        if name in _TUPLE_COLUMNS:
            return self.tuples[name].take(self.tuple_of, axis=0)
        if name in DESCRIPTOR_PARTS and name not in self._fields:
            return descriptor_part(self._fields["descriptor"], name)
        return self._fields[name].copy()

    def _stored(self, name: str) -> Array:
        return self._fields[name] if name in self._fields else self._column(name)

    @property
    def lost_before(self) -> int:
        """Packets that the full ring dropped, or a reader passed over, as all batches tell."""
        return int(self.batches["lost_before"].sum())

    @property
    def lost_before_tap(self) -> int:
        """Packets that never reached the tap, as all batches tell."""
        return int(self.batches["lost_before_tap"].sum())

    @property
    def repeated(self) -> int:
        """Packets of batches that begin no later than an earlier one of the same stream, incarnation, rule and weight ended.

        At-least-once delivery tells some packets again after a failure. Exactly-once does not, to a reader that is
        read_committed, as consume() is.
        """
        ends: dict[tuple[Any, ...], int] = {}
        again = 0
        keys = self.batches[["stream", "incarnation", "rule", "rule_name", "weight"]].tolist()
        places = zip(keys, *(self.batches[name].tolist() for name in ("first_position", "position_span", "count")))
        for key, first, span, count in places:
            if count > 0:
                again += count if first <= ends.get(key, -1) else 0
                ends[key] = max(ends.get(key, -1), first + span)
        return again

    def at(self, stream: int | str, position: int) -> Packets:
        """The packet at a place, as alerts name it: a table of one packet, or of none where it was not read.

        stream is a number, or 16 hexadecimal digits as results have it. Two packets have one place where one was told twice, or a
        tap was started anew; batches tell their incarnations. Ask the table that was read: a part of it, and messages of packets that
        a rule chose, seldom know positions, which is a ValueError.
        """
        return self[rows_at(self.batches, self.batch_of, stream, position)]

    def to_array(self) -> Array:
        """One structured array of batch.PACKET, as read_batch gives; of the columns that were read."""
        array = np.empty(len(self), dtype=[(name, PACKET[name]) for name in self._names])
        for name in self._names:
            array[name] = self._column(name)
        return array

    def to_pandas(self, columns: Names | None = None, addresses: str = "text") -> pandas.DataFrame:
        """A DataFrame with the time as time, of pandas' own type; see frames.to_pandas."""
        from . import frames

        return frames.to_pandas(self, columns, addresses)

    def to_arrow(self, columns: Names | None = None, addresses: str = "text") -> pyarrow.Table:
        """An Arrow table; see frames.to_arrow."""
        from . import frames

        return frames.to_arrow(self, columns, addresses)

    def __repr__(self) -> str:
        span = ""
        if "time_ns" in self._names and len(self) > 0:
            times = self._fields["time_ns"]
            first, last = (np.datetime64(int(time), "ns") for time in (times.min(), times.max()))
            span = f" from {first} to {last}"
        lost = f"lost before them {self.lost_before:,}, before the tap {self.lost_before_tap:,}"
        return f"{len(self):,} packets of {len(self.batches):,} batches{span}; {lost}"


def fields_for(names: Names | None) -> tuple[tuple[str, ...], frozenset[str]]:
    """The names of columns, all of them for None, and the fields of packet records that these are made of."""
    wanted = COLUMNS if names is None else tuple(names)
    unknown = sorted(set(wanted) - set(COLUMNS))
    if unknown:
        raise ValueError(f"no column {', '.join(map(repr, unknown))}; there are {', '.join(COLUMNS)}")
    fields = {"time_low" if name == "time_ns" else name for name in wanted} - _ALWAYS
    if not fields.isdisjoint(set(DESCRIPTOR_PARTS) - {FRAME_LENGTH}):
        fields = fields.difference(DESCRIPTOR_PARTS) | {"descriptor"}
    return wanted, frozenset(fields)


class PacketsBuilder:
    """Gathers the packets of one batch after the other and puts them together once."""

    def __init__(self, names: Names | None = None):
        self._names, self.wanted = fields_for(names)
        self._pieces: list[Decoded] = []
        self._batches: list[tuple[Any, ...]] = []
        self._tuple_count = 0
        self.count = 0
        self.unreadable = 0
        """Messages that were skipped since the last table."""

    def add_message(
        self,
        message: Message,
        header: BatchHeader,
        partition: int = -1,
        offset: int = -1,
        rule_name: str = "",
    ) -> None:
        """The packets of a message."""
        self.add(decode(message, header, self.wanted), header, partition, offset, rule_name)

    def add(self, decoded: Decoded, header: BatchHeader, partition: int = -1, offset: int = -1, rule_name: str = "") -> None:
        """Packets that are decoded, and all that is said of them."""
        fields = {
            name: values.astype(_stored_type(name), copy=False) for name, values in decoded.fields.items() if name in self.wanted
        }
        if "time_low" in fields:
            fields["time_ns"] = full_times(fields.pop("time_low"), header.time_base_ns)
        tuple_of = (decoded.tuple_of + self._tuple_count).astype(_index_type(self._tuple_count + len(decoded.tuples)))
        self._pieces.append(Decoded(decoded.tuples, tuple_of, fields))
        self._tuple_count += len(decoded.tuples)
        self._batches.append(
            (
                partition,
                offset,
                header.ring,
                header.stream,
                header.rule,
                rule_name,
                header.incarnation,
                header.first_position,
                header.position_span,
                header.count,
                header.sampling_weight,
                np.uint64(header.time_base_ns).astype(np.int64),
                header.lost_before,
                header.lost_before_tap,
                header.clock_trusted,
            )
        )
        self.count += len(decoded.tuple_of)

    def build(self) -> Packets:
        """All packets so far; what is added later goes into the next table."""
        pieces, batches = self._pieces, np.array(self._batches, dtype=BATCH)
        unreadable = self.unreadable
        self._pieces, self._batches, self._tuple_count, self.count, self.unreadable = [], [], 0, 0, 0
        stored = [_STORED.get(name, name) for name in sorted(self.wanted - _TUPLE_COLUMNS)]
        fields = {name: _joined([piece.fields[name] for piece in pieces], _stored_type(name)) for name in stored}
        tuples = join_tuples([piece.tuples for piece in pieces])
        tuple_of = _joined([piece.tuple_of for piece in pieces], np.dtype(np.int32))
        counts = [len(piece.tuple_of) for piece in pieces]
        batch_of = np.repeat(np.arange(len(pieces), dtype=_index_type(len(pieces))), counts)
        return Packets(fields, tuples, tuple_of, batches, batch_of, self._names, unreadable)


def _those_named(tuples: Array, tuple_of: Array) -> tuple[Array, Array]:
    """Only the tuples that rows name, where these are few: else a part of a table would hold all of the whole's."""
    if len(tuple_of) >= len(tuples):
        return tuples, tuple_of
    kept, codes = np.unique(tuple_of, return_inverse=True)
    return tuples.take(kept), codes.astype(tuple_of.dtype)


def _stored_type(name: str) -> np.dtype[Any]:
    return PACKET[name] if name in COLUMNS else layouts.PACKET_RECORD[name]


def _index_type(count: int) -> np.dtype[Any]:
    return np.dtype(np.int32 if count < 1 << 31 else np.int64)


def _joined(arrays: list[Array], kind: np.dtype[Any]) -> Array:
    return np.concatenate(arrays) if arrays else np.empty(0, dtype=kind)


def read_batches(messages: Iterable[Message | None], columns: Names | None = None, verify_checksum: bool = True) -> Packets:
    """The packets of messages, of which Kafka's tombstones (None) are passed over."""
    builder = PacketsBuilder(columns)
    for message in messages:
        header = read_header(message, verify_checksum)
        if message is not None and header is not None:
            builder.add_message(message, header)
    return builder.build()


def packets_of(values: dict[str, Array], batches: Array, batch_of: Array) -> Packets:
    """A table of columns that are there; its batches know the weights."""
    tuples = np.zeros(len(batch_of), dtype=TUPLE)
    for name in _TUPLE_COLUMNS.intersection(values):
        tuples[name] = values[name]
    fields = {name: column for name, column in values.items() if name not in _TUPLE_COLUMNS | _ALWAYS | set(DESCRIPTOR_PARTS)}
    fields["descriptor"] = np.zeros(len(batch_of), dtype=np.uint32)
    for name in set(DESCRIPTOR_PARTS).intersection(values):
        _, lowest_bit, _ = DESCRIPTOR_PARTS[name]
        fields["descriptor"] |= values[name].astype(np.uint32) << np.uint32(lowest_bit)
    return Packets(fields, tuples, np.arange(len(batch_of)), batches, batch_of, values)


def concatenate(tables: Iterable[Packets]) -> Packets:
    """Packets of several tables in their order, with the columns that all of them have."""
    parts = list(tables)
    if not parts:
        return PacketsBuilder().build()
    names = [name for name in parts[0].columns if all(name in part.columns for part in parts)]
    _, wanted = fields_for(names)
    stored = [_STORED.get(name, name) for name in wanted - _TUPLE_COLUMNS]
    fields = {name: np.concatenate([part._stored(name) for part in parts]) for name in stored}
    tuples, batches = join_tuples([part.tuples for part in parts]), np.concatenate([part.batches for part in parts])
    tuple_of = _moved([part.tuple_of for part in parts], [len(part.tuples) for part in parts])
    batch_of = _moved([part.batch_of for part in parts], [len(part.batches) for part in parts])
    return Packets(fields, tuples, tuple_of, batches, batch_of, names)


def _moved(rows: list[Array], counts: list[int]) -> Array:
    """Rows of tables of so many rows, as they are when these stand one below the other."""
    kind = _index_type(sum(counts))
    firsts = np.cumsum([0] + counts[:-1])
    return np.concatenate([row + kind.type(first) for row, first in zip(rows, firsts)])
