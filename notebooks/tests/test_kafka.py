# SPDX-License-Identifier: Apache-2.0
"""What is refused without a broker, and what a broker of the client's own (test.mock.num.brokers) brings about; test_demo.py reads from the
product's."""

import subprocess
import sys
import time
from types import SimpleNamespace

import confluent_kafka
import pytest
from conftest import FIXTURES, with_header

import flowstone
from flowstone import kafka

NOBODY = "127.0.0.1:1"


def test_says_that_no_broker_answers(monkeypatch):
    monkeypatch.setattr("flowstone.kafka._LONGEST_WAIT_SECONDS", 1.0)
    with pytest.raises(ConnectionError, match=f"no Kafka broker answers at {NOBODY}"):
        flowstone.consume(NOBODY)


def test_names_what_cannot_be_asked():
    with pytest.raises(ValueError, match="since must be 'beginning' or 'latest': 'now'"):
        flowstone.consume(NOBODY, since="now")
    with pytest.raises(ValueError, match="since='latest' needs seconds"):
        flowstone.consume(NOBODY, since="latest")
    with pytest.raises(ValueError, match="a range begins before it ends: 2 to 2"):
        flowstone.packets_between(NOBODY, "packets", 2, 2)
    with pytest.raises(ValueError, match="no column 'colour'"):
        flowstone.consume(NOBODY, columns=["colour"])
    with pytest.raises(ValueError, match="packets must be 0 or more: -1"):
        flowstone.consume(NOBODY, packets=-1)
    with pytest.raises(ValueError, match="Kafka's client refuses its settings: No such configuration property: \"colour\""):
        flowstone.consume(NOBODY, settings={"colour": "red"})


MESSAGE = (FIXTURES / "v3-columns.batch").read_bytes()
COUNT = 240


class Broker:
    """Keeps messages in the memory of this process; a topic is made by the first message, with four partitions."""

    def __init__(self):
        self._producer = confluent_kafka.Producer({"test.mock.num.brokers": 1, "batch.size": 1, "log_level": 0, "linger.ms": 0})
        [broker] = self._producer.list_topics(timeout=10).brokers.values()
        self.address = f"{broker.host}:{broker.port}"

    def send(self, *values, topic="packets", partition=0):
        for value in values:
            self._producer.produce(topic, value, partition=partition)
        assert self._producer.flush(10) == 0


@pytest.fixture
def broker():
    return Broker()


def test_reads_all_partitions(broker):
    broker.send(MESSAGE, MESSAGE)
    broker.send(MESSAGE, partition=2)
    packets = flowstone.consume(broker.address)
    assert len(packets) == 3 * COUNT and sorted(packets.batches["partition"]) == [0, 0, 2]


def test_no_packets_are_read_at_once():
    assert len(flowstone.consume(NOBODY, packets=0)) == 0
    assert [len(part) for part in flowstone.stream(NOBODY, packets=0)] == [0]


def test_settings_are_the_client_s(broker):
    """All that read take them: here the brokers' address is theirs, too."""
    broker.send(MESSAGE)
    broker.send(b'{"kind": "alert", "time_ns": 1}', topic="results")
    settings = {"bootstrap.servers": broker.address}
    assert len(flowstone.consume(NOBODY, settings=settings)) == COUNT
    assert sum(map(len, flowstone.stream(NOBODY, settings=settings))) == COUNT
    assert len(flowstone.packets_between(NOBODY, "packets", 0, 1 << 62, settings=settings)) == COUNT
    assert len(flowstone.result_messages(NOBODY, settings=settings)) == 1
    assert len(flowstone.results(NOBODY, settings=settings)) == 1


@pytest.mark.parametrize("damaged", [b"rubbish", with_header(MESSAGE, body=MESSAGE[-20:])])
def test_skips_and_counts_messages_that_are_not_batches(broker, damaged):
    broker.send(MESSAGE, damaged, damaged, MESSAGE)
    place = "of message 1 of partition 0 of topic packets"
    for read in (
        lambda: flowstone.consume(broker.address),
        lambda: next(flowstone.stream(broker.address)),
        lambda: flowstone.packets_between(broker.address, "packets", 0, 1 << 62),
    ):
        with pytest.warns(UserWarning, match=place):
            packets = read()
        assert (len(packets), packets.unreadable) == (2 * COUNT, 2)


def test_counts_only_decoded_packets(broker):
    broker.send(with_header(MESSAGE, body=MESSAGE[-20:]), MESSAGE)
    with pytest.warns(UserWarning, match="not packet batches"):
        packets = flowstone.consume(broker.address, packets=COUNT)
    assert (len(packets), packets.unreadable) == (COUNT, 1)


