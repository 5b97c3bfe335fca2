# SPDX-License-Identifier: Apache-2.0
"""Books are read when all has come through, and each counter is that of its stage."""

import contextlib
import json
import threading
import time
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from types import SimpleNamespace

import pandas as pd
import pytest

from flowstone import books
from flowstone.books import Books, JobBroke, TrafficGoesOn, stage_counters


def report(stage, time_ns, rule="*", subtask=0, since_ns=1, **counters):
    ring = {"taprings": "demo", "ring": str(subtask)} if stage == "Source: rings" else {}
    return {
        "kind": "stage",
        "time_ns": time_ns,
        "rule": rule,
        "job": "demo",
        "stage": stage,
        "subtask": subtask,
        "since_ns": since_ns,
        **ring,
        **counters,
    }


def test_the_last_report_of_each_subtask_counts():
    reports = [
        report("Rules", 1, packets=10),
        report("Rules", 3, packets=30),
        report("Rules", 2, packets=20),
        report("Rules", 2, subtask=1, packets=7),
        report("Rules", 2, rule="mail", packets_of_rule=5),
    ]
    counters = stage_counters(reports)
    assert counters.at[("Rules", "*"), "packets"] == 37
    assert counters.at[("Rules", "mail"), "packets_of_rule"] == 5
    assert counters.at[("Rules", "mail"), "packets"] == 0
    assert counters.dtypes.eq("int64").all()


def test_attempts_and_rings_add_up():
    reports = [
        report("Source: rings", 5, since_ns=1, packets_consumed=100),
        report("Source: rings", 9, since_ns=6, packets_consumed=40),
        report("Source: rings", 9, since_ns=6, subtask=1, packets_consumed=2),
    ]
    assert stage_counters(reports).at[("Source: rings", "*"), "packets_consumed"] == 142


def test_reports_of_questdb_are_the_same():
    rows = [report("Rules", 1, packets=10), report("Rules", 2, packets=20)]
    frame = pd.DataFrame(rows).rename(columns={"time_ns": "time"}).drop(columns="kind").assign(result_key="x", group=None)
    frame["time"] = pd.to_datetime(frame["time"], utc=True)
    frame["stage"] = frame["stage"].astype("category")
    assert stage_counters(frame).at[("Rules", "*"), "packets"] == 20


class Demo:
    """Kafka, rings and Flink of a demo, which go on with each look."""

    kafka = topic = results_topic = rings = ""

    def __init__(self, monkeypatch):
        self.ended, self.arrived, self.late, self.looks, self.reads = True, [9], [], 0, 0
        self.states, self.name, self.finished_ago_seconds = ["FINISHED"], books._JOB_NAME, 1
        self.stages = {
            "Source: rings": {"packets_consumed": 20, "packets_lost": 1},
            "Rules": {"packets": 20, "packets_dropped": 2},
            "Flow records": {"packets": 5},
            "Histograms": {"packets": 3},
        }
        self.records = [{"kind": "flow_record", "packets": 2}, {"kind": "flow_record", "packets": 3}]
        self.rules = [
            report("Rules", 1, rule=rule, packets_of_rule=count)
            for rule, count in (("http", 10), ("dns", 3), ("https", 5), ("pings", 2))
        ]
        self.rules += [report("Packets", 1, rule="http", packets_kept=4, packets_sampled=5, packets_left_out=1)]
        monkeypatch.setattr(books, "_LOOK_SECONDS", 0)
        monkeypatch.setattr(books, "rings", lambda *_, **__: [self._ring()])
        monkeypatch.setattr(books, "result_messages", lambda *_: self._results())
        monkeypatch.setattr(books, "stream", lambda *_, **__: self._packets())

    def _ring(self):
        self.looks += 1
        counters = SimpleNamespace(offered_packets=21, written_packets=20, dropped_packets=1)
        return contextlib.nullcontext(SimpleNamespace(ended=self.ended, counters=counters))

    def jobs(self):
        state = self.states.pop(0) if len(self.states) > 1 else self.states[0]
        query = {"name": "a query of somebody's", "state": "RUNNING", "start-time": 2, "end-time": -1}
        ended_ms = -1 if state == "RUNNING" else round((time.time() - self.finished_ago_seconds) * 1000)
        return {"jobs": [query, {"name": self.name, "state": state, "start-time": 1, "end-time": ended_ms}]}

    def _results(self):
        stages = [report(stage, 1, **counters) for stage, counters in self.stages.items()]
        self.reads += 1
        late = self.late[: self.reads - 1]
        return [*stages, *self.rules, *self.records, *late, {"kind": "alert"}, {"kind": "burst"}]

    def _packets(self):
        count = self.arrived.pop(0) if len(self.arrived) > 1 else self.arrived[0]

        class Part:
            lost_before = 1

            def __len__(self):
                return count

        return [Part()]


@pytest.fixture
def demo(monkeypatch):
    made = Demo(monkeypatch)

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200 if self.path == "/jobs/overview" else 404)
            self.end_headers()
            self.wfile.write(json.dumps(made.jobs()).encode())

        def log_message(self, *arguments):
            pass

    server = HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    made.flink = f"http://127.0.0.1:{server.server_port}"
    yield made
    server.shutdown()
    thread.join()
    server.server_close()


