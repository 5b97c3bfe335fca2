# SPDX-License-Identifier: Apache-2.0
"""The columnar body of a packet batch: bit-packed columns to records, without a loop over packets.

The page of the columnar body says what each column means; names here are the names there.
"""

import numpy as np

from . import layouts
from .errors import BatchError
from .flowhash import flow_hashes

COLUMN_NAMES = [column.name.lower() for column in layouts.PacketColumns]
TAIL_BYTES = layouts.PACKET_COLUMNS_HEADER_TAIL_BYTES
TCP, UDP = 6, 17
FIN, SYN = 0x01, 0x02
_FLOW_COLUMNS = layouts.PacketColumns.FIRST_FROM_B + 1
_DIRECTION_COLUMNS = layouts.PacketColumns.FIRST_OVERHEAD + 1
_PACKET_COLUMNS = layouts.PacketColumns.PAYLOAD_LENGTH + 1
_U32 = np.uint32


def read_records(body, count, time_base_ns):
    """Packet records (layouts.PACKET_RECORD) of a columnar body, equal bit for bit to those that were encoded."""
    columns, flow_count, direction_count = _read_columns(body, count)
    if count == 0:
        return np.zeros(0, dtype=layouts.PACKET_RECORD)
    flow, side, opposite = _directions(columns, flow_count, direction_count)
    direction, is_first = _packet_directions(columns["direction"], direction_count)
    packet_flow = flow[direction]
    from_b = side[direction].astype(bool)
    protocol = (columns["protocol"] & _U32(0xFF))[packet_flow]
    payload = columns["payload_length"] & _U32(0xFFFF)
    rotated = columns["tcp_flags"] & _U32(0xFF)
    tcp_flags = ((rotated << _U32(3)) | (rotated >> _U32(5))) & _U32(0xFF)

    records = np.zeros(count, dtype=layouts.PACKET_RECORD)
    records["time_low"] = _U32(time_base_ns & 0xFFFFFFFF) + np.cumsum(columns["time"], dtype=_U32)
    records["payload_length"] = payload
    records["protocol"] = protocol
    records["tcp_flags"] = tcp_flags
    _put_endpoints(records, columns, packet_flow, from_b)

    walk = _DirectionWalk(direction, is_first, direction_count)
    overhead = walk.restore(columns["first_overhead"], _unzigzag(columns["overhead"]))
    window = walk.restore(columns["first_window"], _unzigzag(columns["window"]))
    traits = walk.restore(
        (columns["time_to_live"] & _U32(0xFF))
        | (columns["type_of_service"] & _U32(0xFF)) << _U32(8)
        | columns["descriptor_high"] << _U32(16),
        _unzigzag(columns["traits"]),
    )
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


def _directions(columns, flow_count, direction_count):
    """Flow, sending side and opposite direction (-1: none, or not yet) of every direction."""
    code = columns["direction_flow"].astype(np.int64)
    begins = code == 0
    _require(np.count_nonzero(begins) == flow_count, "column direction_flow", "wrong number of flows begin")
    flow = np.where(begins, np.cumsum(begins) - 1, code - 1)
    first_direction = np.flatnonzero(begins)
    seconds = np.flatnonzero(~begins)
    _require(np.all(code[seconds] <= flow_count), "column direction_flow", "a row names a flow that does not exist")
    opposite = np.full(direction_count, -1, dtype=np.int64)
    opposite[seconds] = first_direction[flow[seconds]]
    _require(np.all(opposite < np.arange(direction_count)), "column direction_flow", "a row names a flow still to come")
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


def _put_endpoints(records, columns, packet_flow, from_b):
    a_address = _addresses(columns, "a")
    b_address = _addresses(columns, "b")
    a_port = (columns["a_port"] & _U32(0xFFFF)).astype(np.uint16)
    b_port = (columns["b_port"] & _U32(0xFFFF)).astype(np.uint16)
    protocol = columns["protocol"] & _U32(0xFF)
    hashes = columns["flow_hash"] ^ flow_hashes(a_address, b_address, a_port, b_port, protocol)
    records["flow_hash"] = hashes[packet_flow]
    records["source_address"] = np.where(from_b[:, None], b_address[packet_flow], a_address[packet_flow])
    records["destination_address"] = np.where(from_b[:, None], a_address[packet_flow], b_address[packet_flow])
    records["source_port"] = np.where(from_b, b_port[packet_flow], a_port[packet_flow])
    records["destination_port"] = np.where(from_b, a_port[packet_flow], b_port[packet_flow])


def _addresses(columns, endpoint):
    words = np.stack([columns[f"{endpoint}_address_{i}"] for i in range(4)], axis=1)
    return np.ascontiguousarray(words.astype(">u4")).view(np.uint8).reshape(-1, 16)


def _unzigzag(numbers):
    return (numbers >> _U32(1)) ^ (_U32(0) - (numbers & _U32(1)))


def _read_columns(body, count):
    descriptors_at = layouts.PACKET_COLUMNS_HEADER.itemsize
    data_at = descriptors_at + len(COLUMN_NAMES) * layouts.PACKET_COLUMN.itemsize
    _require(len(body) >= data_at + TAIL_BYTES, "body", f"{len(body)} bytes are too few for the column descriptors")
    counts = np.frombuffer(body, dtype=layouts.PACKET_COLUMNS_HEADER, count=1)[0]
    flow_count, direction_count = int(counts["flow_count"]), int(counts["direction_count"])
    _require(direction_count <= count, "columns.direction_count", f"{direction_count} directions of {count} packets")
    _require(flow_count <= direction_count, "columns.flow_count", f"{flow_count} flows, {direction_count} directions")
    descriptors = np.frombuffer(body, dtype=layouts.PACKET_COLUMN, count=len(COLUMN_NAMES), offset=descriptors_at)
    reader = _ColumnReader(body, data_at)
    columns = {}
    for index, (name, descriptor) in enumerate(zip(COLUMN_NAMES, descriptors)):
        rows = _rows(index, flow_count, direction_count, count)
        columns[name] = reader.read(name, rows, *(int(part) for part in descriptor.tolist()))
    reader.finish()
    return columns, flow_count, direction_count


def _rows(index, flow_count, direction_count, count):
    if index < _FLOW_COLUMNS:
        return flow_count
    if index < _DIRECTION_COLUMNS:
        return direction_count
    return count if index < _PACKET_COLUMNS else count - direction_count


class _ColumnReader:
    """Reads the data of one column after the other."""

    def __init__(self, body, data_at):
        self._body = np.frombuffer(body, dtype=np.uint8)
        # A 64-bit word at every byte: entry i of a packed array is a shift and a mask of one of them.
        self._words = np.ndarray(len(body) - 7, dtype="<u8", buffer=body, strides=(1,))
        self._at = data_at
        self._end = len(body) - TAIL_BYTES

    def read(self, name, rows, base, exception_count, width, exception_width):
        place = f"column {name}"
        _require(width + exception_width <= 32, place, f"widths {width} and {exception_width} are more than 32 bits")
        _require(exception_count <= rows, place, f"{exception_count} exceptions in {rows} rows")
        values = self._unpack(place, rows, width) + _U32(base)
        if exception_count > 0:
            where = self._exception_rows(place, rows, exception_count)
            high = self._unpack(place, exception_count, exception_width).astype(np.uint64)
            values[where] += (high << np.uint64(width)).astype(_U32)
        return values

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
