# SPDX-License-Identifier: Apache-2.0
"""The file is as DemoAddresses writes it."""

import json
import os
import subprocess
from pathlib import Path

import pytest

import flowstone

SAID = {
    "flink": "http://localhost:45789",
    "kafka": "127.0.0.1:20228",
    "topic": "packets",
    "results_topic": "results",
    "questdb": "http://127.0.0.1:20404",
    "questdb_sql": "127.0.0.1:21563",
    "rings": "/dev/shm/flowstone-demo-13151",
}


@pytest.fixture
def state(tmp_path, monkeypatch):
    monkeypatch.setenv("FLOWSTONE_STATE", str(tmp_path))
    return tmp_path / "demo.json"


def test_finds_the_demo(state):
    state.write_text(json.dumps({"pid": os.getpid(), **SAID, "page": "what later versions say"}))
    demo = flowstone.find_demo()
    assert (demo.pid, demo.kafka, demo.rings) == (os.getpid(), SAID["kafka"], Path(SAID["rings"]))
    assert (demo.flink, demo.questdb, demo.results_topic) == (SAID["flink"], SAID["questdb"], "results")


def test_a_demo_may_do_without_questdb(state):
    without = {name: value for name, value in SAID.items() if not name.startswith("questdb")}
    state.write_text(json.dumps({"pid": os.getpid(), **without}))
    assert flowstone.find_demo().questdb is None
    with pytest.raises(ValueError, match="does without QuestDB"):
        flowstone.query("SELECT 1")


def test_says_that_none_runs(state):
    with pytest.raises(flowstone.NoDemo, match="no demo runs here .*demo.json is not there.*: ./flowstone demo --keep starts one"):
        flowstone.find_demo()
    ended = subprocess.Popen(["true"])
    ended.wait()
    state.write_text(json.dumps({"pid": ended.pid, **SAID}))
    with pytest.raises(flowstone.NoDemo, match=rf"has ended \(process {ended.pid}\)"):
        flowstone.find_demo()


@pytest.mark.parametrize("text", ["{", "[]", '{"pid": 1}'])
def test_names_a_file_that_says_nothing(state, text):
    state.write_text(text)
    with pytest.raises(flowstone.NoDemo, match="demo.json does not say where a demo's parts are .*: remove it"):
        flowstone.find_demo()


@pytest.mark.parametrize("home, name", [({"XDG_STATE_HOME": "/x"}, "/x/flowstone"), ({"HOME": "/h"}, "/h/.local/state/flowstone")])
def test_looks_where_the_launcher_says(monkeypatch, home, name):
    for variable in ("FLOWSTONE_STATE", "XDG_STATE_HOME"):
        monkeypatch.delenv(variable, raising=False)
    for variable, value in home.items():
        monkeypatch.setenv(variable, value)
    with pytest.raises(flowstone.NoDemo, match=f"{name}/demo.json"):
        flowstone.find_demo()
