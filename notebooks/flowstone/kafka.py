# SPDX-License-Identifier: Apache-2.0
"""Packets and results out of Kafka: committed messages only, read without a group and without a trace in Kafka."""

from __future__ import annotations

import contextlib
import json
import math
import time
import warnings
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from .arrays import Names
from .batch import BatchHeader, decode, full_times, read_header
from .columns import Decoded
from .errors import BatchError
from .extras import needed
from .packets import Packets, PacketsBuilder, fields_for

if TYPE_CHECKING:
    import pandas

Settings = Mapping[str, Any]
RULE_HEADER = "rule"
BEGINNING, LATEST = "beginning", "latest"

_LONGEST_WAIT_SECONDS = 10.0
_POLL_SECONDS = 0.2
_MOST_MESSAGES = 100
_WRONG_TOPIC_MESSAGES = 100  # so many messages without any batch are a topic of something else
_HALF_TURN_NS = 1 << 31  # a batch's packets lie less than this from its time base


def consume(
    bootstrap_servers: str,
    topic: str = "packets",
    seconds: float | None = None,
    packets: int | None = None,
    since: str | None = None,
    columns: Names | None = None,
    verify_checksum: bool = True,
    settings: Settings | None = None,
) -> Packets:
    """The packets of a topic, and what was lost before them.

    Without seconds and packets: all that the topic has when this is called. seconds: what arrives for so long. packets: goes on
    until there are as many, or a few more, for messages are not cut. since: "beginning" or "latest", which is what counts when
    nothing is said but seconds. columns: names of packets.COLUMNS; without them all are read. Who wants
    groups alone says packets.GROUP_COLUMNS, which are read nearly twice as fast.
    settings: of the client, over those of this package, such as {"security.protocol": "SSL", "ssl.ca.location": "ca.pem"}.

    Packets are as they stand in the topic: those that at-least-once delivery told twice are there twice (Packets.repeated).

    Messages that are not packet batches are skipped with a warning, and Packets.unreadable counts them. If no message of the topic
    is a packet batch, BatchError is raised.
    """
    builder = PacketsBuilder(columns)
    for message, header, decoded in _decoded_batches(
        bootstrap_servers, topic, seconds, packets, since, verify_checksum, settings, builder
    ):
        _add(builder, message, header, decoded)
    return builder.build()


def stream(
    bootstrap_servers: str,
    topic: str = "packets",
    seconds: float | None = None,
    packets: int | None = None,
    since: str | None = None,
    columns: Names | None = None,
    verify_checksum: bool = True,
    most_packets: int = 1_000_000,
    settings: Settings | None = None,
) -> Iterator[Packets]:
    """What consume() gives, a million packets at a time: for topics that are larger than memory, and for write_parquet()."""
    builder = PacketsBuilder(columns)
    for message, header, decoded in _decoded_batches(
        bootstrap_servers, topic, seconds, packets, since, verify_checksum, settings, builder
    ):
        if builder.count > 0 and builder.count + header.count > most_packets:
            yield builder.build()
        _add(builder, message, header, decoded)
    yield builder.build()


def packets_between(
    bootstrap_servers: str,
    topic: str,
    begin_ns: int,
    end_ns: int,
    columns: Names | None = None,
    verify_checksum: bool = True,
    settings: Settings | None = None,
) -> Packets:
    """Packets of a topic whose own time, UTC nanoseconds since 1970, is begin_ns or later and before end_ns.

    Kafka's times are those of arrival and say nothing of a replayed capture, so every message is fetched. Most are passed over by
    what their header says, and of the rest only those are unpacked whose times lie in the range. Batches are those that have
    packets in it, and what they tell of losses was lost right before them.
    """
    if begin_ns >= end_ns:
        raise ValueError(f"a range begins before it ends: {begin_ns} to {end_ns}")
    builder = PacketsBuilder(columns)
    reader = _BatchReader(builder, verify_checksum)
    for message, header in _batches(bootstrap_servers, topic, None, None, BEGINNING, settings, reader):
        if header.time_base_ns + _HALF_TURN_NS <= begin_ns or header.time_base_ns - _HALF_TURN_NS >= end_ns:
            continue
        time_column = reader.decode(message, header, frozenset(["time_low"]))
        if time_column is None:
            continue
        times = full_times(time_column.fields["time_low"], header.time_base_ns)
        inside = (times >= begin_ns) & (times < end_ns)
        if inside.any() or (header.count == 0 and begin_ns <= header.time_base_ns < end_ns):
            decoded = reader.decode(message, header, builder.wanted)
            if decoded is None:
                continue
            fields = {name: values[inside] for name, values in decoded.fields.items()}
            _add(builder, message, header, Decoded(decoded.tuples, decoded.tuple_of[inside], fields))
    reader.require_any()
    return builder.build()


