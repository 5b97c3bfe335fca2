# SPDX-License-Identifier: Apache-2.0
"""Groups hold against a model that goes from packet to packet with Python's own numbers."""

import ipaddress
import random
from collections import defaultdict

import numpy as np
import pytest
from conftest import FIXTURES

import flowstone
from flowstone.packets import BATCH, packets_of
from flowstone.tuples import distinct, five_tuples

FLOW = ["source_address", "destination_address", "source_port", "destination_port", "protocol"]
ADDRESSES = [
    ipaddress.ip_address(text)
    for text in ("192.0.2.1", "192.0.2.200", "192.0.3.1", "198.51.100.7", "2001:db8::1", "2001:db8::ff", "2001:db8:1::1", "::", "::1")
]


def packed(address):
    return address.packed if address.version == 6 else bytes(10) + b"\xff\xff" + address.packed


class Traffic:
    """Random packets twice: as a table, and as one dict for each."""

    def __init__(self, count, seed=None):
        seed = random.randrange(1 << 32) if seed is None else seed
        print("seed", seed)
        source = random.Random(seed)
        weights = [1, 1, 100, (1 << 32) - 1]
        self.rows = [self._row(source, weights) for _ in range(count)]
        batches = np.zeros(len(weights), dtype=BATCH)
        batches["weight"] = weights
        names = ("time_ns", "frame_length", "source_port", "destination_port", "protocol")
        values = {name: np.array([row[name] for row in self.rows], dtype=flowstone.batch.PACKET[name]) for name in names}
        for name in ("source_address", "destination_address"):
            octets = b"".join(packed(row[name]) if row["protocol"] else bytes(16) for row in self.rows)
            values[name] = np.frombuffer(octets, dtype=np.uint8).reshape(-1, 16)
        values["flow_hash"] = np.array([source.randrange(1 << 32) for _ in self.rows], dtype=np.uint32)  # says nothing here
        self.packets = packets_of(values, batches, np.array([row["batch"] for row in self.rows], dtype=np.int32))

    @staticmethod
    def _row(source, weights):
        batch = source.randrange(len(weights))
        return {
            "time_ns": source.randrange(1 << 62),
            "frame_length": source.choice([60, 1514, (1 << 19) - 1]),
            "source_address": source.choice(ADDRESSES),
            "destination_address": source.choice(ADDRESSES),
            "source_port": source.choice([0, 53, 443]),
            "destination_port": source.choice([0, 53, 443]),
            "protocol": source.choice([0, 6, 6, 17, 200]),
            "batch": batch,
            "weight": weights[batch],
        }

    def grouped(self, key):
        """Packets, octets, first and last time by key."""
        sums = defaultdict(lambda: [0, 0, 1 << 63, -1])
        for row in self.rows:
            group = sums[key(row)]
            group[0] += row["weight"]
            group[1] += row["weight"] * row["frame_length"]
            group[2], group[3] = min(group[2], row["time_ns"]), max(group[3], row["time_ns"])
        return {name: tuple(group) for name, group in sums.items()}


def told(frame, names):
    assert frame["packets"].dtype == frame["octets"].dtype == np.int64
    assert frame["octets"].is_monotonic_decreasing
    times = [frame[name].astype("int64") for name in ("first_time", "last_time")]
    keys = zip(*(frame[name].tolist() for name in names)) if len(names) > 1 else frame[names[0]].tolist()
    rows = zip(frame["packets"].tolist(), frame["octets"].tolist(), *(column.tolist() for column in times))
    found = dict(zip(keys, rows))
    assert len(found) == len(frame)
    return found


def text(row, side):
    return str(row[f"{side}_address"]) if row["protocol"] else "no IP"


def tuple_of(row, source="source", destination="destination"):
    return (text(row, source), text(row, destination), row[f"{source}_port"], row[f"{destination}_port"], row["protocol"])


FLOW = ["source_address", "destination_address", "source_port", "destination_port", "protocol"]


def test_by_flow():
    traffic = Traffic(3000)
    assert told(flowstone.by_flow(traffic.packets), FLOW) == traffic.grouped(tuple_of)


def test_by_flow_in_both_directions_named_as_it_began():
    traffic = Traffic(3000)
    begins = {}
    for row in sorted(traffic.rows, key=lambda row: row["time_ns"]):
        begins.setdefault(frozenset([tuple_of(row), tuple_of(row, "destination", "source")]), tuple_of(row))
    expected = traffic.grouped(lambda row: begins[frozenset([tuple_of(row), tuple_of(row, "destination", "source")])])
    assert told(flowstone.by_flow(traffic.packets, both_directions=True), FLOW) == expected


