# SPDX-License-Identifier: Apache-2.0
"""Commands of ./flowstone, for notebooks that start a tap and a job of their own."""

from __future__ import annotations

import subprocess
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO

from .extras import needed

LAUNCHER = Path(__file__).resolve().parents[2] / "flowstone"

_LOOK_SECONDS = 0.1
_LONGEST_END_SECONDS = 10.0
_LONGEST_WAIT_SECONDS = 30.0


class CommandFailed(RuntimeError):
    """A command ended with an error, or did not end; with what it said."""


def run_together(*commands: Sequence[object], seconds: float = 120, launcher: Path = LAUNCHER) -> list[str]:
    """Runs commands such as ("tap", "synthetic", "--packets", 1000) at the same time until all have ended; what each of them said.

    When one fails, or when the time is up, the others are ended, too.
    """
    if not launcher.is_file():
        raise FileNotFoundError(
            f"no {launcher}: this starts commands of the checkout that the package is in (pip install -e notebooks)"
        )
    began: list[tuple[Sequence[object], subprocess.Popen[bytes], IO[bytes]]] = []
    try:
        for command in commands:
            output: IO[bytes] = tempfile.TemporaryFile()
            arguments = [str(launcher), *map(str, command)]
            began.append(
                (command, subprocess.Popen(arguments, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT), output)
            )
        _await(began, time.monotonic() + seconds, seconds)
        return [_said(output) for _, _, output in began]
    finally:
        for _, process, output in began:
            _end(process)
            output.close()


def _await(began: list[tuple[Sequence[object], subprocess.Popen[bytes], IO[bytes]]], deadline: float, seconds: float) -> None:
    while True:
        for command, process, words in began:
            if process.poll() not in (None, 0):
                raise CommandFailed(f"{_text(command)} ended with {process.returncode}:\n{_said(words)}")
        running = [each for each in began if each[1].poll() is None]
        if not running:
            return
        if time.monotonic() > deadline:
            command, _, output = running[0]
            raise CommandFailed(f"{_text(command)} did not end within {seconds:g} s:\n{_said(output)}")
        time.sleep(_LOOK_SECONDS)


def _end(process: subprocess.Popen[bytes]) -> None:
    if process.poll() is None:
        process.terminate()
        try:
            process.wait(_LONGEST_END_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _said(output: IO[bytes]) -> str:
    output.seek(0)
    return output.read().decode(errors="replace")


def _text(command: Sequence[object]) -> str:
    return " ".join(["./flowstone", *map(str, command)])


def create_topics(bootstrap_servers: str, partitions: Mapping[str, int]) -> None:
    """Topics of so many partitions each, as jobs want them to be there."""
    admin = needed("confluent_kafka.admin", "kafka")
    client = admin.AdminClient({"bootstrap.servers": bootstrap_servers, "log_level": 0})
    topics = [admin.NewTopic(name, count) for name, count in partitions.items()]
    for made in client.create_topics(topics, request_timeout=_LONGEST_WAIT_SECONDS).values():
        made.result()
