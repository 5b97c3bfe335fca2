# SPDX-License-Identifier: Apache-2.0
"""print_packets.py MESSAGES COUNT: the packets of the first COUNT messages, one JSON line each.

MESSAGES is what count_packets.py reads. Addresses are text; the generation is left out, which names a slot of the ring.
"""

import json
import sys

import count_packets
import flowstone

LEFT_OUT = "generation"


def fields(packet):
    for name in packet.dtype.names:
        if name != LEFT_OUT:
            yield name, flowstone.format_address(packet[name]) if name.endswith("_address") else packet[name].item()


def main():
    for _, message in zip(range(int(sys.argv[2])), count_packets.messages(sys.argv[1])):
        for packet in flowstone.read_batch(message):
            print(json.dumps(dict(fields(packet))))


main()
