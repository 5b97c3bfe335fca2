# SPDX-License-Identifier: Apache-2.0
"""Reads messages with the flowstone package and compares every field with what Java says of them.

usage: compare_messages.py FILE     FILE: for each message its length, itself, the length of Java's JSON, that
"""

import json
import struct
import sys
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[4] / "notebooks"))

import flowstone
from flowstone.batch import PACKET


def pieces(data):
    at = 0
    while at < len(data):
        (length,) = struct.unpack_from("<I", data, at)
        yield data[at + 4 : at + 4 + length]
        at += 4 + length


def difference(message, expected):
    """What Python finds otherwise than Java, or None."""
    header = flowstone.read_header(message)
    for name, wanted in expected["header"].items():
        if getattr(header, name) != wanted:
            return f"header.{name}: {getattr(header, name)}, Java says {wanted}"
    packets = flowstone.read_batch(message)
    if len(packets) != len(expected["packets"]):
        return f"{len(packets)} packets, Java says {len(expected['packets'])}"
    for name in PACKET.names:
        if name == "weight":
            if (packets[name] != header.sampling_weight).any():
                return f"weights other than the header's, {header.sampling_weight}"
            continue
        found = packets[name]
        found = [row.tobytes().hex() for row in found] if name.endswith("address") else found.tolist()
        for i, (value, packet) in enumerate(zip(found, expected["packets"])):
            if value != packet[name]:
                return f"packet {i}, {name}: {value}, Java says {packet[name]}"
    return None


def main():
    parts = list(pieces(Path(sys.argv[1]).read_bytes()))
    kinds = Counter()
    for number, (message, text) in enumerate(zip(parts[0::2], parts[1::2])):
        header = flowstone.read_header(message)
        kinds[f"version {header.version} body {header.body_kind}"] += 1
        differs = difference(message, json.loads(text))
        if differs:
            sys.exit(f"message {number} of version {header.version}, body {header.body_kind}: {differs}")
    print(f"{sum(kinds.values())} messages agree: " + ", ".join(f"{n} of {kind}" for kind, n in sorted(kinds.items())))


if __name__ == "__main__":
    main()
