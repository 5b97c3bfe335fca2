# SPDX-License-Identifier: Apache-2.0
"""count_packets.py MESSAGES COUNT...: answers about packet batches, one JSON line per capture.

MESSAGES holds Kafka messages, each after its length (4 bytes, big-endian), in the order of one ring. The first COUNT packets
are the first capture's, and so on; packets left over make one more line.
"""

import json
import struct
import sys

import numpy as np

import flowstone
from flowstone import layouts

TCP, SYN, ACK = 6, 0x02, 0x10
WINDOW_NS = 5_000_000_000
CLASSES = {
    layouts.OtherReason.NOT_IP: "nonip",
    layouts.OtherReason.SHORT_LINK: "short-l2",
    layouts.OtherReason.SHORT_IP: "short-ip",
    layouts.OtherReason.BAD_IP: "bad-ip",
    layouts.OtherReason.MPLS_NOT_IP: "mpls-nonip",
    layouts.OtherReason.LINK_TYPE: "link-{}",
    layouts.OtherReason.ERF_TYPE: "link-erf{}",
    layouts.OtherReason.TOO_DEEP: "too-deep",
}
ENDPOINT = np.dtype([("high", ">u8"), ("low", ">u8"), ("port", ">u2")])
TUPLE = np.dtype([("from", ENDPOINT), ("to", ENDPOINT), ("protocol", "u1"), ("kind", "u1")])


def messages(path):
    with open(path, "rb") as file:
        while length := file.read(4):
            yield file.read(struct.unpack(">I", length)[0])


def read_packets(path):
    batches = [flowstone.read_batch(message) for message in messages(path)]
    lost = sum(flowstone.read_header(message, verify_checksum=False).lost_before for message in messages(path))
    return np.concatenate(batches), lost


def endpoints(packets, side):
    found = np.zeros(len(packets), dtype=ENDPOINT)
    address = np.ascontiguousarray(packets[f"{side}_address"]).view(">u8").reshape(len(packets), 2)
    found["high"], found["low"], found["port"] = address[:, 0], address[:, 1], packets[f"{side}_port"]
    return found


def is_ipv4(packets):
    return np.isin(packets["kind"], [layouts.RecordKind.IPV4, layouts.RecordKind.IPV4_ENCAPSULATED])


def tuples(packets):
    """Directional tuples, and bidirectional ones: the lower endpoint first."""
    source, destination = endpoints(packets, "source"), endpoints(packets, "destination")
    directional = np.zeros(len(packets), dtype=TUPLE)
    directional["from"], directional["to"] = source, destination
    directional["protocol"], directional["kind"] = packets["protocol"], is_ipv4(packets)
    swapped = np.zeros(len(packets), dtype=bool)
    undecided = np.ones(len(packets), dtype=bool)
    for part in ENDPOINT.names:
        swapped |= undecided & (source[part] > destination[part])
        undecided &= source[part] == destination[part]
    bidirectional = directional.copy()
    bidirectional["from"][swapped], bidirectional["to"][swapped] = destination[swapped], source[swapped]
    return directional, bidirectional


def distinct(rows):
    return len(np.unique(np.ascontiguousarray(rows).view(f"V{rows.dtype.itemsize}")))


def classes(packets):
    ip = packets["kind"] != layouts.RecordKind.OTHER
    count = {"ipv4": int(is_ipv4(packets).sum()), "ipv6": int((ip & ~is_ipv4(packets)).sum())}
    for packet in packets[~ip]:
        name = CLASSES[int(packet["source_port"])].format(int(packet["destination_port"]))
        count[name] = count.get(name, 0) + 1
    return {name: packets for name, packets in count.items() if packets}


def syn_windows(syns):
    key = np.dtype([("window", "<i8"), ("destination", "V16"), ("kind", "u1")])
    keys = np.zeros(len(syns), dtype=key)
    keys["window"] = syns["time_ns"] // WINDOW_NS
    keys["destination"] = np.ascontiguousarray(syns["destination_address"]).view("V16").ravel()
    keys["kind"] = is_ipv4(syns)
    _, counts = np.unique(keys.view(f"V{key.itemsize}"), return_counts=True)
    return {
        "windows_with_any_syn_by_dst": len(counts),
        "largest": int(counts.max(initial=0)),
        "over_10_by_dst_count": int((counts > 10).sum()),
    }


def answers(packets):
    ip = packets[packets["kind"] != layouts.RecordKind.OTHER]
    tcp = ip[(ip["protocol"] == TCP) & (ip["later_fragment"] == 0)]
    syns = tcp[(tcp["tcp_flags"] & (SYN | ACK)) == SYN]
    directional, bidirectional = tuples(ip)
    return {
        "packets": len(packets),
        "bytes_wire": int(packets["frame_length"].sum(dtype=np.uint64)),
        "distinct_5tuples_directional": distinct(directional),
        "distinct_5tuples_bidirectional": distinct(bidirectional),
        "syn_without_ack": len(syns),
        "syn_with_ack": int(((tcp["tcp_flags"] & (SYN | ACK)) == (SYN | ACK)).sum()),
        "syn_windows": syn_windows(syns),
        "classes": classes(packets),
    }


def main():
    packets, lost = read_packets(sys.argv[1])
    ends = np.cumsum([int(count) for count in sys.argv[2:]])
    for capture in np.split(packets, ends):
        print(json.dumps(answers(capture)))
    if lost:
        sys.exit(f"{lost} packets lost")


if __name__ == "__main__":
    main()
