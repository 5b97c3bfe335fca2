# SPDX-License-Identifier: Apache-2.0
"""Messages to headers and arrays."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from . import columns, layouts
from .arrays import Array, Message
from .columns import Decoded
from .crc32c import crc32c
from .errors import BatchError
from .tuples import TUPLE, TUPLE_FIELDS

__all__ = ["BatchError", "BatchHeader", "read_batch", "read_header", "read_records"]

MAGIC = layouts.PACKET_BATCH_HEADER_MAGIC
VERSION = layouts.PACKET_BATCH_HEADER_VERSION
VERSION_1 = layouts.PACKET_BATCH_HEADER_VERSION_1
MAX_PACKETS = layouts.PACKET_COLUMNS_HEADER_MAX_PACKETS
_BODY_KINDS = {kind.value for kind in layouts.BatchBody}
_HEADER_BYTES = layouts.PACKET_BATCH_HEADER.itemsize
_CHECKSUM_OFFSET: int = (layouts.PACKET_BATCH_HEADER.fields or {"checksum": (None, 0)})["checksum"][1]
_AFTER_CHECKSUM = _CHECKSUM_OFFSET + 4

FRAME_LENGTH = "frame_length"

# The descriptor of a record, taken apart: type, lowest bit and mask by name.
DESCRIPTOR_PARTS = {
    name: (kind, getattr(layouts, f"PACKET_RECORD_{name.upper()}_SHIFT"), getattr(layouts, f"PACKET_RECORD_{name.upper()}_MASK"))
    for name, kind in (
        (FRAME_LENGTH, "u4"),
        ("traffic_class", "u1"),
        ("later_fragment", "u1"),
        ("ingress_port", "u1"),
        ("kind", "u1"),
        ("generation", "u1"),
    )
}
_COPIED = [name for name in columns.FIELDS if name not in ("time_low", "descriptor")]

PACKET = np.dtype(
    [("time_ns", "i8")]
    + [(name, layouts.PACKET_RECORD[name]) for name in _COPIED]
    + [(name, kind) for name, (kind, _, _) in DESCRIPTOR_PARTS.items()]
    + [("weight", "u4")]
)
"""What read_batch returns: the fields of a packet record, the full time, the descriptor's parts, and for how many packets each stands."""


@dataclass(frozen=True)
class BatchHeader:
    """What a batch says of all its packets; the page of the packet batch header explains each field.

    A message of version 1 knows no stream number and no losses before the tap: both are 0.
    """

    version: int
    body_kind: int
    count: int
    ring: int
    stream: int
    rule: int
    incarnation: int
    first_position: int
    position_span: int
    sampling_weight: int
    time_base_ns: int
    lost_before: int
    lost_before_tap: int
    clock_trusted: bool

    @property
    def header_bytes(self) -> int:
        """Bytes of the header, where the body begins."""
        return _header_bytes(self.version)


def read_header(message: Message | None, verify_checksum: bool = True) -> BatchHeader | None:
    """Header of a message. Refuses anything that is not a batch of a known version; None for a tombstone (None).

    verify_checksum costs about a millisecond per 100 KB in NumPy; next to nothing with google-crc32c or crc32c installed.
    """
    if message is None:
        return None
    message = memoryview(message).cast("B")
    if len(message) < layouts.PACKET_BATCH_HEADER_VERSION_1_BYTES:
        raise BatchError("header", f"message of {len(message)} bytes, a header has {_HEADER_BYTES}")
    header = _fields(bytes(message[:_HEADER_BYTES]).ljust(_HEADER_BYTES, b"\0"))
    if header["magic"] != MAGIC:
        raise BatchError("header.magic", f"{header['magic']:#x} is not a packet batch")
    if not VERSION_1 <= header["version"] <= VERSION:
        raise BatchError("header.version", f"packet batch version {header['version']}, this reader knows {VERSION_1} to {VERSION}")
    if len(message) < _header_bytes(header["version"]):
        raise BatchError("header", f"message of {len(message)} bytes, a header has {_HEADER_BYTES}")
    if header["version"] == VERSION_1:
        header["stream"] = header["lost_before_tap"] = 0
    if verify_checksum:
        computed = crc32c(bytes(message[:_CHECKSUM_OFFSET]) + bytes(message[_AFTER_CHECKSUM:]))
        if computed != header["checksum"]:
            raise BatchError("header.checksum", f"stored {header['checksum']:#x}, computed {computed:#x}")
    _require_meaningful(header, len(message))
    header["clock_trusted"] = header["flags"] == layouts.BatchFlag.CLOCK_TRUSTED
    return BatchHeader(**{name: header[name] for name in BatchHeader.__dataclass_fields__})


def _fields(header: bytes) -> dict[str, Any]:
    fields = np.frombuffer(header, dtype=layouts.PACKET_BATCH_HEADER, count=1)[0]
    return {name: fields[name].item() for name in fields.dtype.names}


def _header_bytes(version: int) -> int:
    return layouts.PACKET_BATCH_HEADER_VERSION_1_BYTES if version == VERSION_1 else _HEADER_BYTES