def result_messages(
    bootstrap_servers: str,
    topic: str = "results",
    kind: str | None = None,
    seconds: float | None = None,
    since: str | None = None,
    settings: Settings | None = None,
) -> list[dict[str, Any]]:
    """What jobs found out, as docs/formats/results.schema.json says; of one kind, such as "alert", or of all.

    seconds, since and settings as in consume().
    """
    results = []
    quoted = json.dumps(kind).encode()
    for message in _messages(bootstrap_servers, topic, seconds, since, settings):
        text = message.value()
        if text is None or (kind is not None and quoted not in text):
            continue
        try:
            result = json.loads(text)
        except ValueError as refused:
            raise ValueError(f"{_place(message)} is not a result: {refused}") from refused
        if kind is None or result.get("kind") == kind:
            results.append(result)
    return results


def results(
    bootstrap_servers: str,
    topic: str = "results",
    kind: str | None = None,
    seconds: float | None = None,
    since: str | None = None,
    settings: Settings | None = None,
) -> pandas.DataFrame:
    """The same as a DataFrame with a row for each result. Its time is "time", as in QuestDB; other times stay nanoseconds."""
    from . import frames

    return frames.from_results(result_messages(bootstrap_servers, topic, kind, seconds, since, settings))


def _add(builder: PacketsBuilder, message: Any, header: BatchHeader, decoded: Decoded) -> None:
    rule_name = dict(message.headers() or ()).get(RULE_HEADER, b"").decode()
    builder.add(decoded, header, message.partition(), message.offset(), rule_name)


class _BatchReader:
    """Reads packet batches. Counts messages that are not packet batches, and warns about the first one."""

    def __init__(self, builder: PacketsBuilder, verify_checksum: bool):
        self._builder = builder
        self._verify_checksum = verify_checksum
        self._first_error: BatchError | None = None
        self._read_any = False
        self.packets = 0
        """Packets that were decoded."""

    def header(self, message: Any) -> BatchHeader | None:
        """The header; None for a message without a value, and for one that is not a packet batch."""
        try:
            header = read_header(message.value(), self._verify_checksum)
        except BatchError as error:
            self._skip(message, error)
            return None
        self._read_any |= header is not None
        return header

    def decode(self, message: Any, header: BatchHeader, wanted: frozenset[str]) -> Decoded | None:
        """The packets; None if the message is not a packet batch behind its header."""
        try:
            decoded = decode(message.value(), header, wanted)
        except BatchError as error:
            self._skip(message, error)
            return None
        self.packets += len(decoded.tuple_of)
        return decoded

    def _skip(self, message: Any, error: BatchError) -> None:
        self._builder.unreadable += 1
        if self._first_error is None:
            self._first_error = BatchError(f"{error.place} of {_place(message)}", error.reason)
            warnings.warn(f"messages that are not packet batches are skipped; the first one: {self._first_error}", stacklevel=5)
        if not self._read_any and self._builder.unreadable >= _WRONG_TOPIC_MESSAGES:
            raise self._first_error

    def require_any(self) -> None:
        """Raises the first error if no message was a packet batch, as in a topic of results."""
        if self._first_error is not None and not self._read_any:
            raise self._first_error


def _decoded_batches(
    bootstrap_servers: str,
    topic: str,
    seconds: float | None,
    packets: int | None,
    since: str | None,
    verify_checksum: bool,
    settings: Settings | None,
    builder: PacketsBuilder,
) -> Iterator[tuple[Any, BatchHeader, Decoded]]:
    reader = _BatchReader(builder, verify_checksum)
    for message, header in _batches(bootstrap_servers, topic, seconds, packets, since, settings, reader):
        decoded = reader.decode(message, header, builder.wanted)
        if decoded is not None:
            yield message, header, decoded
    reader.require_any()


def _batches(
    bootstrap_servers: str,
    topic: str,
    seconds: float | None,
    packets: int | None,
    since: str | None,
    settings: Settings | None,
    reader: _BatchReader,
) -> Iterator[tuple[Any, BatchHeader]]:
    """Messages that are batches, with their headers."""
    if packets is not None and packets < 0:
        raise ValueError(f"packets must be 0 or more: {packets}")
    if packets == 0:
        return
    for message in _messages(bootstrap_servers, topic, seconds, since, settings, packets is not None):
        header = reader.header(message)
        if header is not None:
            yield message, header
            if packets is not None and reader.packets >= packets:
                return


def _place(message: Any) -> str:
    return f"message {message.offset()} of partition {message.partition()} of topic {message.topic()}"


