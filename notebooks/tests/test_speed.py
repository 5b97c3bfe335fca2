# SPDX-License-Identifier: Apache-2.0
"""How fast packets go from Kafka into groups, in packets per second of CPU time of this process. By hand:

    python -m pytest -m slow -s tests/test_speed.py

reads the messages in the file that FLOWSTONE_MESSAGES names, or, without one, the topic of the demo that runs here. The floor is half of
the aim of 2 M, for messages of 16,000 packets as fast streams make them. Such a file is what a topic had, each message after its length,
four bytes, big-endian:

    python tests/test_speed.py 127.0.0.1:9092 packets FILE

Messages of 13,000 packets are in the topic of ./flowstone job platform whose tap sends some millions of packets per second.
"""

import os
import struct
import sys
import time

import numpy as np
import pytest
from conftest import FIXTURES, with_header

import flowstone
from flowstone import kafka

ROUNDS = 5
FLOOR = 1_000_000
LEAST_PACKETS_OF_MESSAGE = 8_000
ALWAYS_FLOOR = 500_000
FULL_MESSAGE_PACKETS = 16_000
SMALL_MESSAGES = 100
SMALL_MESSAGES_FLOOR = 20_000


def messages(path):
    with open(path, "rb") as file:
        while length := file.read(4):
            yield file.read(struct.unpack(">I", length)[0])


def source():
    """A function that reads packets, with the columns that it is told."""
    path = os.environ.get("FLOWSTONE_MESSAGES")
    if path:
        held = list(messages(path))
        return lambda columns: flowstone.read_batches(held, columns)
    try:
        demo = flowstone.find_demo()
    except flowstone.NoDemo as none:
        pytest.skip(f"NOT CHECKED: no FLOWSTONE_MESSAGES, and {none}")
    return lambda columns: flowstone.consume(demo.kafka, demo.topic, columns=columns)


def rate(count, work):
    """Median and range of packets per second of CPU time."""
    rates = []
    for _ in range(ROUNDS):
        began = time.process_time()
        work()
        rates.append(count / (time.process_time() - began))
    rates.sort()
    return rates[ROUNDS // 2], rates[0], rates[-1]


def full_message():
    """A full message of today's version, of the packets of a small one again and again."""
    small = (FIXTURES / "v3-raw.batch").read_bytes()
    records = flowstone.read_records(small)
    body = np.resize(records, FULL_MESSAGE_PACKETS).tobytes()
    return with_header(small, body=body, count=FULL_MESSAGE_PACKETS, position_span=FULL_MESSAGE_PACKETS - 1)


def best_rate(held):
    """Packets per second of CPU time: reading the messages, and counting by flow."""
    rates = []
    for _ in range(ROUNDS):
        began = time.process_time()
        packets = flowstone.read_batches(held)
        flows = flowstone.by_flow(packets)
        rates.append(len(packets) / (time.process_time() - began))
        assert flows["packets"].sum() == len(packets) * flowstone.read_header(held[0]).sampling_weight
    print(f"{max(rates):,.0f} packets/s of CPU time")
    return max(rates)


def test_a_full_message_is_not_ten_times_slower_than_it_was():
    """A floor that busy machines hold, too."""
    assert best_rate([full_message()]) > ALWAYS_FLOOR


def test_messages_of_columns_are_not_ten_times_slower_than_they_were():
    """These are small, so that what a message costs, about a millisecond, is nearly all."""
    small = (FIXTURES / "v3-columns.batch").read_bytes()
    assert best_rate([small] * SMALL_MESSAGES) > SMALL_MESSAGES_FLOOR


@pytest.mark.slow
def test_packets_per_second():
    read = source()
    packets = read(None)
    count, each = len(packets), len(packets) / len(packets.batches)
    # A table of its own for each: one that was asked before knows its flows.
    figures = {
        "all columns": rate(count, lambda: read(None)),
        "columns of groups": rate(count, lambda: read(flowstone.GROUP_COLUMNS)),
        "by_flow": rate(count, lambda: flowstone.by_flow(packets[:])),
        "by_prefix": rate(count, lambda: flowstone.by_prefix(packets[:])),
        "by_protocol": rate(count, lambda: flowstone.by_protocol(packets[:])),
    }

    def everything():
        table = read(flowstone.GROUP_COLUMNS)
        for group in (flowstone.by_flow, flowstone.by_prefix, flowstone.by_protocol):
            group(table)

    figures["read, by flow, prefix and protocol"] = rate(count, everything)
    print(f"\n{count:,} packets, {each:,.0f} in a message, {len(flowstone.by_flow(packets)):,} flows")
    for name, (median, least, most) in figures.items():
        print(f"{name:36} {median / 1e6:6.2f} M/s ({least / 1e6:.2f} to {most / 1e6:.2f})")
    if each >= LEAST_PACKETS_OF_MESSAGE:
        assert figures["read, by flow, prefix and protocol"][0] >= FLOOR


def keep(bootstrap_servers, topic, path):
    """What a topic has, in a file that FLOWSTONE_MESSAGES can name."""
    count = 0
    with open(path, "wb") as file:
        for message, _ in kafka._batches(bootstrap_servers, topic, None, None, kafka.BEGINNING, True, None):
            file.write(struct.pack(">I", len(message.value())) + message.value())
            count += 1
    print(f"{path}  {count:,} messages")


if __name__ == "__main__":
    keep(*sys.argv[1:])
