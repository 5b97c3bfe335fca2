# SPDX-License-Identifier: Apache-2.0
"""Counts the processor time of processes that outlive their parents.

A shell knows the time of the children that it waited for. When a test kills a process, the children of that process become
those of process 1, and their time is lost. This program becomes the parent of such processes instead (Linux: child subreaper).
"""

import contextlib
import ctypes
import os
import signal
import sys

PR_SET_CHILD_SUBREAPER = 36
VARIABLE = "FLOWSTONE_ORPHANS"


def run(*command):
    if ctypes.CDLL(None, use_errno=True).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0:
        sys.exit("flowstone: test: cannot become a child subreaper: " + os.strerror(ctypes.get_errno()))
    file = f"build/orphans-{os.getpid()}"
    child = os.spawnvpe(os.P_NOWAIT, command[0], list(command), {**os.environ, VARIABLE: file})
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda received, frame: forward(received, child))
    seconds = 0.0
    while True:
        ended, status, usage = os.wait4(-1, 0)
        if ended == child:
            if os.path.exists(file):
                os.remove(file)
            return os.waitstatus_to_exitcode(status) if os.WIFEXITED(status) else 128 + os.WTERMSIG(status)
        seconds += usage.ru_utime + usage.ru_stime
        with open(file + ".new", "w") as out:
            out.write(str(seconds))
        os.replace(file + ".new", file)


def forward(number, child):
    # A second signal may come when the first has ended the child.
    with contextlib.suppress(ProcessLookupError):
        os.kill(child, number)


def orphan_seconds():
    try:
        with open(os.environ.get(VARIABLE, "")) as file:
            return float(file.read())
    except FileNotFoundError:
        return 0.0
