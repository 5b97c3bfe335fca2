#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Proves the properties of the kernels' AXI ports with Yosys and an SMT solver, and checks that each property finds a fault.

A proof NAME has the module NAME_formal in formal/NAME.sv, with the RTL and rules that it names in its "Sources:" line. A declaration
"logic probe_x; // = path" in that file connects probe_x to a register of the RTL, "path[N]" to N words of a memory. Each proof is
bounded (cycles from the reset) and then, where it says so, by induction (any number of cycles).
"""
import argparse
import os
import pathlib
import re
import resource
import shutil
import subprocess
import sys

FOLDER = pathlib.Path(__file__).resolve().parent
SOLVERS = {"yices": "yices-smt2", "z3": "z3"}  # Z3 takes many times as long, so it is used only on request
LABEL = re.compile(r"^ *(\w+): assert \(", re.M)
MUTANT_CYCLES = 24  # from the reset, in which a fault has to show
MISSING = "apt-get install yosys, make -C hw formal-tools"


class Proof:
    """One module of formal/, its sources, and how it is proved."""

    def __init__(self, name):
        self.name = name
        self.path = FOLDER / f"{name}.sv"
        text = self.path.read_text(encoding="utf-8")
        self.sources = re.search(r"^// Sources: (.*)$", text, re.M).group(1).split()
        self.depth = int(re.search(r"^// Bounded: (\d+)$", text, re.M).group(1))
        induction = re.search(r"^// (Slow i|I)nduction: (\d+)$", text, re.M)
        self.induction = int(induction.group(2)) if induction else None
        self.is_slow = bool(induction) and induction.group(1) == "Slow i"
        self.probes = re.findall(r"^ *logic .*?\b(probe_\w+); // = (\S+)$", text, re.M)

    def connections(self):
        for probe, path in self.probes:
            memory = re.fullmatch(r"(.+)\[(\d+)\]", path)
            if not memory:
                yield f"connect -set {probe} {path}"
                continue
            base, words = memory[1], int(memory[2])
            flat = base.replace(".", "_")
            for word in range(words):
                yield f"rename {base}[{word}] {flat}_{word}"
            yield f"connect -set {probe} " + ",".join(f"{flat}_{word}" for word in reversed(range(words)))

    def properties(self):
        """The names of the properties, without those that are there for induction alone."""
        own = self.path.read_text(encoding="utf-8").split("// ---- For induction")[0]
        names = LABEL.findall(own)
        for source in self.sources:
            if source.endswith("_rules"):
                names += ["rules." + name for name in LABEL.findall((FOLDER / f"{source}.sv").read_text(encoding="utf-8"))]
        return names

    def build(self, rtl, output, only=None):
        """Writes the SMT2 file: with all properties, or with one of them."""
        files = [str(FOLDER / f"{source}.sv") if source.endswith("_rules") else str(rtl / f"{source}.sv") for source in self.sources]
        rest = [f"delete t:$assert n:{only} %d"] if only else []
        script = "; ".join([
            "read_verilog -formal -sv " + " ".join([*files, str(self.path)]), f"hierarchy -check -top {self.name}_formal", "proc",
            "flatten", "memory", f"cd {self.name}_formal", *self.connections(), *rest, "cd ..", "opt_clean", "check -assert", "async2sync",
            "opt -full", "opt_clean -purge", "dffunmap", f"write_smt2 -wires {output}"])
        subprocess.run(["yosys", "-q", "-p", script], check=True)


def solve(smt2, solver, *options):
    """What yosys-smtbmc prints, and whether the properties hold."""
    done = subprocess.run(["yosys-smtbmc", "--noprogress", "-s", solver, *options, str(smt2)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, check=False)
    return done.stdout, done.returncode == 0 and "Status: PASSED" in done.stdout


def failed_properties(output):
    return re.findall(r"Assert failed in \S+: (\S+)", output)


def missing_programs(solver):
    return [program for program in ("yosys", "yosys-smtbmc", SOLVERS[solver]) if not shutil.which(program)]


def cpu_seconds():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def prove(proof, rtl, build, solver, quick):
    """Prints what is proved. Returns the names of the properties that fail."""
    started = cpu_seconds()
    smt2 = build / f"{proof.name}.smt2"
    proof.build(rtl, smt2)
    runs = [("bounded", ["-t", str(proof.depth)], f"{proof.depth} cycles from the reset")]
    if proof.induction and not (quick and proof.is_slow):
        runs.append(("induction", ["-i", "-t", str(proof.induction)], "any number of cycles"))
    reached = ""
    for kind, options, meaning in runs:
        output, holds = solve(smt2, solver, *options)
        (build / f"{proof.name}.{kind}.log").write_text(output, encoding="utf-8")
        if not holds:
            print(f"FAILED {proof.name}: {', '.join(failed_properties(output)) or output.strip().splitlines()[-1]} ({kind}, {solver})")
            return failed_properties(output) or ["?"]
        reached = meaning
        if kind == "induction":
            latest = int(re.findall(r"Trying induction in step (\d+)", output)[-1])
            reached += f", by induction over {proof.induction - latest}"
    properties = smt2.read_text(encoding="utf-8").count("; yosys-smt2-assert ")
    print(f"proved {proof.name}: {properties} properties, {reached} ({solver}, {cpu_seconds() - started:.1f} s of CPU time)", flush=True)
    return []


def read_mutants():
    for line in (FOLDER / "mutants").read_text(encoding="utf-8").splitlines():
        if line.strip() and not line.startswith("#"):
            yield [part.strip() for part in line.split("|", 4)]


def check_mutants(proofs, rtl, build, solver, only):
    """Puts each fault into a copy of the RTL. The property that is named for the fault has to fail, from the reset on."""
    missed, tested = 0, set()
    count = 0
    for name, source, proof_name, prop, script in read_mutants():
        if only not in name or proof_name not in {proof.name for proof in proofs}:
            continue
        count += 1
        tested.add((proof_name, prop))
        copy = build / "mutants" / name
        shutil.rmtree(copy, ignore_errors=True)
        shutil.copytree(rtl, copy)
        file = copy / f"{source}"
        before = file.read_text(encoding="utf-8")
        subprocess.run(["sed", "-i", "-E", script, str(file)], check=True)
        if file.read_text(encoding="utf-8") == before:
            sys.exit(f"{name}: the script changes nothing in {source}")
        proof = next(proof for proof in proofs if proof.name == proof_name)
        smt2 = copy / f"{proof_name}.smt2"
        proof.build(copy, smt2, prop)
        output, holds = solve(smt2, solver, "-t", str(MUTANT_CYCLES))
        failed = failed_properties(output)
        if not holds and prop in failed:
            print(f"found   {name} by {proof_name} {prop}", flush=True)
        else:
            print(f"MISSED  {name}: expected {prop}, got {', '.join(failed) or 'no failure'}", flush=True)
            missed += 1
    untested = [] if only else [(proof.name, prop) for proof in proofs for prop in proof.properties() if (proof.name, prop) not in tested]
    for proof_name, prop in untested:
        print(f"MISSED  {proof_name} {prop}: no fault is listed for it")
    print(f"{count} faults of AXI ports, {missed + len(untested)} missed")
    return missed + len(untested)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rtl", type=pathlib.Path, default=FOLDER.parent / "rtl")
    parser.add_argument("--build", type=pathlib.Path, default=FOLDER.parent / "target" / "formal")
    parser.add_argument("--solver", choices=SOLVERS, default="yices")
    parser.add_argument("--tools", type=pathlib.Path, help="folder that may have the solver's program")
    parser.add_argument("--quick", action="store_true", help="without the inductions that take longer than some seconds")
    parser.add_argument("--if-installed", action="store_true", help="skip if Yosys or the solver is missing")
    parser.add_argument("--mutants", nargs="?", const="", help="test the properties: all faults, or those with this in their name")
    parser.add_argument("proofs", nargs="*", help="default: all")
    arguments = parser.parse_args()
    solver = arguments.solver
    if arguments.tools:
        os.environ["PATH"] += os.pathsep + str(arguments.tools)
    missing = missing_programs(solver)
    if missing and arguments.if_installed:
        print(f"SKIPPED: proofs of the AXI ports: {', '.join(missing)} not found; {MISSING}", file=sys.stderr)
        return 0
    if missing:
        sys.exit(f"formal: {', '.join(missing)} not found; {MISSING}")
    os.makedirs(arguments.build, exist_ok=True)
    names = arguments.proofs or sorted(path.stem for path in FOLDER.glob("*.sv") if not path.stem.endswith("_rules"))
    proofs = [Proof(name) for name in names]
    if arguments.mutants is not None:
        return 1 if check_mutants(proofs, arguments.rtl, arguments.build, solver, arguments.mutants) else 0
    failed = [name for proof in proofs for name in prove(proof, arguments.rtl, arguments.build, solver, arguments.quick)]
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
