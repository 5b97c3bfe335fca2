# SPDX-License-Identifier: Apache-2.0
"""Reads JUnit reports test by test, because Surefire's sums of a parameterized class are wrong."""

import re
import xml.etree.ElementTree as xml

# The beginning of a long message names the assertion, and the end has the expected value.
MAX_BEGINNING_CHARACTERS, MAX_END_CHARACTERS = 300, 700

# Tests of a card and of captures beside the project are skipped where there are none. What is there is an input of the area.
ABSENT_INPUTS = ("FLOWSTONE_XCLBIN is not set", "no captures ", "no oracles ")


def counts(*reports):
    tests = read(reports)
    failed = sum(1 for test in tests if failures_of(test))
    skipped = sum(1 for test in tests if not failures_of(test) and test.find("skipped") is not None)
    print(len(tests) - skipped - failed, skipped, failed)


def skip(reports):
    """Whether a test was skipped for want of something that an area does not depend on."""
    skips = [skipped for test in read(reports) for skipped in test.findall("skipped")]
    reasons = [(skipped.get("message") or "") + (skipped.text or "") for skipped in skips]
    return any(not any(absent in reason for absent in ABSENT_INPUTS) for reason in reasons)


def failures(*reports):
    for test in read(reports):
        for failure in failures_of(test):
            print(f"  {test.get('classname')}.{test.get('name')}")
            message = shortened(failure.get("message") or failure.text or "")
            print("    " + "\n".join([message, *root_cause(message, failure.text or "")]).replace("\n", "\n    "))


def read(reports):
    return [test for report in reports for test in tests_of(report)]


def tests_of(report):
    """The tests of a report. A report that cannot be read, such as that of an aborted run, counts as a failed test."""
    try:
        return list(xml.parse(report).iter("testcase"))
    except xml.ParseError as error:
        unread = xml.Element("testcase", classname=report, name="report")
        xml.SubElement(unread, "error", message=f"cannot be read: {error}")
        return [unread]


def failures_of(test):
    return test.findall("failure") + test.findall("error")


def root_cause(message, trace):
    """The last cause of a Java stack trace, unless the message has it."""
    root = re.findall(r"^Caused by: (.+)$", trace, re.MULTILINE)[-1:]
    return [f"caused by {shortened(cause)}" for cause in root if cause not in message]


def shortened(text):
    text = text.strip()
    if len(text) <= MAX_BEGINNING_CHARACTERS + MAX_END_CHARACTERS:
        return text
    return f"{text[:MAX_BEGINNING_CHARACTERS]}\n[…]\n{text[-MAX_END_CHARACTERS:]}"