@pytest.mark.parametrize("of", ["source", "destination"])
@pytest.mark.parametrize("ipv4_bits, ipv6_bits", [(24, 48), (0, 0), (32, 128), (17, 33), (24, 120)])
def test_by_prefix(of, ipv4_bits, ipv6_bits):
    traffic = Traffic(1000)

    def prefix(row):
        address = row[f"{of}_address"]
        bits = ipv4_bits if address.version == 4 else ipv6_bits
        return str(ipaddress.ip_network(f"{address}/{bits}", strict=False)) if row["protocol"] else "no IP"

    assert told(flowstone.by_prefix(traffic.packets, of, ipv4_bits, ipv6_bits), ["prefix"]) == traffic.grouped(prefix)


def test_by_protocol():
    traffic = Traffic(1000)
    frame = flowstone.by_protocol(traffic.packets)
    assert told(frame, ["protocol"]) == traffic.grouped(lambda row: row["protocol"])
    assert dict(zip(frame["protocol"], frame["name"])) == {0: "no IP", 6: "TCP", 17: "UDP", 200: "200"}


def test_sums_are_exact_beyond_what_a_float_holds():
    traffic = Traffic(20_000, seed=1)
    total = sum(row["weight"] * row["frame_length"] for row in traffic.rows)
    assert total > 1 << 53
    assert flowstone.by_protocol(traffic.packets)["octets"].sum() == total


def test_of_a_part_only_what_is_in_it():
    traffic = Traffic(500)
    part = traffic.packets[traffic.packets["protocol"] == 6]
    assert flowstone.by_protocol(part)["protocol"].tolist() == [6]
    assert flowstone.by_flow(part)["packets"].sum() == part["weight"].astype(np.int64).sum()


@pytest.mark.parametrize("body", ["raw", "columns"])
def test_each_flow_may_be_missing_in_a_part(body):
    """A table that shares rows of tuples between packets keeps those of packets that are gone."""
    packets = flowstone.read_batches([(FIXTURES / f"v3-{body}.batch").read_bytes()] * 2)
    numbers, _ = distinct(five_tuples(packets.tuples))
    flow_of = numbers[packets.tuple_of]
    whole = flowstone.by_flow(packets).set_index(FLOW)
    for gone in range(flow_of.max() + 1):
        part = packets[flow_of != gone]
        flows = flowstone.by_flow(part).set_index(FLOW)
        assert len(flows) == len(whole) - 1
        assert flows.equals(whole.loc[flows.index])
        for others in (flowstone.by_flow(part, both_directions=True), flowstone.by_prefix(part), flowstone.by_protocol(part)):
            assert others[["packets", "octets"]].sum().equals(flows[["packets", "octets"]].sum())


@pytest.mark.parametrize("group", [flowstone.by_flow, flowstone.by_prefix, flowstone.by_protocol])
def test_of_no_packets_no_rows(group):
    assert len(group(flowstone.read_batches([]))) == 0


def test_names_what_a_prefix_can_be():
    packets = Traffic(1).packets
    with pytest.raises(ValueError, match="'source' or 'destination' addresses, not 'both'"):
        flowstone.by_prefix(packets, "both")
    with pytest.raises(ValueError, match="ipv4_bits must be 0 to 32: 33"):
        flowstone.by_prefix(packets, ipv4_bits=33)


def test_rows_that_share_a_hash_are_told_apart(monkeypatch):
    """The first hash takes all rows for the same one; then another is drawn."""
    from flowstone import tuples

    real, draws = tuples._hashes, []

    def hashes(words):
        draws.append(len(words))
        return np.zeros(len(words), dtype=np.uint64) if len(draws) == 1 else real(words)

    monkeypatch.setattr(tuples, "_hashes", hashes)
    traffic = Traffic(300)
    assert told(flowstone.by_flow(traffic.packets), FLOW) == traffic.grouped(tuple_of)
    assert len(draws) == 2


@pytest.mark.parametrize(
    "group, missing",
    [
        (flowstone.by_flow, "'source_address', 'destination_address', 'source_port', 'destination_port', 'protocol'"),
        (flowstone.by_prefix, "'source_address', 'destination_address', 'protocol'"),
        (flowstone.by_protocol, "'protocol'"),
    ],
)
def test_names_columns_that_were_not_read(message, group, missing):
    with pytest.raises(KeyError, match=f"no column {missing} was read; there are time_ns, frame_length, weight"):
        group(flowstone.read_batches([message], ["time_ns", "frame_length"]))
