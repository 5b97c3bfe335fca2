# SPDX-License-Identifier: Apache-2.0
"""Where the parts are of the demo that runs on this machine."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path

_START = "./flowstone demo --keep starts one that stays"


class NoDemo(RuntimeError):
    """No demo runs here, or none that says where its parts are."""


@dataclass(frozen=True)
class Demo:
    """Addresses of a running demo. questdb and questdb_sql are None where it does without."""

    pid: int
    flink: str
    kafka: str
    topic: str
    results_topic: str
    rings: Path
    questdb: str | None = None
    questdb_sql: str | None = None


def find_demo() -> Demo:
    """The demo of this user on this machine; of several the one that began last."""
    file = _state_folder() / "demo.json"
    try:
        said = json.loads(file.read_text())
        parts = {name: said[name] for name in Demo.__dataclass_fields__ if name in said}
        demo = Demo(**{**parts, "rings": Path(said["rings"])})
    except FileNotFoundError:
        raise NoDemo(f"no demo runs here ({file} is not there): {_START}") from None
    except (ValueError, KeyError, TypeError) as refused:
        raise NoDemo(f"{file} does not say where a demo's parts are ({refused!r}): remove it, and start the demo again") from None
    if not _is_alive(demo.pid):
        raise NoDemo(f"the demo that wrote {file} has ended (process {demo.pid}): {_START}")
    return demo


def _state_folder() -> Path:
    """As the launcher says where files are that outlive a run."""
    own = os.environ.get("FLOWSTONE_STATE")
    if own:
        return Path(own)
    return Path(os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state") / "flowstone"


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass
    return True
