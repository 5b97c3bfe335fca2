# SPDX-License-Identifier: Apache-2.0
"""How much longer than on the reference machine a fixed piece of work takes, measured again and again during a run.

Processor time depends on what else runs: cores share caches, a virtual core may share a physical one, and a virtual machine
may pay for each new page of memory. The work is therefore of two kinds: to compress text, and to touch new memory.
"""

import mmap
import os
import time
import zlib
from pathlib import Path
from statistics import median

INTERVAL_SECONDS = 10
TEXT = b"".join(str(i * i).encode() for i in range(50_000))
NEW_MEMORY_BYTES = 16 << 20


def record(file):
    """Appends a line with the time and the seconds of the fixed work to the file, as long as its parent lives."""
    Path(file).unlink(missing_ok=True)
    parent = os.getppid()
    while os.getppid() == parent:
        with open(file, "a") as out:
            out.write(f"{time.time():.0f} {seconds_of_work():.4f}\n")
        time.sleep(INTERVAL_SECONDS)


def seconds_of_work():
    return min(processor_seconds(work) for _ in range(2))


def work():
    zlib.compress(TEXT, 6)
    with mmap.mmap(-1, NEW_MEMORY_BYTES) as memory:
        for page in range(0, NEW_MEMORY_BYTES, mmap.PAGESIZE):
            memory[page] = 1


def processor_seconds(action):
    start = time.process_time()
    action()
    return time.process_time() - start


def percent(reference_seconds):
    """How long the fixed work takes now, in percent of the reference; at least 100."""
    return max(100, round(100 * seconds_of_work() / reference_seconds))


class Slowness:
    """What was recorded in a run. A faster machine than the reference counts as the reference, and so does one without a record."""

    def __init__(self, file, reference_seconds):
        self.measured = []
        lines = Path(file).read_text().splitlines() if Path(file).exists() else []
        for line in lines:
            at, seconds = line.split()
            self.measured.append((float(at), float(seconds) / reference_seconds))

    def of_run(self):
        return max(1.0, median(ratio for _, ratio in self.measured)) if self.measured else 1.0

    def between(self, began, ended):
        near = [ratio for at, ratio in self.measured if began - INTERVAL_SECONDS <= at <= ended + INTERVAL_SECONDS]
        return max(1.0, median(near)) if near else self.of_run()
