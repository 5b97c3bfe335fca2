# SPDX-License-Identifier: Apache-2.0
"""What every part of a demo has counted when its traffic has ended: each counter is of the part that it names, and none is worked out
from others, so that they can be held against each other."""

from __future__ import annotations

import contextlib
import json
import time
import urllib.request
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .demo import Demo
from .extras import needed
from .kafka import result_messages, stream
from .ringfile import RingCounters, rings

if TYPE_CHECKING:
    import pandas

_KEY = ["job", "stage", "subtask", "since_ns", "rule", "taprings", "ring", "group"]
_LOOK_SECONDS = 2.0
_LOOKS_AT_REST = 3  # Kafka shows a transaction's messages a moment after Flink has committed them
_LONG_FINISHED_SECONDS = 10.0
_LONGEST_WAIT_SECONDS = 10.0
_JOB_NAME = "Flowstone demo: packets to Kafka"  # others of that cluster are somebody's queries
_FINISHED, _BROKEN = "FINISHED", {"FAILED", "CANCELED", "SUSPENDED"}
_STAGE, _FLOW_RECORD = "stage", "flow_record"


class TrafficGoesOn(RuntimeError):
    """The demo still sends, or works on what it has sent: its books are not closed yet."""


class JobBroke(RuntimeError):
    """The demo's job ended without having finished: its books will never be closed."""


@dataclass(frozen=True)
class _Job:
    """The demo's job, as Flink tells of it."""

    state: str
    ended_ago_seconds: float
    """When Flink was asked; of no meaning while it runs."""

    @property
    def looks_needed(self) -> int:
        """How often Kafka must be found the same, now that Flink was asked first: a job that finished long before adds nothing any more."""
        return 1 if self.ended_ago_seconds >= _LONG_FINISHED_SECONDS else _LOOKS_AT_REST


def stage_counters(reports: pandas.DataFrame | Iterable[dict[str, Any]]) -> pandas.DataFrame:
    """What each stage has counted by its last report: results of the kind "stage", as results() and table() give them.

    A row for each stage and rule ("*": packets of every rule), added up over subtasks, rings and attempts; a column for each counter,
    0 where a stage has no such counter.
    """
    pandas = needed("pandas", "frames")
    frame = pandas.DataFrame(reports)
    key = [name for name in _KEY if name in frame]
    latest = frame.loc[frame.groupby(key, dropna=False, observed=True)["time" if "time" in frame else "time_ns"].idxmax()]
    apart = {*_KEY, "last", "kind", "time", "time_ns", "result_key", "flow_id"}
    counters = [name for name in frame.columns if name not in apart]
    latest = latest.assign(stage=latest["stage"].astype(str), rule=latest["rule"].astype(str))
    return latest.groupby(["stage", "rule"])[counters].sum().fillna(0).astype("int64")