def test_rejects_a_topic_of_something_else_without_an_end(broker):
    broker.send(*[b"rubbish"] * 100)
    with pytest.raises(flowstone.BatchError), pytest.warns(UserWarning, match="not packet batches"):
        flowstone.consume(broker.address, packets=1)


def test_rejects_a_topic_without_any_batch(broker):
    broker.send(b"rubbish", b"more rubbish")
    place = "of message 0 of partition 0 of topic packets"
    for read in (flowstone.consume, lambda address: flowstone.packets_between(address, "packets", 0, 1 << 62)):
        with pytest.raises(flowstone.BatchError, match=place), pytest.warns(UserWarning, match="not packet batches"):
            read(broker.address)


def test_the_time_begins_when_the_client_has_connected(broker, monkeypatch):
    """And what arrives from then on is read, whenever the client gets to ask for it. The clock goes on as this test says: by an hour while the
    client connects, then by half a second with each message, and a little with each look."""
    broker.send(MESSAGE)
    ends, polled, now = kafka._ends, kafka._polled, [0.0]

    def slowly(*arguments):
        found = ends(*arguments)
        broker.send(MESSAGE, MESSAGE)
        now[0] += 3600
        return found

    def and_time_passes(*arguments):
        found = polled(*arguments)
        now[0] += 0.01 + 0.5 * sum(message.error() is None for message in found)
        return found

    monkeypatch.setattr(kafka, "time", SimpleNamespace(monotonic=lambda: now[0]))
    monkeypatch.setattr(kafka, "_ends", slowly)
    monkeypatch.setattr(kafka, "_polled", and_time_passes)
    assert len(flowstone.consume(broker.address, seconds=1)) == 2 * COUNT


def test_retention_that_is_faster_than_the_reader_is_told(broker):
    """The broker keeps five megabytes of a partition."""
    broker.send(*[MESSAGE] * 10)
    slowly = {"queued.min.messages": 1, "fetch.message.max.bytes": 1000, "fetch.max.bytes": 1000, "message.max.bytes": 1000}
    parts = flowstone.stream(broker.address, most_packets=1, seconds=20, since="beginning", settings=slowly)
    next(parts)
    broker.send(*[bytes(900_000)] * 8)
    told = "message [0-9]+ of partition 0 of topic packets: retention removed messages before they were read: raise retention, or read"
    with pytest.raises(RuntimeError, match=told):
        for _ in parts:
            pass


class Consumer:
    """A client to which only one partition still brings anything: others write there, while the leader of another one is gone."""

    def __init__(self):
        self.offset, self.let_go = -1, []

    def consume(self, most, seconds):
        time.sleep(0.01)
        self.offset += 1
        assert self.offset < 500, "the reader waits for ever"
        return [SimpleNamespace(error=lambda: None, partition=lambda: 0, offset=lambda: self.offset, topic=lambda: "packets")]

    def incremental_unassign(self, partitions):
        self.let_go += [(each.topic, each.partition) for each in partitions]


def test_a_partition_that_is_silent_is_named_though_another_one_is_not(monkeypatch):
    monkeypatch.setattr(kafka, "_LONGEST_WAIT_SECONDS", 0.2)
    consumer, read = Consumer(), []
    with pytest.raises(ConnectionError, match=r"has more in partitions \[1\]"):
        for message in kafka._there(confluent_kafka, consumer, "packets", {0: 2, 1: 5, 2: 0}):
            read.append(message)
    assert len(read) == 2 and consumer.let_go == [("packets", 0)]


@pytest.mark.parametrize(
    "module, extra, call",
    [
        ("confluent_kafka", "kafka", "flowstone.consume('127.0.0.1:1')"),
        ("pandas", "frames", "flowstone.query('SELECT 1', 'http://127.0.0.1:1')"),
        ("pandas", "frames", "flowstone.by_flow(flowstone.read_batches([]))"),
        ("pyarrow", "frames", "flowstone.read_batches([]).to_arrow()"),
    ],
)
def test_says_what_to_install(module, extra, call):
    program = f"import sys; sys.modules[{module!r}] = None; import flowstone; {call}"
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert ended.returncode == 1
    assert f"pip install 'flowstone[{extra}]'" in ended.stderr.splitlines()[-1]


def test_needs_nothing_but_numpy_to_be_imported():
    modules = ("pandas", "pyarrow", "confluent_kafka", "matplotlib")
    program = f"import sys\nfor name in {modules}: sys.modules[name] = None\nimport flowstone"
    assert subprocess.run([sys.executable, "-c", program]).returncode == 0
