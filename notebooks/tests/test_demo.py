# SPDX-License-Identifier: Apache-2.0
"""Asks the demo that runs here. What must come out, other parts of the product counted: writers in stage results, the tap, QuestDB.

The demo's traffic has ended and all stays up (./flowstone demo --keep); while packets still come, nothing could be compared.
"""

import json
import time
from urllib.request import urlopen

import confluent_kafka
import numpy as np
import pytest
from conftest import FIXTURES

import flowstone
import flowstone.launcher

pytestmark = pytest.mark.demo

PACKETS_WRITER = "Kafka: packets: Writer"
PATIENCE_SECONDS = 60


@pytest.fixture(scope="module")
def counted(demo):
    """The latest of what each subtask of each stage counted, once Kafka's consumers find no more than a moment before."""
    ends, before = time.monotonic() + PATIENCE_SECONDS, None
    while time.monotonic() < ends:
        stages = flowstone.result_messages(demo.kafka, demo.results_topic, kind="stage")
        latest = {(stage["stage"], stage["subtask"]): stage for stage in sorted(stages, key=lambda stage: stage["time_ns"])}
        writers = [stage for (name, _), stage in latest.items() if name == PACKETS_WRITER]
        now = {name: sum(writer[name] for writer in writers) for name in ("packets_packed", "batches_packed")}
        if now == before and now["packets_packed"] > 0:
            return now
        before = now
        time.sleep(3)
    pytest.fail(f"the demo's counts do not come to rest: {before}")


@pytest.fixture(scope="module")
def packets(demo, counted):
    return flowstone.consume(demo.kafka, demo.topic)


def test_consumes_every_packet_once(packets, counted):
    assert (len(packets), len(packets.batches)) == (counted["packets_packed"], counted["batches_packed"])
    assert packets.repeated == 0
    places = packets.batches[["partition", "offset"]]
    assert len(np.unique(places)) == len(places)
    assert all(packets.batches["rule_name"]), "a demo's packets are there by a rule, whose name is a header of the message"


def test_consumes_what_was_committed_and_nothing_else(demo):
    """Rolled back first: whoever reads all there is would find that, too."""
    topic = f"rolled-back-{time.time_ns()}"
    flowstone.launcher.create_topics(demo.kafka, {topic: 1})
    producer = confluent_kafka.Producer({"bootstrap.servers": demo.kafka, "transactional.id": topic})
    producer.init_transactions()
    for end in (producer.abort_transaction, producer.commit_transaction):
        producer.begin_transaction()
        producer.produce(topic, (FIXTURES / "v3-raw.batch").read_bytes())
        producer.flush()
        end()
    assert len(flowstone.consume(demo.kafka, topic).batches) == 1


def test_offered_is_read_and_lost_and_dropped_in_the_rings(demo):
    """By the rings' own headers, which the tap writes."""
    for ring in flowstone.rings(demo.rings):
        with ring:
            read = ring.read()
            counters = ring.counters
            assert counters.offered_packets == counters.written_packets + counters.dropped_packets
            first = read.batches["first_position"][0]
            if first == 1:  # else the tap has written over the ring's beginning
                assert len(read) + read.lost_before == counters.offered_packets
            assert ring.ended and len(read) > 0


