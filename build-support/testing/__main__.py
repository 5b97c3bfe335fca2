# SPDX-License-Identifier: Apache-2.0
"""The decisions of ./flowstone test: which areas run, which results are kept, whether the run is in budget.

usage: python3 build-support/testing COMMAND
  plan [--all] [AREA...]     print the areas to run, one a line; without names, those whose inputs are new on this machine
  needs PLACE                exit status 0 if an area of the plan depends on this file or folder
  tags                       print the areas that are a JUnit tag, one a line
  modules                    print the Maven modules of the plan, with commas between them
  known                      print the areas of the plan that are not run, and since when they are known
  passed AREA...             keep the result of these areas
  maven-passed LOG SINCE     keep the result of each module that Maven reports as successful and that skipped no test since then
  record-slowness FILE       measure now and then how slow the machine is, until ended
  slowness-percent           print how long a fixed piece of work takes now, in percent of the reference; at least 100
  budget SINCE FILE          print the processor time of the run; exit status 1 if a test class is over budget
  skips REPORT...            exit status 0 if one of the reports has a skipped test
  counts | failures REPORT...   sums of JUnit reports, or the failed tests with their messages
  count-orphans COMMAND...   run a command and count the processor time of processes that outlive their parents
"""

import sys

import areas
import budgets
import orphans
import reports
import slowness

COMMANDS = {
    "plan": areas.plan,
    "needs": areas.needs,
    "tags": areas.print_tags,
    "modules": areas.print_modules,
    "known": areas.print_known,
    "passed": areas.keep_passed,
    "maven-passed": areas.keep_passed_modules,
    "record-slowness": slowness.record,
    "slowness-percent": budgets.print_slowness_percent,
    "budget": budgets.check,
    "skips": lambda *paths: 0 if reports.skip(paths) else 1,
    "counts": reports.counts,
    "failures": reports.failures,
    "count-orphans": orphans.run,
}


def main(arguments):
    if not arguments or arguments[0] not in COMMANDS:
        sys.exit(__doc__)
    return COMMANDS[arguments[0]](*arguments[1:])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
