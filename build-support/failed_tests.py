# SPDX-License-Identifier: Apache-2.0
"""The failed tests in JUnit reports, each with what was said of it: of long words both ends.

usage: failed_tests.py REPORT...
"""

import sys
import xml.etree.ElementTree as xml

# An assertion may begin with all that a program has said, and what it expected comes last.
BEGINNING, END = 300, 700


def main(reports):
    for report in reports:
        for test in xml.parse(report).iter("testcase"):
            for said in test.findall("failure") + test.findall("error"):
                print(f"  {test.get('classname')}.{test.get('name')}")
                print("    " + shortened(said.get("message") or said.text or "").replace("\n", "\n    "))


def shortened(words):
    words = words.strip()
    if len(words) <= BEGINNING + END:
        return words
    return f"{words[:BEGINNING]}\n[…]\n{words[-END:]}"


if __name__ == "__main__":
    main(sys.argv[1:])