def test_packets_of_topic_stand_in_rings(demo, packets):
    """Those of a batch, by its stream and positions, in their order; between them may be packets of other rules, or not sampled."""
    names = ("source_address", "destination_address", "source_port", "destination_port", "sequence", "flow_hash", "tcp_flags")
    rings = {ring.stream: ring for ring in flowstone.rings(demo.rings)}
    batches = packets.batches
    oldest = np.array([rings[stream].next_position for stream in batches["stream"]])
    # Mail goes to Kafka under other addresses.
    chosen = np.flatnonzero((batches["rule_name"] != "mail") & (batches["first_position"] >= oldest))
    for number in chosen[:: max(1, len(chosen) // 100)]:
        batch, ring = batches[number], rings[batches["stream"][number]]
        slots = (int(batch["first_position"]) + np.arange(int(batch["position_span"]) + 1)) % ring.slots
        assert is_part_in_order(rows(packets[packets.batch_of == number], names), rows(ring._slots[slots], names)), batch
    for ring in rings.values():
        ring.close()
    assert len(chosen) > 100


def rows(table, names):
    return zip(*(map(bytes, table[name]) if table[name].ndim > 1 else table[name].tolist() for name in names), strict=True)


def is_part_in_order(part, whole):
    """Each is looked for behind the one before it."""
    return all(row in whole for row in part)


def test_streams_what_it_consumes(demo, packets):
    parts = list(flowstone.stream(demo.kafka, demo.topic, columns=["time_ns"], most_packets=len(packets) // 3))
    assert len(parts) >= 3 and sum(map(len, parts)) == len(packets)
    assert np.array_equal(np.sort(np.concatenate([part["time_ns"] for part in parts])), np.sort(packets["time_ns"]))


def test_ends_with_as_many_as_were_asked_for(demo):
    few = flowstone.consume(demo.kafka, demo.topic, packets=1000)
    assert len(few) >= 1000 > len(few) - few.batches["count"][-1]


def test_waits_for_what_arrives(demo):
    began = time.monotonic()
    assert len(flowstone.consume(demo.kafka, demo.topic, seconds=1)) == 0
    assert 1 <= time.monotonic() - began < 10


def test_packets_of_a_time(demo, packets):
    times = packets["time_ns"]
    begin, end = (int(each) for each in np.quantile(times, [0.4, 0.6]))
    between = flowstone.packets_between(demo.kafka, demo.topic, begin, end)
    inside = packets[(times >= begin) & (times < end)]
    assert len(between) == len(inside) > 0
    order = [np.lexsort([part["sequence"], part["flow_hash"], part["time_ns"]]) for part in (between, inside)]
    assert np.array_equal(between.to_array()[order[0]], inside.to_array()[order[1]])
    assert len(between.batches) < len(packets.batches)
    assert len(flowstone.packets_between(demo.kafka, demo.topic, 0, 1)) == 0


def test_groups_add_up(packets):
    total = int(packets["weight"].astype(np.int64).sum())
    octets = int((packets["weight"].astype(np.int64) * packets["frame_length"]).sum())
    for frame in (flowstone.by_flow(packets), flowstone.by_flow(packets, both_directions=True), flowstone.by_prefix(packets)):
        assert (int(frame["packets"].sum()), int(frame["octets"].sum())) == (total, octets)
    assert "TCP" in set(flowstone.by_protocol(packets)["name"])


@pytest.mark.parametrize("kind", ["alert", "histogram", "flow_record"])
def test_kafka_and_questdb_tell_the_same(demo, counted, kind):
    if demo.questdb is None:
        pytest.skip("NOT CHECKED: this demo does without QuestDB")
    of_kafka = flowstone.results(demo.kafka, demo.results_topic, kind=kind)
    assert len(of_kafka) > 0
    assert flowstone.query(f"SELECT count() FROM {kind}")["count()"][0] == len(of_kafka)
    first = of_kafka["time"].min()
    later = flowstone.table(kind, begin=(first + np.timedelta64(1, "ns")).isoformat())
    assert len(later) == (of_kafka["time"] > first).sum() and later["time"].is_monotonic_increasing
    assert sorted(later["time"]) == sorted(of_kafka["time"][of_kafka["time"] > first])


def test_histograms_are_those_that_java_counted(demo, counted):
    results = flowstone.results(demo.kafka, demo.results_topic, kind="histogram")
    for histogram, result in zip(flowstone.histograms_of(results), results.to_dict("records")):
        assert histogram.count == result["count"]
        if result["count"] > 0:
            found = histogram.quantiles([0.5, 0.9, 0.99, 0.999])
            told = [result[name] for name in ("p50", "p90", "p99", "p99_9")]
            assert all(one == other or (other == result["max"] and one >= other) for one, other in zip(found, told))


def test_a_query_that_is_refused(demo):
    if demo.questdb is None:
        pytest.skip("NOT CHECKED: this demo does without QuestDB")
    with pytest.raises(flowstone.QuestDbError, match=r"table does not exist \[table=nothing\] at position 14: 'nothing'"):
        flowstone.query("SELECT * FROM nothing")


def test_names_the_topics_that_are_there(demo):
    with pytest.raises(ValueError, match=f"no topic 'nothing' at {demo.kafka}; there are: .*{demo.topic}, {demo.results_topic}"):
        flowstone.consume(demo.kafka, "nothing")
    with pytest.raises(flowstone.BatchError, match=f"header.magic of message [0-9]+ of partition 0 of topic {demo.results_topic}: "):
        flowstone.consume(demo.kafka, demo.results_topic)


def test_what_answers_elsewhere_is_no_questdb(demo):
    assert json.load(urlopen(f"{demo.flink}/overview"))["taskmanagers"] >= 1
    with pytest.raises(ConnectionError, match="is no QuestDB"):
        flowstone.query("SELECT 1", demo.flink)


def test_parquet_holds_the_topic(demo, packets, tmp_path):
    written = flowstone.write_parquet(flowstone.stream(demo.kafka, demo.topic, most_packets=200_000), tmp_path / "topic.parquet")
    read = flowstone.read_parquet(tmp_path / "topic.parquet")
    assert written == len(read) == len(packets)
    assert np.array_equal(np.sort(read["time_ns"]), np.sort(packets["time_ns"]))