def _messages(
    bootstrap_servers: str,
    topic: str,
    seconds: float | None,
    since: str | None,
    settings: Settings | None = None,
    endless: bool = False,
) -> Iterator[Any]:
    """Messages of all partitions: what is there, or what there is for some seconds, or what ever comes."""
    kafka = needed("confluent_kafka", "kafka")
    since = since or (BEGINNING if seconds is None else LATEST)
    if since not in (BEGINNING, LATEST):
        raise ValueError(f"since must be {BEGINNING!r} or {LATEST!r}: {since!r}")
    if since == LATEST and seconds is None and not endless:
        raise ValueError(f"since={LATEST!r} needs seconds: nothing that is there is later")
    with contextlib.closing(_consumer(kafka, _settings(bootstrap_servers) | dict(settings or {}))) as consumer:
        ends = _ends(kafka, consumer, bootstrap_servers, topic)
        # The ends as numbers: what arrives while the client still asks for them would lie before OFFSET_END.
        firsts = {partition: kafka.OFFSET_BEGINNING if since == BEGINNING else end for partition, end in ends.items()}
        consumer.assign([kafka.TopicPartition(topic, partition, first) for partition, first in firsts.items()])
        deadline = math.inf if seconds is None else time.monotonic() + seconds  # without the time that connecting takes
        if seconds is None and not endless:
            yield from _there(kafka, consumer, topic, ends)
        else:
            while time.monotonic() < deadline:
                yield from (message for message in _polled(kafka, consumer) if message.error() is None)


def _there(kafka: Any, consumer: Any, topic: str, ends: dict[int, int]) -> Iterator[Any]:
    """Messages before the ends. A partition of which all was read is let go: what others write there is no sign of life of the rest."""
    unread = {partition for partition, end in ends.items() if end > 0}
    silent_since = time.monotonic()
    while unread:
        messages = [message for message in _polled(kafka, consumer) if message.partition() in unread]
        if not messages and time.monotonic() - silent_since > _LONGEST_WAIT_SECONDS:
            silence = f"Kafka was silent for {_LONGEST_WAIT_SECONDS:.0f} s"
            raise ConnectionError(f"{silence}, and has more in partitions {sorted(unread)}")
        for message in messages:
            if message.partition() not in unread:
                continue
            # Nothing is read of a transaction that is open, so there may be an end of what can be read before the partition's.
            at_end = message.error() is not None
            if at_end or message.offset() >= ends[message.partition()] - 1:
                unread.discard(message.partition())
                consumer.incremental_unassign([kafka.TopicPartition(topic, message.partition())])
            if not at_end and message.offset() < ends[message.partition()]:
                yield message
        if messages:
            silent_since = time.monotonic()


def _polled(kafka: Any, consumer: Any) -> list[Any]:
    """What has come, the news of a partition's end among it."""
    messages: list[Any] = consumer.consume(_MOST_MESSAGES, _POLL_SECONDS)
    for message in messages:
        error = message.error()
        if error is not None and error.code() == kafka.KafkaError._AUTO_OFFSET_RESET:
            raise RuntimeError(f"{_place(message)}: retention removed messages before they were read: raise retention, or read faster")
        if error is not None and error.code() != kafka.KafkaError._PARTITION_EOF:
            raise ConnectionError(f"topic {message.topic()}: {error.str()}")
    return messages


def _consumer(kafka: Any, settings: dict[str, Any]) -> Any:
    try:
        return kafka.Consumer(settings)
    except kafka.KafkaException as refused:
        raise ValueError(f"Kafka's client refuses its settings: {refused.args[0].str()}") from refused


def _settings(bootstrap_servers: str) -> dict[str, Any]:
    return {
        "bootstrap.servers": bootstrap_servers,
        "group.id": "flowstone",  # the client asks for one, and uses it for nothing here
        "enable.auto.commit": False,
        "auto.offset.reset": "error",  # else what retention removed meanwhile would be passed over, and nobody told
        "isolation.level": "read_committed",
        "enable.partition.eof": True,
        "allow.auto.create.topics": False,
        "log_level": 0,  # what is wrong is raised
    }


def _ends(kafka: Any, consumer: Any, bootstrap_servers: str, topic: str) -> dict[int, int]:
    """Offset behind the last message of each partition."""
    try:
        topics = consumer.list_topics(timeout=_LONGEST_WAIT_SECONDS).topics
        if topic not in topics:
            there = ", ".join(sorted(topics)) or "none"
            raise ValueError(f"no topic {topic!r} at {bootstrap_servers}; there are: {there}")
        partitions = [kafka.TopicPartition(topic, partition) for partition in sorted(topics[topic].partitions)]
        return {each.partition: consumer.get_watermark_offsets(each, _LONGEST_WAIT_SECONDS)[1] for each in partitions}
    except kafka.KafkaException as refused:
        raise ConnectionError(f"no Kafka broker answers at {bootstrap_servers}: {refused.args[0].str()}") from refused
