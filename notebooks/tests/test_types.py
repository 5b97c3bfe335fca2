# SPDX-License-Identifier: Apache-2.0
"""mypy is content with all of the package, as pyproject.toml asks it."""

import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parents[1]


def test_types_hold():
    command = [sys.executable, "-m", "mypy", "--cache-dir", HERE.parent / "build/mypy"]
    ended = subprocess.run(command, cwd=HERE, capture_output=True, text=True)
    assert ended.returncode == 0, ended.stdout + ended.stderr


def test_the_package_says_that_it_is_typed():
    assert (HERE / "flowstone/py.typed").exists()
