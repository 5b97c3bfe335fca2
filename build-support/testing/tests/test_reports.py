# SPDX-License-Identifier: Apache-2.0
"""Tests are counted one by one: Surefire's sums of a parameterized class are wrong, and an aborted run leaves half a report."""

import reports

REPORT = """<testsuite name="Own" tests="0" errors="0" skipped="0" failures="0">
  <testcase name="a" classname="Own"/>
  <testcase name="b" classname="Own"><failure message="expected 2, got 1"/></testcase>
  <testcase name="c" classname="Own"><error message="closed">closed
Caused by: taken
Caused by: in use</error></testcase>
  <testcase name="d" classname="Own"><skipped message="no card"/></testcase>
  <testcase name="e" classname="Own"><system-out>&lt;failure</system-out></testcase>
</testsuite>
"""


def report(tmp_path, text=REPORT):
    file = tmp_path / f"TEST-{len(text)}.xml"
    file.write_text(text)
    return file


def test_counts_passed_skipped_and_failed_tests(tmp_path, capsys):
    reports.counts(report(tmp_path))
    assert capsys.readouterr().out == "2 1 2\n"


def test_counts_a_report_that_was_cut_off_as_a_failed_test(tmp_path, capsys):
    half = report(tmp_path, REPORT[:200])
    reports.counts(report(tmp_path), half)
    reports.failures(half)
    assert capsys.readouterr().out.startswith(f"2 1 3\n  {half}.report\n    cannot be read: ")


def test_prints_the_message_and_the_root_cause_of_a_failure(tmp_path, capsys):
    reports.failures(report(tmp_path))
    assert capsys.readouterr().out == "  Own.b\n    expected 2, got 1\n  Own.c\n    closed\n    caused by in use\n"


def test_prints_both_ends_of_a_long_message(tmp_path, capsys):
    reports.failures(report(tmp_path, REPORT.replace("expected 2", "expected " + "2" * 2000)))
    printed = capsys.readouterr().out
    assert "    expected 2222" in printed
    assert "[…]" in printed
    assert "222, got 1\n" in printed
    assert len(printed) < 1300
