# SPDX-License-Identifier: Apache-2.0
"""Commands run at the same time, and none is left behind."""

from pathlib import Path

import pytest

from flowstone.launcher import LAUNCHER, CommandFailed, run_together

SCRIPT = """#!/usr/bin/env bash
case $1 in
  say) echo "said $2" ;;
  fail) echo "no such ring" >&2; exit 2 ;;
  wait) echo $$ >"$2"; exec sleep 60 ;;
  meet) touch "$2"; for _ in $(seq 100); do [[ -e $3 ]] && exit 0; sleep 0.1; done; exit 1 ;;
esac
"""


@pytest.fixture
def launcher(tmp_path):
    path = tmp_path / "flowstone"
    path.write_text(SCRIPT)
    path.chmod(0o755)
    return path


def is_alive(pid_file):
    """Whether the process that wrote its number there lives; one that was ended before it wrote has left an empty file, or none."""
    number = pid_file.read_text().strip() if pid_file.exists() else ""
    return number != "" and Path(f"/proc/{number}").exists()


def test_commands_run_at_the_same_time(launcher, tmp_path):
    one, other = tmp_path / "one", tmp_path / "other"
    assert run_together(("meet", one, other), ("meet", other, one), launcher=launcher) == ["", ""]


def test_what_each_said_is_returned(launcher):
    assert run_together(("say", 1), ("say", "two"), launcher=launcher) == ["said 1\n", "said two\n"]


def test_one_that_fails_ends_the_others_and_says_why(launcher, tmp_path):
    with pytest.raises(CommandFailed, match="./flowstone fail ended with 2:\nno such ring"):
        run_together(("wait", tmp_path / "pid"), ("fail",), launcher=launcher)
    assert not is_alive(tmp_path / "pid")


def test_one_that_takes_too_long_is_ended(launcher, tmp_path):
    with pytest.raises(CommandFailed, match="did not end within 0.5 s"):
        run_together(("wait", tmp_path / "pid"), seconds=0.5, launcher=launcher)
    assert not is_alive(tmp_path / "pid")


def test_the_launcher_is_that_of_the_checkout(tmp_path):
    assert LAUNCHER.is_file()
    with pytest.raises(FileNotFoundError, match="pip install -e notebooks"):
        run_together(("say", 1), launcher=tmp_path / "none")
