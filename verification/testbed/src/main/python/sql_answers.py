# SPDX-License-Identifier: Apache-2.0
"""Compares answers to the queries of docs/queries.md with the packets, counted here without SQL.

    sql_answers.py so-far OUTPUT       the client's output for --so-far
    sql_answers.py live OUTPUT...      the client's output for each live query, ended by Ctrl-C

The demo has ended its traffic and stays up. The demo's rings still have every packet. Tables are found by the names of their columns.
"""

import ipaddress
import math
import re
import sys
from collections import Counter
from functools import cached_property

import numpy as np
import pandas

import flowstone

TABLE = re.compile(r"^\+[-+]+\+\n\|(.*)\|\n\+[-+]+\+\n((?:\|.*\|\n)+)", re.MULTILINE)
COLUMNS = ("tcp_flags", *flowstone.GROUP_COLUMNS)
SECOND_NS = 1_000_000_000
TCP, UDP, WEB, MAIL = 6, 17, 80, 25
SYN, ACK = 0x02, 0x10
FLAGS = {0x01: "FIN", SYN: "SYN", 0x04: "RST", 0x08: "PSH", ACK: "ACK", 0x20: "URG", 0x40: "ECE", 0x80: "CWR"}
NETWORK = ipaddress.ip_network("0.0.0.0/2")
CHANGE_COLUMN = "op"
# A query begins each ring at its latest clock record, up to a second old: rings may begin on both sides of a second, and none at its start. With
# these two windows, one that is whole and one that Ctrl-C may cut, the test that asks waits for four.
PARTIAL_WINDOWS = 2


def cells(line):
    return tuple(cell.strip() for cell in line.strip().strip("|").split("|"))


def tables(path):
    """Rows by their columns' names; a question that was asked twice has one answer."""
    with open(path) as file:
        found = [(cells(head), [cells(row) for row in rows.splitlines()]) for head, rows in TABLE.findall(file.read())]
    answers = dict(found)
    for head, rows in found:
        assert Counter(answers[head]) == Counter(rows), f"{head}: two answers, {rows} and {answers[head]}"
    return answers


def time_text(second):
    return pandas.Timestamp(second * SECOND_NS).strftime("%Y-%m-%d %H:%M:%S.000")


def flags_text(flags):
    return ",".join(name for bit, name in FLAGS.items() if flags & bit)


def network(address):
    version = ipaddress.ip_address(address).version
    return str(ipaddress.ip_network((address, 24 if version == 4 else 48), strict=False))


def percentile(ordered, share):
    """Between two numbers as Flink reckons: NumPy rounds otherwise, which would tell where it is cut to a whole one."""
    place = share * (len(ordered) - 1)
    low, high = math.floor(place), math.ceil(place)
    return ordered[low] if low == high else (high - place) * ordered[low] + (place - low) * ordered[high]


