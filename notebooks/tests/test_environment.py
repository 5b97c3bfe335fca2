# SPDX-License-Identifier: Apache-2.0
"""./flowstone test sets up what tests need, and does without linters where there are none."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PYTHON = """#!/usr/bin/env bash
echo "$*" >>asked
case "$*" in
  "-m venv "*) mkdir -p "$3/bin" && cp "$0" "$3/bin/python" ;;
  *"$(cat refused)"*) exit 1 ;;
esac
"""
SET_UP = """
BUILD_DIR=build
say() { echo "$*"; }
. "$1"
set_up_python || echo "no environment"
"""


@pytest.fixture
def project(tmp_path):
    (tmp_path / "notebooks").mkdir()
    (tmp_path / "build").mkdir()
    shutil.copy(ROOT / "notebooks/pyproject.toml", tmp_path / "notebooks")
    (tmp_path / "python3").write_text(PYTHON)
    (tmp_path / "python3").chmod(0o755)
    return tmp_path


def set_up(project, refused):
    (project / "refused").write_text(refused)
    command = ["bash", "-c", SET_UP, "bash", ROOT / "build-support/test.sh"]
    return subprocess.run(command, cwd=project, env={"PATH": f"{project}:/usr/bin:/bin"}, capture_output=True, text=True).stdout


def test_sets_up_once(project):
    assert set_up(project, "nothing") == set_up(project, "nothing") == ""
    installed = [line for line in (project / "asked").read_text().splitlines() if "pip install" in line]
    assert [line.split()[-1] for line in installed] == ["notebooks[test]", "notebooks[lint]"]


def test_linters_that_are_not_to_be_had_are_left_out(project):
    assert "no linters of files for containers; see build/pip.log, and remove build/venv/pyproject.toml" in set_up(project, "[lint]")
    assert set_up(project, "[lint]") == "", "the tests run all the same"


def test_without_what_tests_need_there_is_no_environment(project):
    assert set_up(project, "[test]") == "no environment\n"
    assert not (project / "build/venv/pyproject.toml").exists()


def test_linters_are_of_one_version():
    [lint] = re.findall(r"^lint = \[(.*)\]$", (ROOT / "notebooks/pyproject.toml").read_text(), re.MULTILINE)
    assert all(re.fullmatch(r'"[a-z-]+==[0-9.]+"', each) for each in lint.split(", "))