def test_books_have_each_counter_of_its_part(demo):
    found = Books.of(demo, seconds=1)
    assert (found.offered, found.written, found.dropped) == (21, 20, 1)
    assert (found.consumed, found.lost, found.arrived, found.told_lost) == (20, 1, 9, 1)
    assert found.results == {"alert": 1, "burst": 1, "flow_record": 2}
    assert found.by_rule.to_dict() == {"http": 10, "https": 5, "dns": 3, "pings": 2}
    assert found.functions == {
        "passed": 9,
        "not sampled": 1,
        "flow records": 5,
        "histograms": 3,
        "detectors": 0,
        "user functions": 0,
        "dropped by rule": 2,
    }
    assert sum(found.functions.values()) == found.consumed
    assert found.count("no such stage") == 0


def test_books_wait_until_several_looks_in_a_row_find_the_same(demo):
    demo.arrived = [3, 3, 5, 5, 9, 9, 9]
    assert Books.of(demo, seconds=10).arrived == 9
    assert demo.looks == 7


def test_books_of_a_job_that_finished_long_ago_need_one_look(demo):
    demo.finished_ago_seconds = 60
    assert Books.of(demo, seconds=10).arrived == 9
    assert demo.looks == 1


def test_a_look_that_takes_long_is_as_early_as_its_begin(demo, monkeypatch):
    clock_seconds = [1_000.0]
    monkeypatch.setattr(
        books, "time", SimpleNamespace(time=lambda: clock_seconds[0], monotonic=time.monotonic, sleep=time.sleep)
    )
    demo.arrived, demo.finished_ago_seconds = [3, 9], time.time() - 999
    results = demo._results

    def slowly():
        clock_seconds[0] += 20
        return results()

    demo._results = slowly
    assert Books.of(demo, seconds=10).arrived == 9
    assert demo.looks == 2


def test_books_of_a_clock_that_was_set_back_wait_as_for_a_job_that_has_just_finished(demo):
    demo.finished_ago_seconds = -3600
    Books.of(demo, seconds=10)
    assert demo.looks == 3


def test_books_wait_for_results_that_come_late(demo):
    demo.late = [{"kind": "alert"}, {"kind": "alert"}]
    assert Books.of(demo, seconds=10).results["alert"] == 3
    assert demo.looks == 5


def test_books_wait_until_the_job_has_finished(demo):
    demo.states = ["RUNNING", "RUNNING", "FINISHED"]
    Books.of(demo, seconds=10)
    assert demo.looks == 5 and demo.reads == 3, "nothing is read of Kafka before"


@pytest.mark.parametrize(
    ("stage", "counter", "value"),
    [
        ("Source: rings", "packets_consumed", 19),
        ("Rules", "packets", 19),
        ("Flow records", "packets", 6),
        ("Histograms", "packets", 2),
    ],
)
def test_books_that_do_not_agree_are_closed_and_say_so(demo, stage, counter, value):
    """A loss is for the reader of the books to find, as notebooks do."""
    demo.stages[stage][counter] = value
    assert Books.of(demo, seconds=10).count(stage, counter) == value


def test_books_of_traffic_that_goes_on_are_refused(demo):
    demo.ended = False
    with pytest.raises(TrafficGoesOn, match="the demo's traffic has not ended: .*--seconds 25 --keep"):
        Books.of(demo, seconds=0.05)


def test_books_of_a_job_at_work_are_refused(demo):
    demo.states = ["RUNNING"]
    with pytest.raises(TrafficGoesOn, match="ended with 21 packets, and its job, which is RUNNING, works on them still"):
        Books.of(demo, seconds=0.05)


def test_books_that_do_not_come_to_rest_are_refused_with_both_looks(demo):
    demo.arrived = list(range(100_000))
    with pytest.raises(TrafficGoesOn, match="not stood still yet: .*consumed 20.*passed 9, in Kafka [0-9]+.*; a look before: .*in Kafka [0-9]+"):
        Books.of(demo, seconds=0.2)


def test_books_of_a_job_that_broke_are_refused_at_once(demo):
    demo.states = ["FAILED"]
    with pytest.raises(JobBroke, match="the demo's job is FAILED"):
        Books.of(demo, seconds=60)
    demo.name = "somebody's query"
    with pytest.raises(ConnectionError, match="knows no job 'Flowstone demo: packets to Kafka'"):
        Books.of(demo, seconds=60)
    demo.flink = "http://127.0.0.1:1"
    with pytest.raises(ConnectionError, match="no Flink answers at http://127.0.0.1:1/jobs/overview"):
        Books.of(demo, seconds=60)


def test_the_demo_s_job_has_the_name_that_books_look_for():
    source = Path(__file__).resolve().parents[2] / "demo/src/main/java/dev/flowstone/demo/DemoFlink.java"
    assert f'JOB_NAME = "{books._JOB_NAME}"' in source.read_text()
