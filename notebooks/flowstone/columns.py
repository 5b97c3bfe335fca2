# SPDX-License-Identifier: Apache-2.0
"""The columnar body of a packet batch: bit-packed columns to records, without a loop over packets.

The page of the columnar body says what each column means; names here are the names there.
"""

from dataclasses import dataclass

import numpy as np

from . import layouts
from .errors import BatchError
from .flowhash import flow_hashes

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

    def of(self, column):
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

    def require_sane(self):
        """Each table has as many rows at most as the one whose rows take them."""
        _require(self.directions <= self.packets, "columns.direction_count", f"{self.directions} directions of {self.packets} packets")
        _require(self.flows <= self.directions, "columns.flow_count", f"{self.flows} flows of {self.directions} directions")
        _require(self.pairs <= self.flows, "columns.pair_count", f"{self.pairs} pairs of {self.flows} flows")
        _require(self.profiles <= self.directions, "columns.profile_count", f"{self.profiles} profiles of {self.directions} directions")


def read_records(body, version, count, time_base_ns):
    """Packet records (layouts.PACKET_RECORD) of a columnar body, equal bit for bit to those that were encoded."""
    read = _read_version_2 if version <= layouts.PACKET_BATCH_HEADER_VERSION_2 else read_columns
    columns, rows = read(body, count)
    if count == 0:
        return np.zeros(0, dtype=layouts.PACKET_RECORD)
    direction, is_first = _packet_directions(columns["direction"], rows.directions)
    pair = _taken(columns["flow_pair"], rows.pairs, "flow_pair", "pairs")
    flow, side, opposite = _directions(columns, rows)
    profile = _taken(columns["direction_profile"], rows.profiles, "direction_profile", "profiles")
    direction_protocol = (columns["protocol"] & _U32(0xFF))[pair[flow]]
    protocol = direction_protocol[direction]
    payload = columns["payload_length"] & _U32(0xFFFF)
    rotated = columns["tcp_flags"] & _U32(0xFF)
    tcp_flags = ((rotated << _U32(3)) | (rotated >> _U32(5))) & _U32(0xFF)

    records = np.zeros(count, dtype=layouts.PACKET_RECORD)
    records["time_low"] = _U32(time_base_ns & 0xFFFFFFFF) + np.cumsum(columns["time"], dtype=_U32)
    records["payload_length"] = payload
    records["protocol"] = protocol
    records["tcp_flags"] = tcp_flags
    _put_endpoints(records, columns, pair, flow, side.astype(bool), direction)

    walk = _DirectionWalk(direction, is_first, rows.directions)
    overhead = walk.restore(columns["profile_overhead"][profile], _unzigzag(columns["overhead_step"]))
    window = walk.restore(columns["profile_window"][profile], _unzigzag(columns["window_step"]))
    first_traits = (
        (columns["time_to_live"] & _U32(0xFF))
        | (columns["type_of_service"] & _U32(0xFF)) << _U32(8)
        | columns["descriptor_high"] << _U32(16)
    )
    traits = walk.restore(first_traits[profile], _unzigzag(columns["trait_step"]))
    records["tcp_window"] = window & _U32(0xFFFF)
    records["time_to_live"] = traits & _U32(0xFF)
    records["type_of_service"] = (traits >> _U32(8)) & _U32(0xFF)
    records["descriptor"] = ((overhead + payload) & _U32(layouts.PACKET_RECORD_FRAME_LENGTH_MASK)) | (
        traits >> _U32(16)
    ) << _U32(layouts.PACKET_RECORD_TRAFFIC_CLASS_SHIFT)
    _put_tcp_words(records, columns, walk, opposite, protocol, payload, tcp_flags)
    return records


