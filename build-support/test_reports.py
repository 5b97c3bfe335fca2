# SPDX-License-Identifier: Apache-2.0
"""What JUnit reports tell, test by test: of a parameterized class surefire writes that it has no tests, beside all that it has.

usage: test_reports.py counts REPORT...     how many passed, were skipped, failed
       test_reports.py failures REPORT...   the failed ones, each with what was said of it, of long words both ends, and the root of its causes
"""

import re
import sys
import xml.etree.ElementTree as xml

# An assertion may begin with all that a program has said, and what it expected comes last.
BEGINNING, END = 300, 700


def main(what, reports):
    tests = [test for report in reports for test in tests_of(report)]
    if what == "counts":
        failed = sum(1 for test in tests if failures(test))
        skipped = sum(1 for test in tests if not failures(test) and test.find("skipped") is not None)
        print(len(tests) - skipped - failed, skipped, failed)
    elif what == "failures":
        for test in tests:
            for said in failures(test):
                print(f"  {test.get('classname')}.{test.get('name')}")
                words = shortened(said.get("message") or said.text or "")
                print("    " + "\n".join([words, *root_beyond(words, said.text or "")]).replace("\n", "\n    "))
    else:
        sys.exit(__doc__)


def tests_of(report):
    """One that cannot be read, as of a run that was cut off, is a failed test itself."""
    try:
        return list(xml.parse(report).iter("testcase"))
    except xml.ParseError as error:
        unread = xml.Element("testcase", classname=report, name="report")
        xml.SubElement(unread, "error", message=f"cannot be read: {error}")
        return [unread]


def failures(test):
    return test.findall("failure") + test.findall("error")


def root_beyond(words, trace):
    """The last cause in Java's stack trace, where the words do not say it."""
    root = re.findall(r"^Caused by: (.+)$", trace, re.MULTILINE)[-1:]
    return [f"caused by {shortened(cause)}" for cause in root if cause not in words]


def shortened(words):
    words = words.strip()
    if len(words) <= BEGINNING + END:
        return words
    return f"{words[:BEGINNING]}\n[…]\n{words[-END:]}"


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
