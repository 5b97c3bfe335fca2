# SPDX-License-Identifier: Apache-2.0
"""The columnar body of a packet batch: bit-packed columns to records, without a loop over packets.

The page of the columnar body says what each column means; names here are the names there.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from . import layouts
from .arrays import Array, Columns, Names
from .errors import BatchError
from .flowhash import flow_hashes
from .tuples import TUPLE, TUPLE_FIELDS, tuple_words, tuples_of

COLUMN_NAMES = [column.name.lower() for column in layouts.PacketColumns]
TAIL_BYTES = layouts.PACKET_COLUMNS_HEADER_TAIL_BYTES
LEVELS = layouts.PACKET_COLUMN_LEVELS
TCP, UDP = 6, 17
FIN, SYN = 0x01, 0x02
_PAIR_COLUMNS = layouts.PacketColumns.PROTOCOL + 1
_FLOW_COLUMNS = layouts.PacketColumns.FIRST_FROM_B + 1
_PROFILE_COLUMNS = layouts.PacketColumns.DESCRIPTOR_HIGH + 1
_DIRECTION_COLUMNS = layouts.PacketColumns.FIRST_ACKNOWLEDGEMENT + 1
_PACKET_COLUMNS = layouts.PacketColumns.PAYLOAD_LENGTH + 1
_U32 = np.uint32

# So many numbers are unpacked with the fewest calls, more of them with the fewest passes over memory.
_FEW = 1024
_NUMBERS = np.arange(_FEW)
# Widths of whole bytes, at which NumPy knows numbers as they lie there.
_WHOLE_BYTES = {8: "<u1", 16: "<u2", 32: "<u4"}

FIELDS: tuple[str, ...] = layouts.PACKET_RECORD.names or ()
_SEQUENCES = {"sequence", "acknowledgement"}
_TRAITS = {"time_to_live", "type_of_service", "descriptor"}
_LENGTHS = {"frame_length", "descriptor"}  # frame_length alone costs half of what the whole descriptor does
_OF_PROFILES = {"tcp_window", *_TRAITS, *_LENGTHS, *_SEQUENCES}

# Columns by which rows of the tables name one another, and what tuples are made of.
_LINKS = {*COLUMN_NAMES[:_FLOW_COLUMNS], "direction_flow", "direction"}
# Fields, and the further columns that each of them needs.
_MADE_OF = (
    ({"time_low"}, {"time"}),
    ({"tcp_flags", *_SEQUENCES}, {"tcp_flags"}),
    ({"payload_length", *_LENGTHS, *_SEQUENCES}, {"payload_length"}),
    (_OF_PROFILES, {"direction_profile"}),
    ({"tcp_window"}, {"profile_window", "window_step"}),
    (_TRAITS, {"time_to_live", "type_of_service", "descriptor_high", "trait_step"}),
    (_LENGTHS, {"profile_overhead", "overhead_step"}),
    (_SEQUENCES, {"first_sequence", "first_acknowledgement", "sequence", "acknowledgement"}),
)

# Columns of versions 1 and 2 that have another name today.
_TODAY = {
    "first_window": "profile_window",
    "first_overhead": "profile_overhead",
    "window": "window_step",
    "overhead": "overhead_step",
    "traits": "trait_step",
}
_VERSION_2_NAMES = [_TODAY.get(column.name.lower(), column.name.lower()) for column in layouts.PacketColumns2]


@dataclass(frozen=True)
class Rows:
    """How many rows the tables of a message have."""

    pairs: int
    flows: int
    profiles: int
    directions: int
    packets: int

    def of(self, column: int) -> int:
        """Rows of a column."""
        if column < _PAIR_COLUMNS:
            return self.pairs
        if column < _FLOW_COLUMNS:
            return self.flows
        if column < _PROFILE_COLUMNS:
            return self.profiles
        if column < _DIRECTION_COLUMNS:
            return self.directions
        return self.packets if column < _PACKET_COLUMNS else self.packets - self.directions

    def require_sane(self) -> None:
        """Each table has as many rows at most as the one whose rows take them."""
        _require(self.directions <= self.packets, "columns.direction_count", f"{self.directions} directions of {self.packets} packets")
        _require(self.flows <= self.directions, "columns.flow_count", f"{self.flows} flows of {self.directions} directions")
        _require(self.pairs <= self.flows, "columns.pair_count", f"{self.pairs} pairs of {self.flows} flows")
        _require(self.profiles <= self.directions, "columns.profile_count", f"{self.profiles} profiles of {self.directions} directions")


@dataclass(frozen=True)
class Decoded:
    """Packets column by column; tuples are those of the senders, of which each packet names one."""

    tuples: Array
    tuple_of: Array
    fields: Columns


def read_records(body: memoryview, version: int, count: int, time_base_ns: int) -> Array:
    """Packet records (layouts.PACKET_RECORD) of a columnar body, equal bit for bit to those that were encoded."""
    decoded = decode(body, version, count, time_base_ns)
    records = np.zeros(count, dtype=layouts.PACKET_RECORD)
    for name in TUPLE_FIELDS:
        records[name] = decoded.tuples[name].take(decoded.tuple_of, axis=0)
    for name in FIELDS:
        if name not in TUPLE_FIELDS:
            records[name] = decoded.fields[name]
    return records


def decode(body: memoryview, version: int, count: int, time_base_ns: int, wanted: Names = FIELDS) -> Decoded:
    """Of the fields of packet records, and frame_length, those that are wanted: little else is unpacked."""
    wanted = frozenset(wanted)
    read = _read_version_2 if version <= layouts.PACKET_BATCH_HEADER_VERSION_2 else read_columns
    columns, rows = read(body, count, _needed(wanted))
    fields = {}
    if "time_low" in wanted:
        fields["time_low"] = _U32(time_base_ns & 0xFFFFFFFF) + np.cumsum(columns["time"], dtype=_U32)
    if count == 0 or wanted <= {"time_low"}:
        return Decoded(np.zeros(1, dtype=TUPLE), np.zeros(count, dtype=np.int32), fields | _nothing(wanted, count))
    direction, is_first = _packet_directions(columns["direction"], rows.directions)
    pair = _taken(columns["flow_pair"], rows.pairs, "flow_pair", "pairs")
    flow, side, opposite = _directions(columns, rows)
    tuples = _tuples(columns, pair, flow, side.astype(bool), "flow_hash" in wanted)
    decoded = Decoded(tuples, direction, fields)
    if wanted & {"tcp_flags", *_SEQUENCES}:
        fields["tcp_flags"] = _tcp_flags(columns["tcp_flags"])
    if wanted & {"payload_length", *_LENGTHS, *_SEQUENCES}:
        fields["payload_length"] = columns["payload_length"] & _U32(0xFFFF)
    if wanted & _OF_PROFILES:
        profile = _taken(columns["direction_profile"], rows.profiles, "direction_profile", "profiles")
        walk = _DirectionWalk(direction, is_first)
        _put_profiled(fields, columns, walk, profile, wanted)
        if wanted & _SEQUENCES:
            _put_sequences(decoded, columns, walk, opposite)
    return decoded


def _nothing(wanted: frozenset[str], count: int) -> Columns:
    return {name: np.zeros(count, dtype=_U32) for name in wanted - {"time_low", *TUPLE_FIELDS}}


def _needed(wanted: frozenset[str]) -> frozenset[str]:
    """Names of the columns that the wanted fields are made of."""
    if wanted <= {"time_low"}:
        return frozenset({"time"}) if wanted else frozenset()
    needed = set(_LINKS)
    for fields, columns in _MADE_OF:
        if wanted & fields:
            needed |= columns
    return frozenset(needed)


def _tcp_flags(rotated: Array) -> Array:
    rotated = rotated.astype(np.uint8)
    return (rotated << np.uint8(3)) | (rotated >> np.uint8(5))


def _put_profiled(fields: Columns, columns: Columns, walk: _DirectionWalk, profile: Array, wanted: frozenset[str]) -> None:
    """What packets of many directions have in common: window, overhead and traits."""
    if "tcp_window" in wanted:
        window = walk.restore(columns["profile_window"][profile], _unzigzag(columns["window_step"]))
        fields["tcp_window"] = window & _U32(0xFFFF)
    if wanted & _LENGTHS:
        overhead = walk.restore(columns["profile_overhead"][profile], _unzigzag(columns["overhead_step"]))
        fields["frame_length"] = (overhead + fields["payload_length"]) & _U32(layouts.PACKET_RECORD_FRAME_LENGTH_MASK)
    if wanted & _TRAITS:
        first_traits = (
            (columns["time_to_live"] & _U32(0xFF))
            | (columns["type_of_service"] & _U32(0xFF)) << _U32(8)
            | columns["descriptor_high"] << _U32(16)
        )
        traits = walk.restore(first_traits[profile], _unzigzag(columns["trait_step"]))
        fields["time_to_live"] = traits.astype(np.uint8)
        fields["type_of_service"] = (traits >> _U32(8)).astype(np.uint8)
    if "descriptor" in wanted:
        high = (traits >> _U32(16)) << _U32(layouts.PACKET_RECORD_TRAFFIC_CLASS_SHIFT)
        fields["descriptor"] = fields["frame_length"] | high


def _put_sequences(decoded: Decoded, columns: Columns, walk: _DirectionWalk, opposite: Array) -> None:
    """Sequence and acknowledgement: sums along each direction, then the second directions hang on the first ones."""
    tuples, fields = decoded.tuples, decoded.fields
    payload, tcp_flags = fields["payload_length"], fields["tcp_flags"].astype(_U32)
    direction_is_tcp = tuples["protocol"] == TCP
    direction_is_udp = tuples["protocol"] == UDP
    advance = payload + (tcp_flags & _U32(FIN)) + ((tcp_flags & _U32(SYN)) >> _U32(1))
    advance[~direction_is_tcp[walk.direction]] = 0
    sequence_step = _unzigzag(columns["sequence"]) + walk.previous(advance)
    sequence = walk.restore(_unzigzag(columns["first_sequence"]), sequence_step)
    acknowledgement_step = _unzigzag(columns["acknowledgement"])
    first_acknowledgement = _unzigzag(columns["first_acknowledgement"])
    acknowledgement = walk.restore(first_acknowledgement, acknowledgement_step)

    # Until here all first values are differences from a prediction; add the predictions.
    expected_sequence = np.zeros(len(opposite), dtype=_U32)
    expected_acknowledgement = np.zeros(len(opposite), dtype=_U32)
    second = np.flatnonzero((opposite >= 0) & direction_is_tcp)
    latest = walk.latest_before(opposite[second], walk.first_packet[second])
    expected_sequence[second] = acknowledgement[latest]
    expected_acknowledgement[second] = (sequence + advance)[latest]
    ports = tuples["source_port"].astype(_U32) << _U32(16) | tuples["destination_port"]
    expected_sequence += np.where(direction_is_udp, ports, _U32(0))
    fields["sequence"] = sequence + expected_sequence[walk.direction]
    acknowledgement += expected_acknowledgement[walk.direction]

    udp = np.flatnonzero(direction_is_udp[walk.direction])
    difference = np.empty_like(acknowledgement)
    difference[walk.first_packet] = first_acknowledgement
    difference[walk.following] = acknowledgement_step
    acknowledgement[udp] = ((payload[udp] + _U32(8)) << _U32(16)) + difference[udp]
    fields["acknowledgement"] = acknowledgement


class _DirectionWalk:
    """Packets grouped by direction, in order within each: sums along a direction are one cumulative sum of all."""

    def __init__(self, direction: Array, is_first: Array):
        self.direction = direction
        self.first_packet = np.flatnonzero(is_first)
        self.following = np.flatnonzero(~is_first)
        # Numbers of two bytes are sorted by counting; a message has no more directions.
        self._order = np.argsort(direction.astype(np.uint16), kind="stable")
        self._place = np.empty_like(self._order)
        self._place[self._order] = np.arange(len(self._order))
        self._sorted_direction = direction[self._order]
        self._starts = np.flatnonzero(is_first[self._order])
        self._places_of_following = self._place[self.following]

    def restore(self, first_values: Array, steps: Array) -> Array:
        """Values of all packets from the first value of each direction and the steps of all following packets."""
        sums = np.empty(len(self.direction), dtype=_U32)
        sums[self._starts] = first_values
        sums[self._places_of_following] = steps
        np.cumsum(sums, dtype=_U32, out=sums)
        before = np.zeros(len(self._starts), dtype=_U32)
        before[1:] = sums[self._starts[1:] - 1]
        sums -= before[self._sorted_direction]
        return sums[self._place]

    def previous(self, values: Array) -> Array:
        """For each following packet, the value of the packet before it in its direction."""
        shifted = np.empty_like(values)
        shifted[self._order[1:]] = values[self._order[:-1]]
        return shifted[self.following]

    def latest_before(self, direction: Array, packet: Array) -> Array:
        """For pairs of direction and packet, the latest packet of that direction before that packet."""
        keys = self._sorted_direction * np.int64(len(self.direction)) + self._order
        key = direction.astype(np.int64) * len(self.direction) + packet
        return self._order[np.searchsorted(keys, key) - 1]


def _taken(codes: Array, table_rows: int, column: str, table: str) -> Array:
    """Codes into rows of another table: 0 takes the next, 1 + row one that was taken."""
    codes = codes.astype(np.int64)
    takes = codes == 0
    taken = np.cumsum(takes)
    place = f"column {column}"
    _require(np.count_nonzero(takes) == table_rows, place, f"{np.count_nonzero(takes)} {table} are taken, not {table_rows}")
    _require(np.all(codes <= taken), place, "a row names one that no row took before")
    return np.where(takes, taken - 1, codes - 1)


def _directions(columns: Columns, rows: Rows) -> tuple[Array, Array, Array]:
    """Flow, sending side and opposite direction (-1: none, or not yet) of every direction."""
    back = columns["direction_flow"].astype(np.int64)
    begins = back == 0
    begun = np.cumsum(begins)
    _require(begun[-1] == rows.flows, "column direction_flow", f"{begun[-1]} flows begin, not {rows.flows}")
    _require(np.all(back <= begun), "column direction_flow", "a row names a flow before the first")
    flow = np.where(begins, begun - 1, begun - back)
    first_direction = np.flatnonzero(begins)
    seconds = np.flatnonzero(~begins)
    opposite = np.full(rows.directions, -1, dtype=np.int64)
    opposite[seconds] = first_direction[flow[seconds]]
    _require(np.bincount(flow).max() <= 2, "column direction_flow", "a flow has three directions")
    side = (columns["first_from_b"] & _U32(1)).astype(np.int8)[flow] ^ ~begins
    return flow, side, opposite


def _packet_directions(code: Array, direction_count: int) -> tuple[Array, Array]:
    code = code.astype(np.int64)
    is_first = code == 0
    beginning = np.count_nonzero(is_first)
    _require(
        beginning == direction_count,
        "column direction",
        f"{beginning} of {len(code)} packets begin a direction, direction_count is {direction_count}",
    )
    begun = np.cumsum(is_first)
    _require(np.all(code <= begun), "column direction", "a row names a direction still to come")
    return np.where(is_first, begun - 1, code - 1), is_first


def _tuples(columns: Columns, pair: Array, flow: Array, from_b: Array, with_hash: bool) -> Array:
    """A tuple for each direction, of what its flow and its pair say."""
    a_addresses, b_addresses = (_addresses(columns, endpoint) for endpoint in ("a", "b"))
    a_port, b_port = ((columns[f"{endpoint}_port"] & _U32(0xFFFF)).astype(np.uint16) for endpoint in ("a", "b"))
    protocol = (columns["protocol"] & _U32(0xFF))[pair]
    flow_hash: Array = np.zeros(1, dtype=_U32)
    if with_hash:
        flow_hash = columns["flow_hash"] ^ flow_hashes(a_addresses, b_addresses, pair, a_port, b_port, protocol)
    a_of_flows, b_of_flows = (addresses.take(pair, axis=0) for addresses in (a_addresses, b_addresses))
    of_flows = np.concatenate(
        [
            tuple_words(a_of_flows, b_of_flows, a_port, b_port, protocol, flow_hash),
            tuple_words(b_of_flows, a_of_flows, b_port, a_port, protocol, flow_hash),
        ]
    )
    return tuples_of(of_flows.take(flow + len(pair) * from_b, axis=0))


def _addresses(columns: Columns, endpoint: str) -> Array:
    """As rows of two words whose bytes are those of the address."""
    words = np.stack([columns[f"{endpoint}_address_{i}"] for i in range(4)], axis=1)
    return words.byteswap().view(np.uint64)


def _unzigzag(numbers: Array) -> Array:
    return (numbers >> _U32(1)) ^ (_U32(0) - (numbers & _U32(1)))


def read_columns(body: memoryview, count: int, needed: frozenset[str] = frozenset(COLUMN_NAMES)) -> tuple[Columns, Rows]:
    """The columns that are needed of a body, by name, and the rows of its tables."""
    header = layouts.PACKET_COLUMNS_HEADER
    _require(len(body) >= header.itemsize + TAIL_BYTES, "body", f"{len(body)} bytes are too few for columns")
    counts = np.frombuffer(body, dtype=header, count=1)[0]
    pairs, flows, profiles, directions = (int(counts[f"{table}_count"]) for table in ("pair", "flow", "profile", "direction"))
    rows = Rows(pairs, flows, profiles, directions, count)
    rows.require_sane()
    reader = _ColumnReader(body, header.itemsize)
    columns = {}
    for index, name in enumerate(COLUMN_NAMES):
        if name in needed:
            columns[name] = reader.read(name, rows.of(index))
        else:
            reader.pass_over(name, rows.of(index))
    reader.finish()
    return columns, rows


def _read_version_2(body: memoryview, count: int, _needed: frozenset[str]) -> tuple[Columns, Rows]:
    """The same of versions 1 and 2: each flow has a pair of its own, and each direction a profile."""
    descriptors_at = layouts.PACKET_COLUMNS_2_HEADER.itemsize
    data_at = descriptors_at + len(_VERSION_2_NAMES) * layouts.PACKET_COLUMN_2.itemsize
    _require(len(body) >= data_at + TAIL_BYTES, "body", f"{len(body)} bytes are too few for the column descriptors")
    counts = np.frombuffer(body, dtype=layouts.PACKET_COLUMNS_2_HEADER, count=1)[0]
    flows, directions = int(counts["flow_count"]), int(counts["direction_count"])
    rows = Rows(flows, flows, directions, directions, count)
    rows.require_sane()
    descriptors = np.frombuffer(body, dtype=layouts.PACKET_COLUMN_2, count=len(_VERSION_2_NAMES), offset=descriptors_at)
    reader = _ColumnReader(body, data_at)
    columns = {}
    for name, descriptor in zip(_VERSION_2_NAMES, descriptors):
        base, exception_count, width, exception_width = (int(part) for part in descriptor.tolist())
        table_rows = rows.of(COLUMN_NAMES.index(name))
        columns[name] = reader.read_version_2(name, table_rows, base, exception_count, width, exception_width)
    reader.finish()
    columns["flow_pair"] = np.zeros(flows, dtype=_U32)
    columns["direction_profile"] = np.zeros(directions, dtype=_U32)
    columns["direction_flow"] = _backwards(columns["direction_flow"])
    return columns, rows


def _backwards(code: Array) -> Array:
    """Version 2 names the flow of a second direction by 1 + its row, today counts back from the next to begin."""
    begun = np.cumsum(code == 0)
    _require(np.all(code <= begun), "column direction_flow", "a row names a flow still to come")
    return np.where(code == 0, 0, begun - code + 1).astype(_U32)


class _ColumnReader:
    """Reads the data of one column after the other."""

    def __init__(self, body: memoryview, data_at: int):
        self._memory = body
        self._body = np.frombuffer(body, dtype=np.uint8)
        # A 64-bit word at every byte: entry i of a packed array is a shift and a mask of one of them.
        self._words = np.ndarray(len(body) - 7, dtype="<u8", buffer=body, strides=(1,))
        self._at = data_at
        self._end = len(body) - TAIL_BYTES

    def read(self, name: str, rows: int, level: int = 0, most_width: int = 32) -> Array:
        """A column, with the columns within it."""
        place = f"column {name}"
        shape = self._number(place, layouts.PACKET_COLUMN.itemsize)
        width = shape & layouts.PACKET_COLUMN_WIDTH_MASK
        _require(width <= most_width, place, f"width {width} where at most {most_width} bits are left")
        base = self._number(place, 4) if (shape >> layouts.PACKET_COLUMN_HAS_BASE_SHIFT) & 1 else 0
        values = self._unpack(place, rows, width)
        if base:
            values += _U32(base)
        if (shape >> layouts.PACKET_COLUMN_HAS_EXCEPTIONS_SHIFT) & 1:
            _require(level + 1 < LEVELS, place, f"more than {LEVELS} columns within one another")
            exception_count = self._number(place, 2)
            _require(0 < exception_count <= rows, place, f"{exception_count} exceptions in {rows} rows")
            where = self._exception_rows(place, rows, exception_count)
            high = self.read(name, exception_count, level + 1, most_width - width)
            values[where] += (high.astype(np.uint64) << np.uint64(width)).astype(_U32)
        return values

    def pass_over(self, name: str, rows: int, level: int = 0) -> None:
        """A column that nobody asked for."""
        place = f"column {name}"
        shape = self._number(place, layouts.PACKET_COLUMN.itemsize)
        self._take(place, 4 * ((shape >> layouts.PACKET_COLUMN_HAS_BASE_SHIFT) & 1))
        self._take(place, (rows * (shape & layouts.PACKET_COLUMN_WIDTH_MASK) + 7) // 8)
        if (shape >> layouts.PACKET_COLUMN_HAS_EXCEPTIONS_SHIFT) & 1:
            _require(level + 1 < LEVELS, place, f"more than {LEVELS} columns within one another")
            exception_count = self._number(place, 2)
            _require(0 < exception_count <= rows, place, f"{exception_count} exceptions in {rows} rows")
            self._take(place, (min(exception_count * (rows - 1).bit_length(), rows) + 7) // 8)
            self.pass_over(name, exception_count, level + 1)

    def read_version_2(
        self, name: str, rows: int, base: int, exception_count: int, width: int, exception_width: int
    ) -> Array:
        """A column of versions 1 and 2, whose descriptor stands elsewhere."""
        place = f"column {name}"
        _require(width + exception_width <= 32, place, f"widths {width} and {exception_width} are more than 32 bits")
        _require(exception_count <= rows, place, f"{exception_count} exceptions in {rows} rows")
        values = self._unpack(place, rows, width) + _U32(base)
        if exception_count > 0:
            where = self._exception_rows(place, rows, exception_count)
            high = self._unpack(place, exception_count, exception_width).astype(np.uint64)
            values[where] += (high << np.uint64(width)).astype(_U32)
        return values

    def _number(self, place: str, length: int) -> int:
        start = self._take(place, length)
        return int.from_bytes(self._memory[start : start + length], "little")

    def finish(self) -> None:
        _require(self._at == self._end, "body", f"columns end at {self._at}, data at {self._end}")
        _require(not self._body[self._end :].any(), "body.tail", "the last bytes are not zero")

    def _exception_rows(self, place: str, rows: int, exception_count: int) -> Array:
        row_width = (rows - 1).bit_length()
        if exception_count * row_width < rows:
            where = self._unpack(place, exception_count, row_width).astype(np.int64)
            _require(np.all(np.diff(where) > 0) and where[-1] < rows, place, "exceptions do not ascend within the rows")
            return where
        start = self._take(place, (rows + 7) // 8)
        bitmap = self._body[start : self._at]
        where = np.flatnonzero(np.unpackbits(bitmap, count=rows, bitorder="little").view(bool))
        _require(len(where) == exception_count, place, f"bitmap marks {len(where)} exceptions, not {exception_count}")
        return where

    def _unpack(self, place: str, entries: int, width: int) -> Array:
        start = self._take(place, (entries * width + 7) // 8)
        if width == 0:
            return np.zeros(entries, dtype=_U32)
        if width == 1:
            return np.unpackbits(self._body[start : self._at], count=entries, bitorder="little").astype(_U32)
        if width in _WHOLE_BYTES:
            return np.frombuffer(self._memory, dtype=_WHOLE_BYTES[width], count=entries, offset=start).astype(_U32)
        mask = np.uint64((1 << width) - 1)
        if entries <= _FEW:
            first_bits = _NUMBERS[:entries] * width
            return ((self._words[start + (first_bits >> 3)] >> (first_bits & 7).view(np.uint64)) & mask).astype(_U32)
        # Eight entries take width whole bytes: entry i of each eight has the same shift, and lies width bytes further on.
        values = np.empty(entries, dtype=_U32)
        for i in range(8):
            first_bit = i * width
            words = self._words[start + (first_bit >> 3) :: width][: (entries - i + 7) // 8]
            values[i::8] = (words >> np.uint64(first_bit & 7)) & mask
        return values

    def _take(self, place: str, length: int) -> int:
        """Where the next bytes begin, after which it goes on."""
        start = self._at
        if length > self._end - start:
            raise BatchError(place, f"{length} bytes at {start} reach beyond {self._end}")
        self._at += length
        return start


def _require(holds: bool | np.bool, place: str, reason: str) -> None:
    if not holds:
        raise BatchError(place, reason)