def read_records(message: Message | None, verify_checksum: bool = True) -> Array | None:
    """The packets as 64-byte packet records (layouts.PACKET_RECORD), as they were in the ring; None for a tombstone."""
    header = read_header(message, verify_checksum)
    return None if message is None or header is None else _records(message, header)


def read_batch(message: Message | None, verify_checksum: bool = True) -> Array | None:
    """The packets as an array of PACKET: one row per packet, time in UTC nanoseconds since 1970; None for a tombstone.

    A tombstone is a Kafka message without a value, which clients give as None.
    """
    header = read_header(message, verify_checksum)
    if message is None or header is None:
        return None
    records = _records(message, header)
    packets = np.empty(header.count, dtype=PACKET)
    packets["time_ns"] = full_times(records["time_low"], header.time_base_ns)
    for name in _COPIED:
        packets[name] = records[name]
    for name in DESCRIPTOR_PARTS:
        packets[name] = descriptor_part(records["descriptor"], name)
    packets["weight"] = header.sampling_weight
    return packets


def decode(message: Message, header: BatchHeader, wanted: frozenset[str]) -> Decoded:
    """Of the fields of a message's packet records, and frame_length, those that are wanted, column by column."""
    body = memoryview(message).cast("B")[header.header_bytes :]
    if header.body_kind == layouts.BatchBody.RAW:
        decoded = decode_records(np.frombuffer(body, dtype=layouts.PACKET_RECORD), wanted)
    else:
        decoded = columns.decode(body, header.version, header.count, header.time_base_ns, wanted)
    if "descriptor" in decoded.fields:
        _require_packets(decoded.fields["descriptor"])
    return decoded


def decode_records(records: Array, wanted: frozenset[str]) -> Decoded:
    """The same of packet records, each of which has a tuple of its own."""
    tuples = np.zeros(len(records), dtype=TUPLE)
    for name in wanted.intersection(TUPLE_FIELDS):
        tuples[name] = records[name]
    fields = {name: np.ascontiguousarray(records[name]) for name in wanted.difference(TUPLE_FIELDS, [FRAME_LENGTH])}
    if FRAME_LENGTH in wanted:
        fields[FRAME_LENGTH] = descriptor_part(records["descriptor"], FRAME_LENGTH)
    return Decoded(tuples, np.arange(len(records)), fields)


def full_times(time_low: Array, time_base_ns: int) -> Array:
    """Nanoseconds since 1970 of the low halves of times that lie within 2^31 ns of the base."""
    steps = (time_low - np.uint32(time_base_ns & 0xFFFFFFFF)).view(np.int32)
    return np.array([time_base_ns], dtype=np.uint64).view(np.int64) + steps


def descriptor_part(descriptors: Array, name: str) -> Array:
    """One of DESCRIPTOR_PARTS of each descriptor."""
    kind, lowest_bit, mask = DESCRIPTOR_PARTS[name]
    return ((descriptors >> np.uint32(lowest_bit)) & np.uint32(mask)).astype(kind)


def _records(message: Message, header: BatchHeader) -> Array:
    body = memoryview(message).cast("B")[header.header_bytes :]
    if header.body_kind == layouts.BatchBody.RAW:
        records: Array = np.frombuffer(body, dtype=layouts.PACKET_RECORD)
    else:
        records = columns.read_records(body, header.version, header.count, header.time_base_ns)
    _require_packets(records["descriptor"])
    return records


def _require_packets(descriptors: Array) -> None:
    kinds = descriptor_part(descriptors, "kind")
    if np.any((kinds < layouts.RecordKind.IPV4) | (kinds > layouts.RecordKind.IPV6_ENCAPSULATED)):
        raise BatchError("packet", "a record is not a packet")


def _require_meaningful(header: dict[str, Any], message_bytes: int) -> None:
    count = header["count"]
    if header["body_kind"] not in _BODY_KINDS:
        raise BatchError("header.body_kind", f"unknown body kind {header['body_kind']}")
    if header["record_bytes"] != layouts.PACKET_RECORD.itemsize:
        raise BatchError("header.record_bytes", f"records of {header['record_bytes']} bytes")
    if count > MAX_PACKETS:
        raise BatchError("header.count", f"{count} packets, more than {MAX_PACKETS}")
    if header["position_span"] < count - 1:
        raise BatchError("header.position_span", f"{count} packets in {header['position_span'] + 1} positions")
    if header["sampling_weight"] == 0:
        raise BatchError("header.sampling_weight", "0 packets for each, where 1 is the least")
    for name in ("lost_before", "lost_before_tap"):
        if header[name] >= 1 << 63:
            raise BatchError(f"header.{name}", f"{header[name]} packets")
    if header["flags"] & ~layouts.BatchFlag.CLOCK_TRUSTED:
        raise BatchError("header.flags", f"unknown flags {header['flags']:#x}")
    raw_bytes = _header_bytes(header["version"]) + count * layouts.PACKET_RECORD.itemsize
    if header["body_kind"] == layouts.BatchBody.RAW and message_bytes != raw_bytes:
        raise BatchError("body", f"{count} records make {raw_bytes} bytes, the message has {message_bytes}")
