# SPDX-License-Identifier: Apache-2.0
"""Rings that the C++ producer of hw/conformance fills, which knows nothing but the protocol; and those of the real tap.

The producer numbers its packets in sequence, and offers 74 bytes for each.
"""

import json
import os
import shutil
import struct
import subprocess
import time
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from test_readme import EXAMPLES

import flowstone
from flowstone import layouts

ROOT = Path(__file__).resolve().parents[2]
SLOTS_LOG2 = 10
SLOTS = 1 << SLOTS_LOG2
HEADER = layouts.RING_FILE_HEADER


@pytest.fixture(scope="session")
def program(tmp_path_factory):
    compiler = shutil.which("g++") or shutil.which("clang++")
    if compiler is None:
        pytest.skip("NOT CHECKED: no C++ compiler here for the producer of hw/conformance")
    path = tmp_path_factory.mktemp("conformance") / "ring-producer"
    source = ROOT / "hw/conformance/ring_producer.cpp"
    subprocess.run([compiler, "-std=c++17", "-O2", f"-I{ROOT / 'hw/include'}", source, "-o", path], check=True)
    return path


class Producer:
    def __init__(self, program, folder, slots_log2=SLOTS_LOG2):
        self._process = subprocess.Popen(
            [program, folder, str(slots_log2)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
        )
        self.path = folder / "ring-000.ring"
        assert self._process.stdout.readline() == "ready\n"

    def tell(self, line):
        self._process.stdin.write(line + "\n")
        return self._process.stdout.readline()

    def kill(self):
        self._process.kill()
        self._process.wait()

    def close(self):
        self._process.stdin.close()
        self._process.stdout.close()
        self._process.wait()


@pytest.fixture
def producer(program, tmp_path):
    made = Producer(program, tmp_path / "rings")
    yield made
    made.close()


LINEAGE_OFFSET, LANES_OFFSET = 320, 512
START_NS, STEP_NS = 1_795_219_200_000_000_000, 1_000_000  # the producer's clock


def write_word(path, offset, number):
    with path.open("r+b") as file:
        file.seek(offset)
        file.write(struct.pack("<Q", number))


def changed(path, **fields):
    """The file with other fields of its header."""
    header = np.memmap(path, dtype=HEADER, mode="r+", shape=1)
    for name, value in fields.items():
        header[name] = value
    header.flush()


def test_reads_what_was_written(producer):
    producer.tell("write 100")
    packets = flowstone.read_ring(producer.path)
    assert packets["sequence"].tolist() == list(range(100))
    assert np.all(packets["frame_length"] == 74) and np.all(packets["kind"] == layouts.RecordKind.IPV4)
    assert packets.columns == flowstone.COLUMNS
    assert set(flowstone.by_flow(packets)["source_address"]) == {"192.0.2.10"}


def test_goes_on_where_it_was(producer):
    producer.tell("write 10")
    with flowstone.Ring(producer.path) as ring:
        assert ring.read()["sequence"].tolist() == list(range(10))
        assert len(ring.read()) == 0
        producer.tell("write 20")
        assert ring.read()["sequence"].tolist() == list(range(10, 30))
        assert not ring.ended
        producer.tell("end")
        assert ring.ended and len(ring.read()) == 0


def test_reads_a_part_at_a_time(producer):
    producer.tell("write 100")
    with flowstone.Ring(producer.path, columns=["sequence"]) as ring:
        assert ring.read(most_records=11)["sequence"].tolist() == list(range(10))  # a TIME record comes first
        assert ring.read(most_records=11)["sequence"].tolist() == list(range(10, 21))


def test_takes_no_lane_and_writes_nothing(producer):
    producer.tell("write 100")
    before = producer.path.read_bytes()
    with flowstone.Ring(producer.path) as ring:
        ring.read()
        with pytest.raises(ValueError, match="read-only"):
            ring._header["position"] = 0
    assert producer.path.read_bytes() == before


def test_counts_what_it_was_too_late_for(producer):
    with flowstone.Ring(producer.path) as ring:
        producer.tell("write 300")
        first = ring.read()
        producer.tell("write 5000")
        producer.tell("end")
        second = ring.read()
        assert ring.overrun_slots > 0
        assert len(first) == 300 and first.lost_before == 0
        assert len(first) + len(second) + second.lost_before == ring.counters.offered_packets == 5300
        sequence = second["sequence"].astype(np.int64)
        assert np.all(np.diff(sequence) == 1)
        assert np.array_equal(second["time_ns"], START_NS + sequence * STEP_NS), "a time of before the overrun is no base any more"


def test_whoever_comes_late_reads_what_is_there(producer):
    producer.tell("write 5000")
    packets = flowstone.read_ring(producer.path)
    assert packets.lost_before == 0, "nobody promised to read those"
    assert np.all(np.diff(packets["sequence"].astype(np.int64)) == 1)


def test_latest_begins_at_the_latest_time(producer):
    producer.tell("write 500")
    with flowstone.Ring(producer.path, since="latest") as ring:
        position = ring.next_position
        assert layouts.RecordKind.TIME == ring._slots["descriptor"][position % SLOTS] >> 26 & 7
        assert ring.read()["sequence"][-1] == 499
    with pytest.raises(ValueError, match="since must be 'oldest' or 'latest': 'now'"):
        flowstone.Ring(producer.path, since="now")


def test_times_are_whole_beyond_four_seconds(program, tmp_path):
    """The producer's packets are a millisecond apart; a record has the low 32 bits of the time, which are 4.3 s."""
    producer = Producer(program, tmp_path / "rings", slots_log2=14)
    producer.tell("write 9000")
    packets = flowstone.read_ring(producer.path)
    producer.close()
    assert packets["time_ns"].tolist() == [START_NS + number * STEP_NS for number in range(9000)]


def test_losses_before_the_tap(producer):
    producer.tell("write 5")
    producer.tell("lose 7")
    producer.tell("write 5")
    packets = flowstone.read_ring(producer.path)
    assert (len(packets), packets.lost_before, packets.lost_before_tap) == (10, 0, 7)
    assert packets.batches["lost_before_tap"].tolist() == [0, 7]


def hold_lane(path):
    """By hand, so that the ring fills up and drops."""
    lane = {"claim": (0, 1 << 48), "alive_ns": (8, time.monotonic_ns()), "expiry_s": (16, 600)}
    for offset, number in sorted(lane.values(), reverse=True):
        write_word(path, LANES_OFFSET + offset, number)


def test_losses_that_the_ring_had_no_room_for(producer):
    """A lane is held, and freed again."""
    hold_lane(producer.path)
    with flowstone.Ring(producer.path) as ring:
        producer.tell("write 3000")
        packets = [ring.read()]
        assert ring.counters.dropped_packets > 1000
        write_word(producer.path, LANES_OFFSET, 0)
        producer.tell("write 10")
        producer.tell("end")
        packets.append(ring.read())
        assert len(packets[1]) == 10 and packets[1].batches["lost_before"][0] == ring.counters.dropped_packets
        assert ring.overrun_slots == 0
        assert sum(len(part) + part.lost_before for part in packets) == ring.counters.offered_packets == 3010
        assert ring.counters.written_packets + ring.counters.dropped_packets == 3010
        assert ring.counters.lost_recorded == ring.counters.dropped_packets and ring.counters.offered_bytes == 3010 * 74


def test_losses_that_no_record_tells_come_once_with_the_end(producer):
    """As a tap ends whose full ring has no slot for its last LOSS record."""
    producer.tell("write 10")
    with flowstone.Ring(producer.path) as ring:
        assert len(ring.read()) == 10
        changed(producer.path, offered_packets=17, dropped_packets=7, lost_before_tap=3)
        assert ring.read().lost_before == 0, "until it has ended, a record may tell"
        changed(producer.path, state=layouts.RingState.ENDED)
        last = ring.read()
        assert (len(last), last.lost_before, last.lost_before_tap) == (0, 7, 3)
        assert last.batches["time_base_ns"].tolist() == [START_NS]
        assert len(ring.read().batches) == 0
    whole = flowstone.read_ring(producer.path)
    assert (len(whole), whole.lost_before, whole.lost_before_tap) == (10, 7, 3)


def test_the_end_is_told_where_it_is_reached(producer):
    producer.tell("write 10")
    changed(producer.path, offered_packets=17, state=layouts.RingState.ENDED)
    with flowstone.Ring(producer.path) as ring:
        assert ring.read(most_records=5).lost_before == 0
        assert ring.read().lost_before == 7


def test_losses_of_a_ring_that_was_never_told_a_time(producer):
    changed(producer.path, offered_packets=5, dropped_packets=5, created_ns=START_NS - 9, state=layouts.RingState.ENDED)
    packets = flowstone.read_ring(producer.path)
    assert (len(packets), packets.lost_before) == (0, 5)
    assert (packets.batches["time_base_ns"].tolist(), packets.batches["clock_trusted"].tolist()) == ([START_NS - 9], [False])


def test_sees_that_the_file_is_another(producer):
    producer.tell("write 10")
    with flowstone.Ring(producer.path) as ring:
        assert not ring.replaced
        shutil.copy(producer.path, producer.path.with_suffix(".new"))
        producer.path.with_suffix(".new").rename(producer.path)
        assert ring.replaced and len(ring.read()) == 10
        with flowstone.Ring(producer.path) as anew:
            assert not anew.replaced
        producer.path.unlink()
        assert not ring.replaced, "nobody knows who writes where"


def test_what_a_killed_tap_dropped_last_is_told_once_another_has_its_place(producer, program):
    hold_lane(producer.path)
    producer.tell("lose 4")
    with flowstone.Ring(producer.path) as ring:
        producer.tell("write 3000")
        producer.tell("lose 3")
        producer.tell("write 64")
        producer.kill()
        first = ring.read()
        counters = ring.counters
        assert len(first) == counters.written_packets and first.lost_before == 0, "a record may tell"
        successor = Producer(program, producer.path.parent)
        successor.close()
        assert ring.replaced and not ring.ended
        last = ring.read()
        assert len(last) == 0
        assert last.lost_before == counters.dropped_packets == 3064 - len(first) > 1000
        assert first.lost_before_tap + last.lost_before_tap == counters.lost_before_tap == 7
        assert len(ring.read().batches) == 0, "it is told once"
        inherited = struct.unpack_from("<QQQ", producer.path.read_bytes(), LINEAGE_OFFSET)
        assert inherited == (ring.incarnation, len(first) + last.lost_before, 7), "as a reader knows it that goes on there"


def test_the_loop_of_the_readme_tells_all_of_a_killed_tap_and_of_the_next(producer, program, monkeypatch):
    """Each step comes between the loop's look at the ring and its read, which is when it could go wrong."""
    successors = []

    def fill_up():
        hold_lane(producer.path)
        producer.tell("write 3000")

    def die():
        producer.kill()
        producer.path.unlink()

    def come_again():
        successors.append(Producer(program, producer.path.parent))

    def end():
        successors[0].tell("write 20")
        successors[0].tell("end")

    steps = iter([lambda: producer.tell("write 10"), fill_up, die, lambda: None, come_again, lambda: None, end])
    read, parts = flowstone.Ring.read, []

    def step_and_read(ring):
        next(steps, lambda: None)()
        parts.append(read(ring))
        assert len(parts) < 20, "the loop goes on for ever"
        return parts[-1]

    monkeypatch.setattr(flowstone.Ring, "read", step_and_read)
    monkeypatch.setattr(time, "sleep", lambda seconds: None)
    [loop] = [text for _, text in EXAMPLES if "ring.replaced" in text]
    exec(compile(loop, "README.md, the loop", "exec"), {"flowstone": flowstone, "demo": SimpleNamespace(rings=producer.path.parent)})
    successors[0].close()
    assert [len(part) for part in parts[-2:]] == [20, 0]
    assert sum(part.lost_before for part in parts) > 1000
    assert sum(len(part) + part.lost_before for part in parts) == 3010 + 20


def test_a_closed_ring_says_so(producer):
    ring = flowstone.Ring(producer.path)
    ring.close()
    for ask in (ring.read, lambda: ring.counters, lambda: ring.ended):
        with pytest.raises(ValueError, match="ring-000.ring was closed by this reader: open it anew"):
            ask()


def test_no_ring_stays_open_when_one_is_none(producer, monkeypatch):
    producer.tell("write 10")
    [ring] = flowstone.rings(producer.path.parent)
    with ring:
        assert len(ring.read()) == 10
    (producer.path.parent / "ring-001.ring").write_bytes(b"none")
    closed = []
    monkeypatch.setattr(flowstone.Ring, "close", lambda ring: closed.append(ring.number))
    with pytest.raises(flowstone.RingError, match="ring-001.ring has 4 bytes"):
        flowstone.rings(producer.path.parent)
    assert closed == [0]


def test_a_copy_that_may_be_torn_is_thrown_away(producer, monkeypatch):
    """The tap announces more, and writes, between the copy and the look at the announcement."""
    from flowstone import ringfile

    producer.tell("write 900")
    with flowstone.Ring(producer.path) as ring:
        calls = []

        def meanwhile():
            calls.append(ring.next_position)
            if len(calls) == 1:
                producer.tell("write 700")
                producer.tell("end")

        monkeypatch.setattr(ringfile, "_fence", meanwhile)
        packets = ring.read()
        assert ring.overrun_slots > 0 and calls[0] == 0 < calls[1]
        rest = ring.read()
        both = np.concatenate([packets["sequence"], rest["sequence"]]).astype(np.int64)
        assert np.all(np.diff(both) == 1) and both[-1] == 1599
        assert len(both) + packets.lost_before + rest.lost_before == 1600


def test_a_record_of_another_lap_is_damage(producer):
    producer.tell("write 100")
    with producer.path.open("r+b") as file:
        file.seek(layouts.RING_FILE_HEADER_HEADER_BYTES + 64 * 50 + 63)
        file.write(b"\x44")  # kind IPv4, generation 2 where the first lap has 1
    with pytest.raises(flowstone.RingError, match="ring-000.ring: the record at position 50 is not of this lap of the ring .generation 2"):
        flowstone.read_ring(producer.path)


@pytest.mark.parametrize(
    "fields, reason",
    [
        ({"magic": 1}, "is not a ring file"),
        ({"abi_version": 9}, "has ring version 9, this reader knows 2"),
        ({"content": 9}, "holds content 9, not packet records"),
        ({"slots_log2": 9}, r"says that it has 2\^9 slots"),
        ({"slots_log2": 11}, r"has \d+ bytes where 2\^11 slots take 196608"),
        ({"ring": 1}, "says that it is ring 1 of 1"),
    ],
)
def test_refuses_what_is_no_ring(producer, fields, reason):
    changed(producer.path, **fields)
    with pytest.raises(flowstone.RingError, match=f"ring-000.ring {reason}"):
        flowstone.Ring(producer.path)


def test_refuses_a_file_without_a_header_and_a_folder_without_rings(tmp_path):
    (tmp_path / "short").write_bytes(b"FLOWRING")
    with pytest.raises(flowstone.RingError, match="has 8 bytes, fewer than the header of a ring file"):
        flowstone.Ring(tmp_path / "short")
    with pytest.raises(flowstone.RingError, match="has no ring files"):
        flowstone.rings(tmp_path)


@pytest.fixture(scope="module")
def tap():
    if not (ROOT / "tap/target/classes").is_dir() or shutil.which("java") is None:
        pytest.skip("NOT CHECKED: the tap is not built here")
    return [ROOT / "flowstone", "tap", "synthetic", "--start", "now", "--unlimited", "--when-full", "drop", "--ring-bytes", "1m"]


def test_a_tap_at_full_speed_overruns_and_tears_nothing(tap, tmp_path):
    """orderly traffic: whole flows, so that a flow's packets stay together; rings so small that every read is too late for some."""
    folder, report = tmp_path / "rings", tmp_path / "report.json"
    process = subprocess.Popen(
        [*map(str, tap), "--preset", "orderly", "--packets", "3000000", "--rings", folder, "--report", report],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        # Without a build: a test does not compile the project when a former step has failed.
        env=os.environ | {"FLOWSTONE_BUILT": "yes"},
    )
    while process.poll() is None and len(list(folder.glob("ring-*.ring"))) < 2:
        time.sleep(0.01)
    opened, parts = flowstone.rings(folder), {}
    while not all(ring.ended for ring in opened):
        for ring in opened:
            parts.setdefault(ring.number, []).append(ring.read())
    for ring in opened:
        parts[ring.number].append(ring.read())
    assert process.wait() == 0, process.stdout.read()
    process.stdout.close()
    told = json.loads(report.read_text())["rings"]
    for ring in opened:
        packets = flowstone.concatenate(parts[ring.number])
        missed = packets.lost_before
        # Who opens a ring that is under way was promised nothing of what came before.
        before = ring.counters.offered_packets - len(packets) - missed
        assert ring.counters.offered_packets == ring.counters.written_packets == told[ring.number]["offered"]
        assert ring.overrun_slots > 0 and missed > 0 and before >= 0
        assert len(packets) > 0
        assert np.all(np.diff(packets["time_ns"]) >= 0), "orderly traffic comes in the order of time"
        assert np.all(np.isin(packets["kind"], [layouts.RecordKind.IPV4, layouts.RecordKind.IPV6]))
        assert np.array_equal(flow_hashes(packets), packets["flow_hash"]), "a record of which half is another's"
        ring.close()


def flow_hashes(packets):
    """From addresses and ports, as docs/formats/flow-hash.md says: a torn record would have another one."""
    from flowstone.flowhash import flow_hashes as hashes

    a, b = (np.ascontiguousarray(packets[f"{side}_address"]).view(np.uint64) for side in ("source", "destination"))
    return hashes(a, b, np.arange(len(packets)), packets["source_port"], packets["destination_port"], packets["protocol"])