class Truth:
    """What packets say. Each method gives one table's rows, as the client writes them; without IP there are no packets, which SQL has as NULL."""

    def __init__(self, demo):
        rings = flowstone.rings(demo.rings, columns=COLUMNS)
        self.packets = flowstone.concatenate([ring.read() for ring in rings])
        for ring in rings:
            ring.close()
        flags = self.packets["tcp_flags"]
        tcp = self.packets["protocol"] == TCP
        self.opening_syns = self._frame(tcp & (flags & (SYN | ACK) == SYN))
        has_ports = np.isin(self.packets["protocol"], [TCP, UDP])  # without IP the field has the EtherType
        self.mail = self._frame(has_ports & (self.packets["destination_port"] == MAIL))
        self.web = tcp & (self.packets["source_port"] == WEB) & (flags & (SYN | ACK) != SYN)
        self.sample = flowstone.consume(demo.kafka, demo.topic, columns=flowstone.GROUP_COLUMNS)
        self.alerts = flowstone.results(demo.kafka, demo.results_topic, kind="alert")

    def _frame(self, mask):
        chosen = self.packets[mask]
        columns = {name: chosen[name] for name in COLUMNS}
        for name in ("source_address", "destination_address"):
            columns[name] = flowstone.format_addresses(columns[name])
        return pandas.DataFrame(columns)

    @cached_property
    def seconds_of_sources(self):
        """Packets and octets by second and source."""
        words = np.ascontiguousarray(self.packets["source_address"]).view("u8")
        frame = pandas.DataFrame({"high": words[:, 0], "low": words[:, 1], "octets": self.packets["frame_length"].astype("i8")})
        frame["second"] = self.packets["time_ns"] // SECOND_NS
        sums = frame.groupby(["second", "high", "low"])["octets"].agg(["size", "sum"]).reset_index()
        addresses = np.ascontiguousarray(sums[["high", "low"]].to_numpy(dtype="u8")).view("u1")
        return sums.assign(source=flowstone.format_addresses(addresses))

    @cached_property
    def seconds_of_networks(self):
        """SYNs by network and second."""
        addresses = self.opening_syns["destination_address"]
        networks = addresses.map({address: network(address) for address in addresses.unique()})
        return Counter(zip(networks, self.opening_syns["time_ns"] // SECOND_NS))

    def top_talkers(self):
        sums = self.seconds_of_sources.groupby("source")[["size", "sum"]].sum().nlargest(5, "sum")
        return [(source, str(size), str(octets)) for source, size, octets in sums.itertuples()]

    def talkers_by_second(self):
        many = self.seconds_of_sources.query("size > 1000")
        return [
            (time_text(second), source, str(size), str(octets))
            for second, source, size, octets in many[["second", "source", "size", "sum"]].itertuples(index=False)
        ]

    def seconds(self):
        sums = self.seconds_of_sources.groupby("second")[["size", "sum"]].sum()
        return [(time_text(second), str(size), str(octets)) for second, size, octets in sums.itertuples()]

    def syns(self):
        return [(to, time_text(second), str(count)) for (to, second), count in self.seconds_of_networks.items()]

    def syns_by_second(self):
        return [(time_text(second), to, str(count)) for (to, second), count in self.seconds_of_networks.items() if count > 10]

    def mail_of_networks(self):
        sources = self.mail["source_address"]
        inside = [address for address in sources.unique() if ipaddress.ip_address(address) in NETWORK]
        chosen = self.mail[sources.isin(inside)]
        columns = chosen[["time_ns", "source_address", "destination_address", "tcp_flags", "frame_length"]]
        return [
            (str(time), source, destination, flags_text(flags), str(length))
            for time, source, destination, flags, length in columns.itertuples(index=False)
        ]

    def gaps_of_mail(self):
        """The 99th percentile of gaps, cut to a whole number, of each flow with more than ten."""
        rows = []
        flows = ["source_address", "destination_address", "source_port", "destination_port", "protocol"]
        for flow, packets in self.mail.groupby(flows):
            gaps = np.sort(np.diff(np.sort(packets["time_ns"]))).tolist()
            if len(gaps) > 10:
                rows.append((flow[0], str(flow[2]), flow[1], str(len(gaps)), str(int(percentile(gaps, 0.99)))))
        return rows

    def estimate(self):
        """Counted out of the rings, and out of the messages that rules chose."""
        full = self.packets["frame_length"][self.web].astype("i8")
        kept = (self.sample["protocol"] == TCP) & (self.sample["source_port"] == WEB)
        weights = self.sample["weight"][kept].astype("i8")
        octets = int((weights * self.sample["frame_length"][kept]).sum())
        return len(full), int(weights.sum()), int(full.sum()), octets, int(kept.sum())

    def alerts_packets(self):
        rows = []
        floods = self.alerts[self.alerts["detector"] == "syn_flood"]
        for (detector, subject, address), told in floods.groupby(["detector", "subject", "address"]):
            to = self.opening_syns[self.opening_syns["destination_address"] == address]
            its = to[to["time_ns"].between(told["first_time_ns"].min(), told["last_time_ns"].max())]
            rows.append((detector, subject, str(len(its)), str(its["source_address"].nunique()), str(its["frame_length"].min())))
        return rows


def require_same(name, answer, truth):
    """In any order: of rows that are equal by what they are sorted by, any may come first."""
    missing, wrong = Counter(truth) - Counter(answer), Counter(answer) - Counter(truth)
    assert not missing and not wrong, f"{name}: not told {few(missing)}; told and not so {few(wrong)}"
    assert answer, f"{name}: the packets of this run give no row, so nothing was compared"
    print(f"{name}: {len(answer)} rows")


def require_first(name, answer, truth, column, most):
    """Those with the greatest numbers in a column."""
    wrong = Counter(answer) - Counter(truth)
    assert not wrong, f"{name}: told and not so {few(wrong)}"
    assert answer, f"{name}: the packets of this run give no row, so nothing was compared"
    greatest = sorted((int(row[column]) for row in truth), reverse=True)[:most]
    assert [int(row[column]) for row in answer] == greatest, f"{name}: {answer}, where {greatest} are the greatest"
    print(f"{name}: {len(answer)} of {len(truth)} rows")


def few(rows):
    return list(rows)[:5]


def require_all(answers, truth):
    require_first("top talkers", answers["source_address", "packets", "octets"], truth.top_talkers(), column=2, most=5)
    require_first("SYNs", answers["network", "window_start", "syns"], truth.syns(), column=2, most=5)
    gaps = answers["source_address", "source_port", "destination_address", "gaps", "p99_ns"]
    require_first("p99 of flows", gaps, truth.gaps_of_mail(), column=4, most=5)
    alerts = answers["detector", "subject", "packets", "sources", "shortest"]
    require_same("an alert's packets", alerts, truth.alerts_packets())
    require_estimate(answers, truth)


def require_estimate(answers, truth):
    names = ("full_packets", "estimated_packets", "full_octets", "estimated_octets", "kept")
    head = ("full_packets", "estimated_packets", "packets_ratio", "full_octets", "estimated_octets", "octets_ratio", "kept")
    (row,) = answers[head]
    told = dict(zip(head, map(float, row)))
    require_same("estimate", [tuple(told[name] for name in names)], [truth.estimate()])
    for what in ("packets", "octets"):
        assert np.isclose(told[f"{what}_ratio"], told[f"estimated_{what}"] / told[f"full_{what}"]), told


def require_live(path, truth):
    """Windows that are whole have the rows that all packets give; a row for each packet was told of a packet that there is."""
    ((head, rows),) = tables(path).items()
    assert head[0] == CHANGE_COLUMN and {row[0] for row in rows} == {"+I"}, head
    name, answer = f"live {', '.join(head[1:])}", [row[1:] for row in rows]
    windows_of = {
        ("window_start", "source_address", "packets", "octets"): truth.talkers_by_second,
        ("window_start", "network", "syns"): truth.syns_by_second,
        ("window_start", "packets", "octets"): truth.seconds,
    }
    if head[1:] in windows_of:
        windows = sorted({row[0] for row in answer})[PARTIAL_WINDOWS:]
        assert len(windows) > 1, f"{name}: no whole window in {few(answer)}"
        told, there = ([row for row in rows if windows[0] <= row[0] < windows[-1]] for rows in (answer, windows_of[head[1:]]()))
        require_same(name, told, there)
    else:
        wrong = Counter(answer) - Counter(truth.mail_of_networks())
        assert answer and not wrong, f"{name}: told and not so {few(wrong)}"
        print(f"{name}: {len(answer)} rows")


def main(kind, *paths):
    truth = Truth(flowstone.find_demo())
    for path in paths:
        if kind == "live":
            require_live(path, truth)
        else:
            require_all(tables(path), truth)


if __name__ == "__main__":
    main(*sys.argv[1:])
