# SPDX-License-Identifier: Apache-2.0
"""Packets by flow, prefix or protocol: one row for each, the most octets first.

packets and octets are sums of the weights, so that those of a sample say what there was; octets are those of the frames on the
wire. Sums are of 64 bits and exact. All is counted by flow first, and that once: there are fewer of these than packets.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from .addresses import format_addresses, is_ipv4
from .arrays import Array
from .extras import needed
from .packets import GROUP_COLUMNS, Packets
from .tuples import distinct, five_tuples, words_of

if TYPE_CHECKING:
    import pandas

NO_IP = "no IP"
"""Stands for the address, the prefix and the protocol of packets without an IP header, as in the results of jobs."""

_IPV4_BITS, _IPV6_BITS = 32, 128
_SUMMED = ("time_ns", "frame_length")
_TELL_IP = ("source_address", "destination_address", "protocol")
_PROTOCOL_NAMES = {
    0: NO_IP,
    1: "ICMP",
    2: "IGMP",
    4: "IPv4",
    6: "TCP",
    17: "UDP",
    41: "IPv6",
    47: "GRE",
    50: "ESP",
    51: "AH",
    58: "ICMPv6",
    89: "OSPF",
    103: "PIM",
    112: "VRRP",
    132: "SCTP",
}


def by_flow(packets: Packets, both_directions: bool = False) -> pandas.DataFrame:
    """What each 5-tuple sent; with both_directions what went either way, under the tuple of its first packet."""
    packets.require(GROUP_COLUMNS)
    flows, sums = packets.once(_flows)
    if both_directions:
        flows, sums = _both_directions(flows, sums)
    # Together, for most addresses are a source here and a destination there.
    texts = format_addresses(np.concatenate([flows["source_address"], flows["destination_address"]]))
    texts[~np.tile(_has_ip(flows), 2)] = NO_IP
    return sums.frame(
        source_address=texts[: len(flows)],
        destination_address=texts[len(flows) :],
        source_port=flows["source_port"],
        destination_port=flows["destination_port"],
        protocol=flows["protocol"],
    )


def by_prefix(packets: Packets, of: str = "destination", ipv4_bits: int = 24, ipv6_bits: int = 48) -> pandas.DataFrame:
    """What came from, or went to, the addresses of each prefix: of is "source" or "destination"."""
    if of not in ("source", "destination"):
        raise ValueError(f"prefixes are of 'source' or 'destination' addresses, not {of!r}")
    for name, bits, most in (("ipv4_bits", ipv4_bits, _IPV4_BITS), ("ipv6_bits", ipv6_bits, _IPV6_BITS)):
        if not 0 <= bits <= most:
            raise ValueError(f"{name} must be 0 to {most}: {bits}")
    packets.require([*_SUMMED, *_TELL_IP])
    tuples, sums = packets.once(_flows)
    addresses = np.ascontiguousarray(tuples[f"{of}_address"])
    ipv4 = is_ipv4(addresses)
    mask = _masks()[np.where(ipv4, _IPV6_BITS - _IPV4_BITS + ipv4_bits, ipv6_bits)]
    prefixes = np.zeros((len(tuples), 3), dtype=np.uint64)
    prefixes[:, :2] = (addresses & mask).view(np.uint64)
    prefixes[:, 2] = _has_ip(tuples)
    codes, first = distinct([*prefixes.T])
    return sums.joined(codes, len(first)).frame(prefix=_prefix_texts(prefixes[first], ipv4_bits, ipv6_bits))


def by_protocol(packets: Packets) -> pandas.DataFrame:
    """What each IP protocol carried, by its number and its usual name; 0 is what has no IP header."""
    packets.require([*_SUMMED, "protocol"])
    flows, sums = packets.once(_flows)
    numbers, codes = np.unique(flows["protocol"], return_inverse=True)
    names = [_PROTOCOL_NAMES.get(number, str(number)) for number in numbers.tolist()]
    return sums.joined(codes, len(numbers)).frame(protocol=numbers, name=np.array(names, dtype=object))


def _flows(packets: Packets) -> tuple[Array, _Sums]:
    """The 5-tuples that packets have, each once and without a hash, and what there is of each."""
    codes, first = distinct(five_tuples(packets.tuples))
    sums = _Sums.of(packets, codes.astype(packets.tuple_of.dtype)[packets.tuple_of], len(first))
    flows = packets.tuples.take(first[sums.group])
    flows["flow_hash"] = 0
    return flows, replace(sums, group=np.arange(len(flows)))  # a part of a table knows flows that have no packets in it


def _both_directions(flows: Array, sums: _Sums) -> tuple[Array, _Sums]:
    codes, first = distinct(five_tuples(_one_direction(flows)))
    joined = sums.joined(codes, len(first))
    began = np.flatnonzero(sums.first_ns == joined.first_ns[codes])[::-1]
    first[codes[began]] = began
    return flows[first], joined


@dataclass(frozen=True)
class _Sums:
    """A row for each group that has packets, and which of the groups it is."""

    group: Array
    packets: Array
    octets: Array
    first_ns: Array
    last_ns: Array

    @classmethod
    def of(cls, packets: Packets, codes: Array, count: int) -> _Sums:
        weights = packets["weight"].astype(np.int64)
        times = packets["time_ns"]
        return cls._added(codes, count, weights, packets["frame_length"] * weights, times, times)

    def joined(self, codes: Array, count: int) -> _Sums:
        """Rows of the same code become one."""
        return self._added(codes, count, self.packets, self.octets, self.first_ns, self.last_ns)

    @classmethod
    def _added(cls, codes: Array, count: int, packets: Array, octets: Array, first_ns: Array, last_ns: Array) -> _Sums:
        all_packets, all_octets = np.zeros(count, dtype=np.int64), np.zeros(count, dtype=np.int64)
        first, last = np.full(count, np.iinfo(np.int64).max), np.full(count, np.iinfo(np.int64).min)
        np.add.at(all_packets, codes, packets)
        np.add.at(all_octets, codes, octets)
        np.minimum.at(first, codes, first_ns)
        np.maximum.at(last, codes, last_ns)
        group = np.flatnonzero(all_packets)
        return cls(group, all_packets[group], all_octets[group], first[group], last[group])

    def frame(self, **names: Array) -> pandas.DataFrame:
        pandas = needed("pandas", "frames")
        order = np.argsort(-self.octets, kind="stable")
        values: dict[str, Any] = {name: column[self.group][order] for name, column in names.items()}
        values |= {"packets": self.packets[order], "octets": self.octets[order]}
        for name, times_ns in (("first_time", self.first_ns), ("last_time", self.last_ns)):
            values[name] = pandas.DatetimeIndex(times_ns[order].view("M8[ns]"), tz="UTC")
        return pandas.DataFrame(values)


def _one_direction(tuples: Array) -> Array:
    """Tuples whose source is the lower endpoint, so that both directions of a flow are one."""
    words = words_of(tuples).byteswap()  # addresses as numbers, the first byte weighing most
    source = [words[:, 0], words[:, 1], tuples["source_port"]]
    destination = [words[:, 2], words[:, 3], tuples["destination_port"]]
    higher = np.zeros(len(tuples), dtype=bool)
    for source_part, destination_part in zip(reversed(source), reversed(destination)):
        higher = (source_part > destination_part) | ((source_part == destination_part) & higher)
    turned = tuples.copy()
    for one, other in (("source", "destination"), ("destination", "source")):
        for part in ("address", "port"):
            turned[f"{one}_{part}"][higher] = tuples[f"{other}_{part}"][higher]
    return turned


def _has_ip(tuples: Array) -> Array:
    addresses_and_protocol = words_of(tuples)[:, [0, 1, 2, 3, 5]]
    return (addresses_and_protocol != 0).any(axis=1)


def _masks() -> Array:
    """For each number of bits the 16 bytes that keep so many first bits of an address."""
    bit = np.arange(_IPV6_BITS)
    return np.packbits(bit[None, :] < np.arange(_IPV6_BITS + 1)[:, None], axis=1)


def _prefix_texts(prefixes: Array, ipv4_bits: int, ipv6_bits: int) -> Array:
    addresses = np.ascontiguousarray(prefixes[:, :2])
    lengths = np.where(is_ipv4(addresses), f"/{ipv4_bits}", f"/{ipv6_bits}").astype(object)
    return np.where(prefixes[:, 2] > 0, format_addresses(addresses) + lengths, NO_IP)
