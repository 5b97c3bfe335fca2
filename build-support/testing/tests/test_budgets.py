# SPDX-License-Identifier: Apache-2.0
"""A test class that takes more than 1.5 times its processor time fails the run."""

import os
import signal
import subprocess
import sys
import time

import budgets
import orphans
import pytest
import slowness

TABLE = """
reference 0.1
run 100
*Test 2
*ITCase 10
*SlowITCase 20
endtoend.FaultsITCase 40
"""


@pytest.fixture
def run(project, capsys, monkeypatch):
    """Checks the budgets of a run in which classes took so many seconds, the fixed work so many; returns exit status and output."""
    (project / budgets.TABLE).write_text(TABLE)
    (project / "tap/src/test/java/dev/flowstone/endtoend").mkdir(parents=True)
    (project / "tap/src/test/java/dev/flowstone/endtoend/FaultsITCase.java").touch()
    monkeypatch.setattr(budgets, "ROOT", project)
    started = project / "started"
    started.touch()
    os.utime(started, (time.time() - 100, time.time() - 100))

    def check(work=((0, 0.1),), **seconds):
        file = project / "tap/target/processor-time/1"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("".join(f"dev.flowstone.{name} {taken} 1000 1060\n" for name, taken in seconds.items()))
        (project / "slowness").write_text("".join(f"{at} {taken}\n" for at, taken in work))
        return budgets.check(str(started), str(project / "slowness")), capsys.readouterr().out

    return check


@pytest.mark.parametrize("name, most", [("RingTest", 3), ("RingITCase", 15), ("VerySlowITCase", 30), ("endtoend.FaultsITCase", 60)])
def test_fails_a_class_over_one_and_a_half_times_its_budget(run, name, most):
    assert run(**{name: most - 0.1})[0] == 0
    status, output = run(**{name: most + 0.1})
    assert status == 1
    assert f"FAILED: {name}: took {most + 0.1:.1f} s" in output


def test_gives_a_slower_machine_more(run):
    assert run(work=[(0, 0.2)], RingTest=5.9)[0] == 0
    assert run(work=[(0, 0.2)], RingTest=6.1)[0] == 1


def test_gives_more_where_the_machine_was_slow_while_the_class_ran(run):
    slow_then = [(0, 0.1), (500, 0.1), (1000, 0.2), (1030, 0.2), (1060, 0.2), *((at, 0.1) for at in range(1100, 1200, 10))]
    assert run(work=slow_then, RingTest=5.9)[0] == 0
    slow_later = [(1000, 0.1), (1030, 0.1), *((at, 0.2) for at in range(1100, 1200, 10))]
    assert run(work=slow_later, RingTest=5.9)[0] == 1


def test_gives_a_faster_machine_no_less(run):
    assert run(work=[(0, 0.05)], RingTest=2.9)[0] == 0


def test_takes_a_run_without_a_record_for_the_reference(project, run):
    run(RingTest=2.9)
    (project / "slowness").unlink()
    assert budgets.check(str(project / "started"), str(project / "slowness")) == 0


def test_records_the_time_of_a_fixed_piece_of_work(tmp_path):
    file = tmp_path / "slowness"
    with subprocess.Popen([sys.executable, budgets.ROOT / "build-support/testing", "record-slowness", file]) as recording:
        while not (file.exists() and file.read_text().endswith("\n")):
            assert recording.poll() is None
            time.sleep(0.01)
        recording.terminate()
    at, seconds = map(float, file.read_text().split())
    assert at == pytest.approx(time.time(), abs=10)
    assert seconds > 0


def test_prints_the_five_classes_that_grew_most(run):
    _, output = run(ATest=1, BTest=2, CTest=3, DTest=1.5, ETest=2.5, FTest=0.5)
    assert [line.split(":")[0].strip() for line in output.splitlines()[1:6]] == ["CTest", "ETest", "BTest", "DTest", "ATest"]


def test_adds_up_a_class_and_its_nested_classes(project, run):
    _, output = run(**{"ring.RingTest": 1, "ring.RingTest$Nested": 1})
    assert "ring.RingTest: 2.0 s of 2" in output


def test_fails_a_line_of_a_class_that_does_not_exist(project, run):
    (project / budgets.TABLE).write_text(TABLE + "ring.GoneTest 4\n")
    status, output = run()
    assert status == 1
    assert "no such test class: ring.GoneTest" in output


def test_fails_if_classes_ran_and_no_time_was_recorded(project, run):
    report = project / "tap/target/surefire-reports/TEST-A.xml"
    report.parent.mkdir(parents=True)
    report.write_text("<testsuite/>")
    status, output = run()
    assert status == 1
    assert "no test class recorded its processor time" in output


def test_ignores_what_an_earlier_run_wrote(project, run):
    run(RingTest=100)
    file = project / "tap/target/processor-time/1"
    os.utime(file, (time.time() - 200, time.time() - 200))
    assert budgets.check(str(project / "started"), str(project / "slowness")) == 0


def test_counts_the_time_of_a_process_that_outlives_its_parent(tmp_path):
    (tmp_path / "build").mkdir()
    burn = "import time\\nwhile time.process_time() < 0.5: pass"
    # The middle process is killed and never waits for the one that works.
    killed = f"sh -c 'printf \"{burn}\" | python3 - & echo $! >pid; kill -9 $$'; while kill -0 $(cat pid); do sleep 0.1; done; sleep 0.2"
    report = f"import sys; sys.path.insert(0, {str(budgets.ROOT / 'build-support/testing')!r}); import orphans; print(orphans.orphan_seconds())"
    command = [sys.executable, budgets.ROOT / "build-support/testing", "count-orphans", "sh", "-c", f"{killed}; python3 -c \"{report}\""]
    output = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert float(output.stdout.split()[-1]) == pytest.approx(0.5, abs=0.2)
    assert list((tmp_path / "build").iterdir()) == []


@pytest.mark.parametrize("end, status", [("exit 3", 3), ("kill -TERM $$", 143)])
def test_ends_with_the_status_of_the_command(tmp_path, end, status):
    (tmp_path / "build").mkdir()
    command = [sys.executable, budgets.ROOT / "build-support/testing", "count-orphans", "sh", "-c", end]
    assert subprocess.run(command, cwd=tmp_path).returncode == status


def test_forwards_no_signal_to_a_process_that_has_ended():
    child = subprocess.Popen(["true"])
    child.wait()
    orphans.forward(signal.SIGTERM, child.pid)


def test_prints_how_much_slower_than_the_reference_the_machine_is(monkeypatch, capsys):
    monkeypatch.setattr(slowness, "seconds_of_work", lambda: 0.063)
    budgets.print_slowness_percent()
    monkeypatch.setattr(slowness, "seconds_of_work", lambda: 0.021)
    budgets.print_slowness_percent()
    assert capsys.readouterr().out.split() == ["150", "100"]
