# SPDX-License-Identifier: Apache-2.0
"""Messages to headers and arrays."""

from dataclasses import dataclass

import numpy as np

from . import columns, layouts
from .crc32c import crc32c
from .errors import BatchError

__all__ = ["BatchError", "BatchHeader", "read_batch", "read_header", "read_records"]

MAGIC = layouts.PACKET_BATCH_HEADER_MAGIC
VERSION = layouts.PACKET_BATCH_HEADER_VERSION
VERSION_1 = layouts.PACKET_BATCH_HEADER_VERSION_1
MAX_PACKETS = layouts.PACKET_COLUMNS_HEADER_MAX_PACKETS
_BODY_KINDS = {kind.value for kind in layouts.BatchBody}
_HEADER_BYTES = layouts.PACKET_BATCH_HEADER.itemsize
_CHECKSUM_OFFSET = layouts.PACKET_BATCH_HEADER.fields["checksum"][1]
_AFTER_CHECKSUM = _CHECKSUM_OFFSET + 4

# The descriptor of a record, taken apart: name, type, lowest bit, mask.
_DESCRIPTOR_PARTS = tuple(
    (name, kind, getattr(layouts, f"PACKET_RECORD_{name.upper()}_SHIFT"), getattr(layouts, f"PACKET_RECORD_{name.upper()}_MASK"))
    for name, kind in (
        ("frame_length", "u4"),
        ("traffic_class", "u1"),
        ("later_fragment", "u1"),
        ("ingress_port", "u1"),
        ("kind", "u1"),
        ("generation", "u1"),
    )
)
_COPIED = [name for name in layouts.PACKET_RECORD.names if name not in ("time_low", "descriptor")]

PACKET = np.dtype(
    [("time_ns", "i8")]
    + [(name, layouts.PACKET_RECORD.fields[name][0]) for name in _COPIED]
    + [(name, kind) for name, kind, _, _ in _DESCRIPTOR_PARTS]
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
    def header_bytes(self):
        """Bytes of the header, where the body begins."""
        return _header_bytes(self.version)


def read_header(message, verify_checksum=True):
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


def _fields(header):
    fields = np.frombuffer(header, dtype=layouts.PACKET_BATCH_HEADER, count=1)[0]
    return {name: fields[name].item() for name in layouts.PACKET_BATCH_HEADER.names}


def _header_bytes(version):
    return layouts.PACKET_BATCH_HEADER_VERSION_1_BYTES if version == VERSION_1 else _HEADER_BYTES


def read_records(message, verify_checksum=True):
    """The packets as 64-byte packet records (layouts.PACKET_RECORD), as they were in the ring; None for a tombstone."""
    header = read_header(message, verify_checksum)
    return None if header is None else _records(message, header)


def read_batch(message, verify_checksum=True):
    """The packets as an array of PACKET: one row per packet, time in UTC nanoseconds since 1970; None for a tombstone.

    A tombstone is a Kafka message without a value, which clients give as None.
    """
    header = read_header(message, verify_checksum)
    if header is None:
        return None
    records = _records(message, header)
    packets = np.empty(header.count, dtype=PACKET)
    steps = (records["time_low"] - np.uint32(header.time_base_ns & 0xFFFFFFFF)).view(np.int32)
    packets["time_ns"] = np.array([header.time_base_ns], dtype=np.uint64).view(np.int64) + steps
    for name in _COPIED:
        packets[name] = records[name]
    for name, _, lowest_bit, mask in _DESCRIPTOR_PARTS:
        packets[name] = (records["descriptor"] >> np.uint32(lowest_bit)) & np.uint32(mask)
    packets["weight"] = header.sampling_weight
    return packets


def _records(message, header):
    body = memoryview(message).cast("B")[header.header_bytes :]
    if header.body_kind == layouts.BatchBody.RAW:
        records = np.frombuffer(body, dtype=layouts.PACKET_RECORD)
    else:
        records = columns.read_records(body, header.version, header.count, header.time_base_ns)
    shift, mask = layouts.PACKET_RECORD_KIND_SHIFT, layouts.PACKET_RECORD_KIND_MASK
    kinds = (records["descriptor"] >> np.uint32(shift)) & np.uint32(mask)
    if np.any((kinds < layouts.RecordKind.IPV4) | (kinds > layouts.RecordKind.IPV6_ENCAPSULATED)):
        raise BatchError("packet", "a record is not a packet")
    return records


def _require_meaningful(header, message_bytes):
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
