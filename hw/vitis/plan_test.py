#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What vitis.mk would tell Vivado and v++: the lines of each design, the number of the build, and what is said if AMD's files are missing.

Nothing of Vitis is run or needed: where make would call Vivado, it calls true or false.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

HW = pathlib.Path(__file__).resolve().parent.parent
PLATFORM = "a_platform"
KERNELS = {"u280": ["ht_tap", "ht_ring"], "u280_pcapsrc": ["ht_pcapsrc", "ht_tap", "ht_ring"]}
PAIRS = [("hw", "u280"), ("hw", "u280_pcapsrc"), ("hw_emu", "u280_pcapsrc")]

problems = []


def check(condition, problem):
    if not condition:
        problems.append(problem)


def make(build, *arguments):
    """A make of its own: what was told to the one that runs this test is not told to it."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("MAKE", "MFLAGS"))}
    command = ["make", "--no-print-directory", f"BUILD={build}", f"PLATFORM={PLATFORM}", *arguments]
    return subprocess.run(command, cwd=HW, env=environment, capture_output=True, text=True, check=False)


def check_plan(build, target, design):
    where = f"TARGET={target} DESIGN={design}"
    told = make(build, "vitis-plan", f"TARGET={target}", f"DESIGN={design}", "VNX=a_clone")
    check(told.returncode == 0, f"{where}: {told.stderr}")
    plan = told.stdout.replace("\\\n", " ")
    folder = f"{build}/{design}.{target}.{PLATFORM}"
    objects = [f"{folder}/{kernel}.xo" for kernel in KERNELS[design]]
    for kernel, xo in zip(KERNELS[design], objects):
        packaged = re.search(rf"^vivado .*-source vitis/package.tcl -tclargs {kernel} \S+ vitis/{kernel}.xml {xo} .*/{kernel}.sv$", plan, re.M)
        check(packaged, f"{where}: Vivado is not told to package {kernel} as {xo}")
    links = re.findall(r"^v\+\+ --link .*$", plan, re.M)
    check(len(links) == 1, f"{where}: v++ links {len(links)} times")
    link = " ".join(links).split()
    amds = [f"{HW}/a_clone/Ethernet/_x.{PLATFORM}/cmac_{port}.xo" for port in range(2)] if design == "u280" else []
    overlay = [f"compiler.userPostSysLinkOverlayTcl={HW}/a_clone/Ethernet/post_sys_link.tcl"] if design == "u280" else []
    for word in [target, PLATFORM, f"vitis/{design}.cfg", *objects, *amds, *overlay]:
        check(word in link, f"{where}: v++ is not told {word}")
    check(("emconfigutil" in plan) == (target == "hw_emu"), f"{where}: emconfigutil is for hardware emulation, and for nothing else")


def check_build_numbers(build):
    """A kernel says which sources it is made of, and not 0."""
    numbers = set()
    for kernel in KERNELS["u280_pcapsrc"]:
        folder = f"{build}/u280_pcapsrc.hw.{PLATFORM}"
        made = make(build, f"{folder}/{kernel}.xo", "TARGET=hw", "DESIGN=u280_pcapsrc", "VIVADO=true")
        check(made.returncode == 0, f"{kernel}.xo: {made.stderr}")
        source = pathlib.Path(folder, kernel, f"{kernel}.sv")
        numbers |= set(re.findall(r"BUILD = 32'h([0-9a-f]{8})$", source.read_text(encoding="utf-8") if source.exists() else "", re.M))
    check(len(numbers - {"00000000"}) == len(KERNELS["u280_pcapsrc"]), f"numbers of the build in the kernels: {sorted(numbers)}")


def check_missing(build, there, missing):
    """No kernel is packaged, which takes an hour, before that is said."""
    clone = pathlib.Path(build, "clone")
    for file in there:
        (clone / file).parent.mkdir(parents=True, exist_ok=True)
        (clone / file).touch()
    told = make(build, f"{build}/u280.hw.{PLATFORM}/flowstone.xclbin", "TARGET=hw", "DESIGN=u280", f"VNX={clone}", "VIVADO=false")
    check(told.returncode != 0 and f"{clone}/{missing} is missing" in told.stderr, f"{missing} is missing, and make says {told.stderr!r}")
    check("-mode batch" not in told.stdout, f"{missing} is missing, and kernels are packaged")


def main():
    with tempfile.TemporaryDirectory() as build:
        for target, design in PAIRS:
            check_plan(build, target, design)
        check_build_numbers(build)
        cmacs = [f"Ethernet/_x.{PLATFORM}/cmac_{port}.xo" for port in range(2)]
        check_missing(build, [], cmacs[0])
        check_missing(build, cmacs, "Ethernet/post_sys_link.tcl")
    for problem in problems:
        print(problem, file=sys.stderr)
    if not problems:
        print(f"{len(PAIRS)} plans of vitis.mk: kernels packaged with their numbers, and linked")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
