# SPDX-License-Identifier: Apache-2.0
"""Checks the processor time of each test class against its budget, and prints that of the whole run.

Budgets are seconds of processor time on the machine on which budgets.txt was written. Where a fixed piece of work took longer
while a class ran, the class gets more.
"""

import os
from pathlib import Path
from typing import NamedTuple

from areas import ROOT
from orphans import orphan_seconds
from reactor import Reactor
from slowness import Slowness, percent

TABLE = "build-support/testing/budgets.txt"
PACKAGE = "dev.flowstone."
MAX_RATIO = 1.5
SHOWN_CLASSES = 5
TICKS_PER_SECOND = os.sysconf("SC_CLK_TCK")


class Run(NamedTuple):
    """Seconds of processor time of a test class, and when it ran."""

    seconds: float
    began: float
    ended: float


class Budgets:
    """Seconds for each class of the table, and for a class without a line those of the longest suffix that fits."""

    def __init__(self, text):
        self.classes, self.usual, self.run, self.reference = {}, {}, None, None
        for line in text.splitlines():
            if not line.strip() or line.startswith("#"):
                continue
            name, seconds = line.split()[:2]
            if name == "run":
                self.run = float(seconds)
            elif name == "reference":
                self.reference = float(seconds)
            elif name.startswith("*"):
                self.usual[name[1:]] = float(seconds)
            else:
                self.classes[name] = float(seconds)

    def of(self, name):
        fitting = [suffix for suffix in self.usual if name.endswith(suffix)]
        return self.classes.get(name) or self.usual[max(fitting, key=len)]


def check(since, slowness_file):
    budgets = Budgets((ROOT / TABLE).read_text())
    slowness = Slowness(slowness_file, budgets.reference)
    began = Path(since).stat().st_mtime
    runs = class_runs(ROOT, began)
    measured = {name: sum(run.seconds for run in runs[name]) for name in runs}
    print(f"core-seconds: {run_seconds():.0f} of {budgets.run:.0f}; this machine took {slowness.of_run():.2f} times as long as the reference")
    growth = sorted(measured, key=lambda name: budgets.of(name) - measured[name])
    for name in growth[:SHOWN_CLASSES]:
        print(f"  {name}: {measured[name]:.1f} s of {budgets.of(name):.0f}")
    over = [name for name in growth if sum(run.seconds / slowness.between(run.began, run.ended) for run in runs[name]) > budgets.of(name) * MAX_RATIO]
    for name in over:
        print(
            f"  FAILED: {name}: took {measured[name]:.1f} s of processor time, budget {budgets.of(name):.0f};"
            f" make the class cheaper, tag it slow, or raise its line in {TABLE} and say why"
        )
    if not measured and any(report.stat().st_mtime >= began for report in files_of_modules(ROOT, "target/surefire-reports/TEST-*.xml")):
        print("  FAILED: no test class recorded its processor time; see verification/processor-time")
        return 1
    absent = sorted(set(budgets.classes) - test_classes(ROOT))
    for name in absent:
        print(f"  FAILED: {TABLE}: no such test class: {name}; remove the line")
    return 1 if over or absent else 0


def print_slowness_percent():
    print(percent(Budgets((ROOT / TABLE).read_text()).reference))


def class_runs(root, since):
    """The runs of each class in the files that the tests of the modules wrote since then."""
    runs = {}
    for file in files_of_modules(root, "target/processor-time/*"):
        if file.stat().st_mtime >= since:
            for line in file.read_text().splitlines():
                name, *times = line.split()
                runs.setdefault(name.removeprefix(PACKAGE).split("$")[0], []).append(Run(*map(float, times)))
    return runs


def test_classes(root):
    sources = (path.as_posix().split("src/test/java/")[1] for path in files_of_modules(root, "src/test/java/**/*.java"))
    return {source.removesuffix(".java").replace("/", ".").removeprefix(PACKAGE) for source in sources}


def files_of_modules(root, pattern):
    return [file for folder in Reactor(root).folders() for file in (root / folder).glob(pattern)]


def run_seconds():
    """The processor time of the shell that called this program, of all that it waited for, and of orphans."""
    stat = Path(f"/proc/{os.getppid()}/stat").read_text()
    fields = stat[stat.rindex(")") + 2 :].split()
    return sum(int(field) for field in fields[11:15]) / TICKS_PER_SECOND + orphan_seconds()