def _put_tcp_words(records, columns, walk, opposite, protocol, payload, tcp_flags):
    """Sequence and acknowledgement: sums along each direction, then the second directions hang on the first ones."""
    is_tcp = protocol == TCP
    is_udp = protocol == UDP
    advance = np.where(is_tcp, payload + (tcp_flags & _U32(FIN)) + ((tcp_flags & _U32(SYN)) >> _U32(1)), _U32(0))
    sequence_step = _unzigzag(columns["sequence"]) + walk.previous(advance)
    sequence = walk.restore(_unzigzag(columns["first_sequence"]), sequence_step)
    acknowledgement_step = _unzigzag(columns["acknowledgement"])
    acknowledgement = walk.restore(_unzigzag(columns["first_acknowledgement"]), acknowledgement_step)

    # Until here all first values are differences from a prediction; add the predictions.
    expected_sequence = np.zeros(len(opposite), dtype=_U32)
    expected_acknowledgement = np.zeros(len(opposite), dtype=_U32)
    second = np.flatnonzero((opposite >= 0) & is_tcp[walk.first_packet])
    latest = walk.latest_before(opposite[second], walk.first_packet[second])
    expected_sequence[second] = acknowledgement[latest]
    expected_acknowledgement[second] = (sequence + advance)[latest]
    sequence = sequence + expected_sequence[walk.direction]
    acknowledgement = acknowledgement + expected_acknowledgement[walk.direction]

    ports = records["source_port"].astype(_U32) << _U32(16) | records["destination_port"]
    sequence = sequence + np.where(is_udp, ports[walk.first_packet][walk.direction], _U32(0))
    length_word = (payload + _U32(8)) << _U32(16)
    difference = np.empty_like(acknowledgement)
    difference[walk.first_packet] = _unzigzag(columns["first_acknowledgement"])
    difference[walk.following] = acknowledgement_step
    records["sequence"] = sequence
    records["acknowledgement"] = np.where(is_udp, length_word + difference, acknowledgement)


class _DirectionWalk:
    """Packets grouped by direction, in order within each: sums along a direction are one cumulative sum of all."""

    def __init__(self, direction, is_first, direction_count):
        self.direction = direction
        self.first_packet = np.flatnonzero(is_first)
        self.following = np.flatnonzero(~is_first)
        self._order = np.argsort(direction, kind="stable")
        self._sorted_direction = direction[self._order]
        self._starts = np.searchsorted(self._sorted_direction, np.arange(direction_count))
        self._keys = self._sorted_direction * np.int64(len(direction)) + self._order

    def restore(self, first_values, steps):
        """Values of all packets from the first value of each direction and the steps of all following packets."""
        step_of = np.empty(len(self.direction), dtype=_U32)
        step_of[self.first_packet] = first_values
        step_of[self.following] = steps
        sums = np.cumsum(step_of[self._order], dtype=_U32)
        before = np.where(self._starts > 0, sums[self._starts - 1], _U32(0))
        values = np.empty_like(step_of)
        values[self._order] = sums - before[self._sorted_direction]
        return values

    def previous(self, values):
        """For each following packet, the value of the packet before it in its direction."""
        shifted = np.empty_like(values)
        shifted[self._order[1:]] = values[self._order[:-1]]
        return shifted[self.following]

    def latest_before(self, direction, packet):
        """For pairs of direction and packet, the latest packet of that direction before that packet."""
        key = direction.astype(np.int64) * len(self.direction) + packet
        return self._order[np.searchsorted(self._keys, key) - 1]


def _taken(codes, table_rows, column, table):
    """Codes into rows of another table: 0 takes the next, 1 + row one that was taken."""
    codes = codes.astype(np.int64)
    takes = codes == 0
    taken = np.cumsum(takes)
    place = f"column {column}"
    _require(np.count_nonzero(takes) == table_rows, place, f"{np.count_nonzero(takes)} {table} are taken, not {table_rows}")
    _require(np.all(codes <= taken), place, "a row names one that no row took before")
    return np.where(takes, taken - 1, codes - 1)


def _directions(columns, rows):
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
    _require(len(np.unique(flow[seconds])) == len(seconds), "column direction_flow", "a flow has three directions")
    side = (columns["first_from_b"] & _U32(1)).astype(np.int8)[flow] ^ ~begins
    return flow, side, opposite


def _packet_directions(code, direction_count):
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


def _put_endpoints(records, columns, pair, flow, from_b, direction):
    """What all packets of a direction share is put together once for each direction."""
    a_address = _addresses(columns, "a")[pair]
    b_address = _addresses(columns, "b")[pair]
    a_port = (columns["a_port"] & _U32(0xFFFF)).astype(np.uint16)
    b_port = (columns["b_port"] & _U32(0xFFFF)).astype(np.uint16)
    protocol = (columns["protocol"] & _U32(0xFF))[pair]
    hashes = columns["flow_hash"] ^ flow_hashes(a_address, b_address, a_port, b_port, protocol)
    shared = np.zeros(len(flow), dtype=layouts.PACKET_RECORD)
    shared["flow_hash"] = hashes[flow]
    shared["source_address"] = np.where(from_b[:, None], b_address[flow], a_address[flow])
    shared["destination_address"] = np.where(from_b[:, None], a_address[flow], b_address[flow])
    shared["source_port"] = np.where(from_b, b_port[flow], a_port[flow])
    shared["destination_port"] = np.where(from_b, a_port[flow], b_port[flow])
    for name in ("flow_hash", "source_address", "destination_address", "source_port", "destination_port"):
        records[name] = shared[name][direction]