@dataclass(frozen=True)
class Books:
    """Counters of a demo at rest."""

    offered: int
    """Packets that the tap offered to its rings: these three by the rings' headers."""
    written: int
    dropped: int
    stages: pandas.DataFrame
    """What each stage of the job told of itself: see stage_counters."""
    arrived: int
    """Packets read back from Kafka, and how many messages told as lost before them."""
    told_lost: int
    results: dict[str, int]
    """Results read back from Kafka, by kind."""
    in_flow_records: int
    """Packets that the flow records among them tell of."""

    @classmethod
    def of(cls, demo: Demo, seconds: float = 120) -> Books:
        """Waits until the demo's traffic has ended, its job has finished, and nothing more comes out of Kafka; for so long at most.

        Nothing more: three looks in a row found the same, or one that began ten seconds after the job's end.

        Whether the counters agree is for who reads them to say: books with a loss in them are closed like others.
        """
        deadline = time.monotonic() + seconds
        before: Books | None = None
        looks = 0
        while True:
            counters = _counters(demo)
            job = None if counters is None else _job(demo)
            if job and job.state in _BROKEN:
                raise JobBroke(f"the demo's job is {job.state}, and its books stay open: {demo.flink} tells why; start the demo again")
            now = cls._read(demo, counters) if counters and job and job.state == _FINISHED else None
            looks = looks + 1 if now is not None and before is not None and now._stands_as(before) else 1
            if now is not None and job and looks >= job.looks_needed:
                return now
            if time.monotonic() > deadline:
                raise TrafficGoesOn(_why_open(counters, job, now, before))
            before = now
            time.sleep(_LOOK_SECONDS)

    @classmethod
    def _read(cls, demo: Demo, counters: list[RingCounters]) -> Books | None:
        """None: no stage has told of itself yet."""
        results = result_messages(demo.kafka, demo.results_topic)
        reports = [result for result in results if result["kind"] == _STAGE]
        if not reports:
            return None
        parts = list(stream(demo.kafka, demo.topic, columns=[]))
        kinds = [result["kind"] for result in results if result["kind"] != _STAGE]
        return cls(
            offered=sum(ring.offered_packets for ring in counters),
            written=sum(ring.written_packets for ring in counters),
            dropped=sum(ring.dropped_packets for ring in counters),
            stages=stage_counters(reports),
            arrived=sum(map(len, parts)),
            told_lost=sum(part.lost_before for part in parts),
            results={kind: kinds.count(kind) for kind in sorted(set(kinds))},
            in_flow_records=sum(result["packets"] for result in results if result["kind"] == _FLOW_RECORD),
        )

    def _stands_as(self, before: Books) -> bool:
        same = (self.arrived, self.told_lost, self.results) == (before.arrived, before.told_lost, before.results)
        return same and self.stages.equals(before.stages)

    def _said(self) -> str:
        """Where the packets are, side by side."""
        passed, results = self.functions["passed"], sum(self.results.values())
        return (
            f"offered {self.offered:,}, consumed {self.consumed:,}, lost {self.lost:,}; "
            f"passed {passed:,}, in Kafka {self.arrived:,}, results {results:,}"
        )

    def count(self, stage: str, counter: str = "packets", rule: str = "*") -> int:
        """A counter of a stage; 0 of one that is not there."""
        place = (stage, rule)
        stages: Any = self.stages
        return int(stages.at[place, counter]) if place in stages.index and counter in stages else 0

    @property
    def consumed(self) -> int:
        """Packets that Flink's source took out of the rings."""
        return self.count("Source: rings", "packets_consumed")

    @property
    def lost(self) -> int:
        """Packets that the source was told of, or found out by itself, and did not get."""
        return self.count("Source: rings", "packets_lost")

    @property
    def by_rule(self) -> pandas.Series[int]:
        """Packets that each rule was given, the most first."""
        rules: Any = self.stages.loc["Rules"]
        return rules.drop(index="*")["packets_of_rule"].sort_values(ascending=False)

    @property
    def functions(self) -> dict[str, int]:
        """What became of packets: how many each function received, by its own count; those that go on as packets first."""
        return {
            "passed": self._of_all_rules("packets_kept") + self._of_all_rules("packets_sampled"),
            "not sampled": self._of_all_rules("packets_left_out"),
            "flow records": self.count("Flow records"),
            "histograms": self.count("Histograms"),
            "detectors": self.count("Detectors"),
            "user functions": self.count("Own code"),
            "dropped by rule": self.count("Rules", "packets_dropped"),
        }

    def _of_all_rules(self, counter: str) -> int:
        """Of the stage that passes and samples, which counts rule by rule and not in all."""
        return sum(self.count("Packets", counter, rule) for rule in self.by_rule.index)


def _counters(demo: Demo) -> list[RingCounters] | None:
    """Of the demo's rings. None: the tap still sends, and nothing can be closed."""
    with contextlib.ExitStack() as opened:
        found = [opened.enter_context(ring) for ring in rings(demo.rings, columns=[])]
        return [ring.counters for ring in found] if all(ring.ended for ring in found) else None


def _job(demo: Demo) -> _Job:
    url = f"{demo.flink}/jobs/overview"
    try:
        with urllib.request.urlopen(url, timeout=_LONGEST_WAIT_SECONDS) as answer:
            jobs = json.load(answer)["jobs"]
    except (OSError, ValueError, KeyError) as refused:
        raise ConnectionError(f"no Flink answers at {url}: {refused}") from refused
    own = [job for job in jobs if job["name"] == _JOB_NAME]
    if not own:
        raise ConnectionError(f"{url} knows no job {_JOB_NAME!r}")
    last = max(own, key=lambda job: job["start-time"])
    return _Job(state=str(last["state"]), ended_ago_seconds=time.time() - last["end-time"] / 1000)


def _why_open(counters: list[RingCounters] | None, job: _Job | None, now: Books | None, before: Books | None) -> str:
    if counters is None or job is None:
        return (
            "the demo's traffic has not ended: Ctrl-C ends it, and with --keep all it found stays; "
            "or start one that ends by itself: ./flowstone demo --seconds 25 --keep"
        )
    if job.state != _FINISHED:
        offered = sum(ring.offered_packets for ring in counters)
        return f"the demo's traffic has ended with {offered:,} packets, and its job, which is {job.state}, works on them still: wait for it"
    if now is None:
        return "the demo's job has finished, and no stage of it has told of itself in Kafka"
    told = "nothing before" if before is None else before._said()
    return f"the demo's job has finished, and what it told has not stood still yet: {now._said()}; a look before: {told}"
