# SPDX-License-Identifier: Apache-2.0
"""Every example of README.md runs, one after the other as a reader would run them; those marked demo against the demo."""

import re
from pathlib import Path

import pytest
from conftest import FIXTURES

import flowstone

README = Path(__file__).resolve().parents[1] / "README.md"
EXAMPLES = re.findall(r"^```python( demo)?\n(.*?)^```$", README.read_text(), re.MULTILINE | re.DOTALL)


def run(examples, names):
    for number, example in enumerate(examples):
        exec(compile(example, f"README.md, example {number}", "exec"), names)


def test_examples_without_a_demo(tmp_path):
    examples = [text for marked, text in EXAMPLES if not marked]
    messages = [(FIXTURES / f"{version}-{body}.batch").read_bytes() for version in ("v1", "v2", "v3") for body in ("raw", "columns")]
    run(examples, {"messages": messages, "folder": tmp_path})
    assert len(examples) >= 3


@pytest.mark.demo
def test_examples_with_a_demo(demo, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    examples = [text for marked, text in EXAMPLES if marked]
    run(examples, {})
    assert len(examples) >= 6 and (tmp_path / "packets.parquet").exists()


def test_names_all_that_is_exported():
    """Functions; types are named by what gives them."""
    said = README.read_text()
    assert [name for name in flowstone.__all__ if name[0].islower() and name not in said] == []
