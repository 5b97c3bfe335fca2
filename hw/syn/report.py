#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a kernel costs, and how long its paths are.

Reads what Yosys wrote of a design that was mapped to UltraScale+ cells, module by module. Prints the cells of each module with its
instances, what all of them are of a U280, and for each module the path into one of its registers that goes through the most LUTs, across
modules. This is no timing: nothing is placed, and what Vivado makes of the same source differs.
"""
import argparse
import collections
import json
import re
import sys

REGISTER = re.compile(r"FD[A-Z]+|SRL.*|RAMB.*|URAM.*")
LUT_RAM = re.compile(r"RAM(32|64|128|256|512).*")
CARRY = re.compile(r"CARRY[48]")
FREE = re.compile(r"INV|MUXF\d|BUF.*")  # part of a LUT's slice or of a register

KINDS = [("LUT", r"LUT\d"), ("FF", r"FD[A-Z]+"), ("LUTRAM", LUT_RAM.pattern), ("SRL", r"SRL.*"), ("CARRY4", r"CARRY4"),
         ("BRAM18", r"RAMB18.*"), ("BRAM36", r"RAMB36.*"), ("URAM", r"URAM.*"), ("DSP", r"DSP48.*")]

# What an xcu280 has (AMD DS963). A half of a BRAM36 is a BRAM18, LUTs are memory and shift registers, too.
U280 = {"LUT": 1_303_680, "FF": 2_607_360, "BRAM36": 2_016, "URAM": 960, "DSP": 9_024}


def short(name):
    return re.sub(r"^\$paramod(\$[0-9a-f]+)?\\", "", name).split("\\")[0]


class Design:
    def __init__(self, netlist, top):
        self.modules = netlist["modules"]
        self.top = top
        self.drivers = {}  # net -> (cell, type, module)
        self.cells = []  # (type, module, inputs, outputs)
        self.nets = 0
        self.flatten(top, {}, seen=set())

    def is_design(self, kind):
        return kind in self.modules and not self.modules[kind].get("attributes", {}).get("blackbox")

    def count(self, module):
        """Cells of one module without its instances, and the instances."""
        own, instances = collections.Counter(), collections.Counter()
        for cell in self.modules[module]["cells"].values():
            (instances if self.is_design(cell["type"]) else own)[cell["type"]] += 1
        return own, instances

    def total(self, module):
        own, instances = self.count(module)
        for instance, times in instances.items():
            for kind, number in self.total(instance).items():
                own[kind] += number * times
        return own

    def flatten(self, module, outer, seen):
        """Gives each net of each instance a number. Of instances that are the same again one is enough."""
        nets = dict(outer)

        def net(bit):
            if isinstance(bit, str):
                return None
            if bit not in nets:
                nets[bit] = self.nets
                self.nets += 1
            return nets[bit]

        repeated = collections.Counter()
        for name, cell in self.modules[module]["cells"].items():
            kind = cell["type"]
            connections = {port: [net(bit) for bit in bits] for port, bits in cell["connections"].items()}
            if self.is_design(kind):
                repeated[kind] += 1
                if repeated[kind] > 2:
                    continue
                inner = {}
                for port, description in self.modules[kind]["ports"].items():
                    for bit, outside in zip(description["bits"], connections.get(port, [])):
                        if not isinstance(bit, str) and outside is not None:
                            inner[bit] = outside
                self.flatten(kind, inner, seen)
                continue
            inputs = [n for port, ns in connections.items() if cell["port_directions"][port] != "output" for n in ns if n is not None]
            outputs = [n for port, ns in connections.items() if cell["port_directions"][port] == "output" for n in ns if n is not None]
            carry_in = set(connections.get("CI", [])) if CARRY.fullmatch(kind) else set()
            address = None
            if LUT_RAM.fullmatch(kind):  # reading is combinational, from the address alone
                address = [n for port, ns in connections.items() if re.fullmatch(r"ADDR[A-H]|A\d?|DPRA\d?", port) for n in ns
                           if n is not None]
            index = len(self.cells)
            self.cells.append((kind, module, inputs if address is None else address, outputs, carry_in, inputs))
            for output in outputs:
                self.drivers[output] = index

    def arrival(self):
        """For each net the most LUTs from a register to it, and how many carry cells are on that path."""
        sys.setrecursionlimit(1_000_000)
        known = {}
        stack_guard = set()

        def at(net):
            if net in known:
                return known[net]
            driver = self.drivers.get(net)
            if driver is None or REGISTER.fullmatch(self.cells[driver][0]):
                known[net] = (0, 0)
                return known[net]
            if net in stack_guard:
                raise SystemExit("a combinational loop in " + short(self.cells[driver][1]))
            stack_guard.add(net)
            kind, _, inputs, _, carry_in, _ = self.cells[driver]
            best = (0, 0)
            for source in inputs:
                luts, carries = at(source)
                if CARRY.fullmatch(kind):
                    carries += 1
                elif not FREE.fullmatch(kind):
                    luts += 1
                best = max(best, (luts, carries))
            stack_guard.discard(net)
            known[net] = best
            return best

        return at

    def longest(self):
        """For each module the longest path into a register or a memory of it."""
        at = self.arrival()
        longest = {}
        for kind, module, _, _, _, inputs in self.cells:
            if REGISTER.fullmatch(kind) or LUT_RAM.fullmatch(kind):
                for net in inputs:
                    longest[module] = max(longest.get(module, (0, 0)), at(net))
        return longest


def kinds(counter):
    return [sum(number for kind, number in counter.items() if re.fullmatch(pattern, kind)) for _, pattern in KINDS]


def used(total):
    """Of what a card has, how much."""
    cells = dict(zip([name for name, _ in KINDS], total))
    cells["LUT"] += cells["LUTRAM"] + cells["SRL"]
    cells["BRAM36"] += (cells["BRAM18"] + 1) // 2
    return {kind: cells[kind] for kind in U280}


def limits(text):
    return {name: int(limit) for name, limit in (each.split("=") for each in text.split(","))}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("netlist", help="what Yosys' write_json made")
    parser.add_argument("top", help="the kernel")
    parser.add_argument("--depth", type=int, help="fails if a path goes through more LUTs")
    parser.add_argument("--budget", type=limits, default={}, metavar="LUT=N,...", help="fails if the kernel has more of these")
    parser.add_argument("--figures", metavar="FILE", help="where to write what record.py reads")
    arguments = parser.parse_args()
    with open(arguments.netlist, encoding="utf-8") as file:
        netlist = json.load(file)
    top = arguments.top
    design = Design(netlist, top)
    longest = design.longest()

    instances = collections.Counter()

    def visit(module, times):
        instances[module] += times
        for inner, number in design.count(module)[1].items():
            visit(inner, times * number)

    visit(top, 1)
    header = ["module", "times"] + [name for name, _ in KINDS] + ["LUTs on a path", "carry cells"]
    rows = []
    for module in sorted(instances, key=short):
        depth = longest.get(module, (0, 0))
        rows.append([short(module), instances[module]] + kinds(design.count(module)[0]) + list(depth))
    rows.append(["all of " + top, 1] + kinds(design.total(top)) + list(max(longest.values())))
    widths = [max(len(str(row[i])) for row in [header] + rows) for i in range(len(header))]
    for row in [header] + rows:
        print("  ".join(str(value).ljust(width) if i == 0 else str(value).rjust(width)
                        for i, (value, width) in enumerate(zip(row, widths))))
    cells = used(kinds(design.total(top)))
    print(f"{top}: " + ", ".join(f"{number:,} {kind} ({number / U280[kind]:.1%} of a U280)" for kind, number in cells.items() if number))
    problems = [f"{top}: {cells[kind]:,} {kind}, at most {limit:,}" for kind, limit in arguments.budget.items() if cells[kind] > limit]
    deepest = max(longest.values())[0]
    if arguments.figures:
        with open(arguments.figures, "w", encoding="utf-8") as file:
            json.dump(cells | {"path": deepest}, file)
    if arguments.depth is not None and deepest > arguments.depth:
        problems.append(f"{top}: a path of {deepest} LUTs, at most {arguments.depth}")
    for problem in problems:
        print(problem, file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
