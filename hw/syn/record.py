#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The record of what the kernels take of a U280: written after a synthesis, checked without one.

A row has the digest of the sources that were synthesized, so a source that changed since makes the check fail. The check also compares
each figure with its budget. It reads no netlist and takes milliseconds.
"""
import argparse
import hashlib
import json
import pathlib
import sys

from report import U280, limits

HEAD = """# Cells of the kernels

Written by `make synth-record`, which runs {yosys} with `{options}`: estimates before place and route, without AMD's parts.
`make synth-check` fails if a source changed since, or if a figure is over its budget. `make synth-compare` synthesizes again.

- `modules`: a kernel module by module. `flat`: the same kernel flattened. `linked`: the flattened kernels of a design joined.
- Percent: of all that a U280 has. LUTs include those used as memory or shift registers.
- Path: the most LUTs between two registers.

"""
COLUMNS = [*U280, "path"]


class Row:
    """A synthesis, its limits, and its sources."""

    def __init__(self, words, options):
        self.name, budget, depth, *sources = words
        self.budget = limits(budget)
        if depth != "-":
            self.budget["path"] = int(depth)
        self.digest = hashlib.sha256("\0".join([options, *(pathlib.Path(source).read_text(encoding="utf-8") for source in sources)])
                                     .encode()).hexdigest()[:16]

    def problems(self, figures):
        def shown(kind):
            return f"a path of {figures[kind]} LUTs" if kind == "path" else f"{figures[kind]:,} {kind}"

        return [f"{self.name}: {shown(kind)}, at most {limit:,}" for kind, limit in self.budget.items() if figures[kind] > limit]


def table(rows, figures_of):
    lines = [["synthesis", *COLUMNS, "sources (SHA-256)"], ["---", *["---:"] * len(COLUMNS), "---"]]
    for row in rows:
        figures = figures_of[row.name]
        shown = [f"{figures[kind]} ({figures[kind] / U280[kind]:.1%})" if kind in U280 and figures[kind] else str(figures[kind])
                 for kind in COLUMNS]
        lines.append([row.name, *shown, row.digest])
    return "".join("| " + " | ".join(line) + " |\n" for line in lines)


def read(record):
    """Name: figures and digest."""
    rows = {}
    if not record.exists():
        return rows
    for line in record.read_text(encoding="utf-8").splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if len(cells) == len(COLUMNS) + 2 and cells[1][:1].isdigit():
            rows[cells[0]] = dict(zip(COLUMNS, (int(cell.split()[0]) for cell in cells[1:-1]))), cells[-1]
    return rows


def check(record, rows):
    recorded = read(record)
    problems = [f"{record}: {name} is not a synthesis; run make synth-record" for name in recorded if name not in {row.name for row in rows}]
    for row in rows:
        if row.name not in recorded:
            problems.append(f"{record}: {row.name} not found; run make synth-record")
            continue
        figures, digest = recorded[row.name]
        if digest != row.digest:
            problems.append(f"{record}: the sources of {row.name} changed; run make synth-record")
        problems += row.problems(figures)
    return problems


def compare(record, rows, figures_of):
    recorded = read(record)
    return [f"{record}: {row.name} has {recorded.get(row.name, [None])[0]}, synthesized {figures_of[row.name]}"
            for row in rows if recorded.get(row.name, [None])[0] != figures_of[row.name]]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("action", choices=["write", "check", "compare"])
    parser.add_argument("record", type=pathlib.Path)
    parser.add_argument("--row", action="append", nargs="+", default=[], metavar="NAME BUDGET DEPTH SOURCE...")
    parser.add_argument("--options", required=True, help="of the synthesis")
    parser.add_argument("--yosys", help="its version, to write")
    parser.add_argument("--figures", type=pathlib.Path, help="folder of report.py's NAME.figures, to write or compare")
    arguments = parser.parse_args()
    rows = [Row(words, arguments.options) for words in arguments.row]
    if arguments.action == "check":
        problems = check(arguments.record, rows)
    else:
        figures_of = {row.name: json.loads((arguments.figures / f"{row.name}.figures").read_text(encoding="utf-8")) for row in rows}
        if arguments.action == "write":
            head = HEAD.format(yosys=arguments.yosys, options=arguments.options)
            arguments.record.write_text(head + table(rows, figures_of), encoding="utf-8")
            problems = check(arguments.record, rows)
        else:
            problems = compare(arguments.record, rows, figures_of)
    for problem in problems:
        print(problem, file=sys.stderr)
    if not problems:
        print(f"{arguments.record}: {len(rows)} syntheses, " + ("the same figures" if arguments.action == "compare"
                                                              else "each of the present sources and within its budget"))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