def _addresses(columns, endpoint):
    words = np.stack([columns[f"{endpoint}_address_{i}"] for i in range(4)], axis=1)
    return np.ascontiguousarray(words.astype(">u4")).view(np.uint8).reshape(-1, 16)


def _unzigzag(numbers):
    return (numbers >> _U32(1)) ^ (_U32(0) - (numbers & _U32(1)))


def read_columns(body, count):
    """The columns of a body by name, and the rows of its tables."""
    header = layouts.PACKET_COLUMNS_HEADER
    _require(len(body) >= header.itemsize + TAIL_BYTES, "body", f"{len(body)} bytes are too few for columns")
    counts = np.frombuffer(body, dtype=header, count=1)[0]
    rows = Rows(*(int(counts[f"{table}_count"]) for table in ("pair", "flow", "profile", "direction")), count)
    rows.require_sane()
    reader = _ColumnReader(body, header.itemsize)
    columns = {name: reader.read(name, rows.of(index)) for index, name in enumerate(COLUMN_NAMES)}
    reader.finish()
    return columns, rows


def _read_version_2(body, count):
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


def _backwards(code):
    """Version 2 names the flow of a second direction by 1 + its row, today counts back from the next to begin."""
    begun = np.cumsum(code == 0)
    _require(np.all(code <= begun), "column direction_flow", "a row names a flow still to come")
    return np.where(code == 0, 0, begun - code + 1).astype(_U32)


class _ColumnReader:
    """Reads the data of one column after the other."""

    def __init__(self, body, data_at):
        self._body = np.frombuffer(body, dtype=np.uint8)
        # A 64-bit word at every byte: entry i of a packed array is a shift and a mask of one of them.
        self._words = np.ndarray(len(body) - 7, dtype="<u8", buffer=body, strides=(1,))
        self._at = data_at
        self._end = len(body) - TAIL_BYTES

    def read(self, name, rows, level=0, most_width=32):
        """A column, with the columns within it."""
        place = f"column {name}"
        shape = self._number(place, layouts.PACKET_COLUMN.itemsize)
        width = shape & layouts.PACKET_COLUMN_WIDTH_MASK
        _require(width <= most_width, place, f"width {width} where at most {most_width} bits are left")
        base = self._number(place, 4) if (shape >> layouts.PACKET_COLUMN_HAS_BASE_SHIFT) & 1 else 0
        values = self._unpack(place, rows, width) + _U32(base)
        if (shape >> layouts.PACKET_COLUMN_HAS_EXCEPTIONS_SHIFT) & 1:
            _require(level + 1 < LEVELS, place, f"more than {LEVELS} columns within one another")
            exception_count = self._number(place, 2)
            _require(0 < exception_count <= rows, place, f"{exception_count} exceptions in {rows} rows")
            where = self._exception_rows(place, rows, exception_count)
            high = self.read(name, exception_count, level + 1, most_width - width)
            values[where] += (high.astype(np.uint64) << np.uint64(width)).astype(_U32)
        return values

    def read_version_2(self, name, rows, base, exception_count, width, exception_width):
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

    def _number(self, place, length):
        return int.from_bytes(self._take(place, length).tobytes(), "little")

    def finish(self):
        _require(self._at == self._end, "body", f"columns end at {self._at}, data at {self._end}")
        _require(not self._body[self._end :].any(), "body.tail", "the last bytes are not zero")

    def _exception_rows(self, place, rows, exception_count):
        row_width = (rows - 1).bit_length()
        if exception_count * row_width < rows:
            where = self._unpack(place, exception_count, row_width).astype(np.int64)
            _require(np.all(np.diff(where) > 0) and where[-1] < rows, place, "exceptions do not ascend within the rows")
            return where
        bitmap = self._take(place, (rows + 7) // 8)
        where = np.flatnonzero(np.unpackbits(bitmap, count=rows, bitorder="little"))
        _require(len(where) == exception_count, place, f"bitmap marks {len(where)} exceptions, not {exception_count}")
        return where

    def _unpack(self, place, entries, width):
        start = self._at
        self._take(place, (entries * width + 7) // 8)
        if width == 0:
            return np.zeros(entries, dtype=_U32)
        bits = np.arange(entries, dtype=np.int64) * width
        words = self._words[start + (bits >> 3)] >> (bits & 7).astype(np.uint64)
        return (words & np.uint64((1 << width) - 1)).astype(_U32)

    def _take(self, place, length):
        _require(length <= self._end - self._at, place, f"{length} bytes at {self._at} reach beyond {self._end}")
        self._at += length
        return self._body[self._at - length : self._at]


def _require(holds, place, reason):
    if not holds:
        raise BatchError(place, reason)
