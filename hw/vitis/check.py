#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Holds what Vitis is told against the sources: ports and arguments of the kernels against rtl and registers, links against ports.

v++ finds such faults after an hour, and XRT not at all: an argument whose offset is wrong is written into another register.
"""
import pathlib
import re
import sys
import xml.etree.ElementTree as ElementTree

HW = pathlib.Path(__file__).resolve().parent.parent
REGISTERS = {"ht_tap": "CARD_TAP_REGISTERS", "ht_ring": "CARD_RING_REGISTERS", "ht_pcapsrc": "CARD_SOURCE_REGISTERS"}
# Those that the emulated card has, and what it calls them.
EMULATED = {"Tap": "ht_tap", "Ring": "ht_ring", "Source0": "ht_pcapsrc", "Source1": "ht_pcapsrc"}
# Kernels of others, by what template.xml of xup_vitis_network_example says of them. What they send need not be fed.
FOREIGN = {"cmac_0": {"M_AXIS": "write_only", "S_AXIS": "read_only"}, "cmac_1": {"M_AXIS": "write_only", "S_AXIS": "read_only"}}
HBM_CHANNELS = 32
SLRS = {"SLR0", "SLR1", "SLR2"}
# A register's type in C: an argument's size in bytes, whether it is an address of the card's memory, and what XRT calls that.
ARGUMENT_TYPES = {"uint32_t": (4, False, "uint"), "uint64_t": (8, True, "void*")}
# vitis.mk puts the number of the build in its place.
BUILD_PARAMETER = "BUILD = 32'd0"

problems = []


def check(condition, problem):
    if not condition:
        problems.append(problem)


def text(name):
    return (HW / name).read_text(encoding="utf-8")


def rtl_ports(kernel):
    """Port: mode and data width, from the names that its signals share."""
    ports, signals = {}, {}
    for direction, high, name in re.findall(r"^\s*(input|output) logic (?:\[(\d+):0\] )?(\w+),?", text(f"rtl/{kernel}.sv"), re.M):
        signals[name] = (direction, int(high or 0) + 1)
    for name, (direction, width) in signals.items():
        if name.endswith("_tdata"):
            ports[name.removesuffix("_tdata")] = ("write_only" if direction == "output" else "read_only", width)
        elif name.endswith(("_wdata", "_rdata")):
            is_master = (direction == "output") == name.endswith("_wdata")
            ports[name[: -len("_wdata")]] = ("master" if is_master else "slave", width)
    check({"ap_clk", "ap_rst_n"} <= set(signals), f"rtl/{kernel}.sv: a kernel has ap_clk and ap_rst_n")
    return ports


def registers(prefix):
    """Offset of each register, and which of them are arguments, as the ABI's comments say."""
    offsets, arguments = {}, set()
    for comment, name, offset in re.findall(
            rf"^  // (.*)\n  localparam logic \[11:0\] {prefix}_(\w+)_OFFSET = 12'h([0-9a-f]+);", text("rtl/fs_abi.sv"), re.M):
        offsets[name.lower()] = int(offset, 16)
        if comment.startswith("Argument"):
            arguments.add(name.lower())
    return offsets, arguments


def register_types(prefix):
    """Type of each register, from the header in C: it is made of the same layouts as fs_abi.sv, which has no more than offsets."""
    struct = re.search(rf"^struct fs_{prefix.lower()} {{\n(.*?)^}}", text("include/flowstone/abi.h"), re.M | re.S)
    return {name: kind for kind, name in re.findall(r"^  (\w+) (\w+)(?:\[\d+\])?;", struct[1], re.M)}


def register_of(kernel, argument):
    ring = re.fullmatch(r"ring_(\d+)", argument) if kernel == "ht_ring" else None
    return ("base_addresses", 8 * int(ring[1])) if ring else (argument, 0)


def check_argument_type(what, argument, in_abi):
    check(in_abi in ARGUMENT_TYPES, f"{what}: an argument is a uint32_t or a uint64_t, and not {in_abi}")
    size, is_address, kind = ARGUMENT_TYPES.get(in_abi, (0, False, None))
    for name in ("size", "hostSize"):
        check(int(argument.get(name), 16) == size, f"{what}: {name} is {argument.get(name)}, of {in_abi} 0x{size:X}")
    check(argument.get("type") == kind, f"{what}: type is {argument.get('type')}, of {in_abi} {kind}")
    check((argument.get("addressQualifier") == "1") == is_address, f"{what}: addressQualifier is not that of {in_abi}")


def check_build(kernel):
    count = text(f"rtl/{kernel}.sv").count(BUILD_PARAMETER)
    check(count == 1, f"rtl/{kernel}.sv: {BUILD_PARAMETER} is there {count} times, and vitis.mk puts the build's number there once")


def check_kernel(kernel):
    name = f"vitis/{kernel}.xml"
    root = ElementTree.parse(HW / name).getroot().find("kernel")
    check(root.get("name") == kernel, f"{name}: is of {root.get('name')}")
    check(root.get("hwControlProtocol") == "ap_ctrl_hs", f"{name}: XRT's C interface opens no kernel but those of ap_ctrl_hs")
    ports = {port.get("name"): (port.get("mode"), int(port.get("dataWidth"))) for port in root.iter("port")}
    in_rtl = rtl_ports(kernel)
    for port in sorted(ports.keys() | in_rtl.keys()):
        check(ports.get(port) == in_rtl.get(port), f"{name}: port {port} is {ports.get(port)}, in rtl/{kernel}.sv {in_rtl.get(port)}")
    offsets, arguments = registers(REGISTERS[kernel])
    types = register_types(REGISTERS[kernel])
    check_build(kernel)
    told, with_port = set(), set()
    for number, argument in enumerate(root.iter("arg")):
        what = f"{name}: argument {argument.get('name')}"
        check(argument.get("id") == str(number), f"{what} has id {argument.get('id')}, and is number {number}")
        port, qualifier = argument.get("port"), argument.get("addressQualifier")
        check(port in ports, f"{what}: there is no port {port}")
        with_port.add(port)
        expected = {"slave": "0", "master": "1", "read_only": "4", "write_only": "4"}.get(ports.get(port, (None,))[0])
        check(qualifier == expected, f"{what}: addressQualifier is {qualifier}, of such a port {expected}")
        if qualifier == "4":
            continue
        register, distance = register_of(kernel, argument.get("name"))
        check(register in offsets, f"{what}: there is no register {register}")
        check(int(argument.get("offset"), 16) == offsets.get(register, -1) + distance,
              f"{what}: offset is {argument.get('offset')}, of the register 0x{offsets.get(register, 0) + distance:03X}")
        check_argument_type(what, argument, types.get(register))
        told.add(register)
    for register in sorted(arguments - told):
        problems.append(f"{name}: {register} is an argument by hw/abi/card-registers.yaml, and missing")
    for port in sorted(ports.keys() - with_port - {"s_axi_control"}):
        problems.append(f"{name}: no argument is of port {port}")
    return ports


def check_emulated(kernel, array):
    """The emulated card's program has the arguments in a list of its own, of which its xclbin is made."""
    source = "emulator/device/kernels.hpp"
    listed = re.search(rf"k{array}Arguments{{{{(.*?)}}}};", text(source), re.S)
    of_card = [(name, int(size), bank != "kNoBank") for name, size, bank in re.findall(r'{"(\w+)", .*, (\d), (\w+)}', listed[1] if listed else "")]
    told = [(argument.get("name"), int(argument.get("size"), 16), argument.get("addressQualifier") == "1")
            for argument in ElementTree.parse(HW / f"vitis/{kernel}.xml").getroot().iter("arg") if argument.get("addressQualifier") != "4"]
    check(of_card == told, f"{source}: arguments k{array} of {kernel} are {of_card}, in vitis/{kernel}.xml {told}")


def check_design(design, kernels):
    name = f"vitis/{design}.cfg"
    lines = [line.split("=", 1) for line in text(name).splitlines() if "=" in line and not line.startswith("#")]
    ports, used, placed, banks = {}, set(), set(), set()
    named = set()
    for key, value in lines:
        if key == "nk":
            kernel, count, instances = value.split(":")
            known = kernels.get(kernel) or {port: (mode, 512) for port, mode in FOREIGN.get(kernel, {}).items()}
            check(known, f"{name}: there is no kernel {kernel}")
            check(int(count) == len(instances.split(".")), f"{name}: {kernel} has {count} instances, and other than so many names")
            named |= {kernel} & kernels.keys()
            for instance in instances.split("."):
                ports |= {f"{instance}.{port}": (mode, kernel in FOREIGN) for port, (mode, _) in known.items()}

    def use(port, mode, line):
        check(ports.get(port, (None,))[0] == mode, f"{name}: {line}: {port} is {ports.get(port, ('not there',))[0]}, not {mode}")
        check(port not in used, f"{name}: {port} is connected twice")
        used.add(port)

    for key, value in lines:
        line = f"{key}={value}"
        if key == "stream_connect":
            sender, receiver = value.split(":")[:2]
            use(sender, "write_only", line)
            use(receiver, "read_only", line)
        elif key == "sp":
            port, bank = value.split(":")
            use(port, "master", line)
            number = re.fullmatch(r"HBM\[(\d+)\]", bank)
            check(number and int(number[1]) < HBM_CHANNELS, f"{name}: {line}: a U280 has HBM[0] to HBM[{HBM_CHANNELS - 1}]")
            check(bank not in banks, f"{name}: {line}: {bank} is another port's already")
            banks.add(bank)
        elif key == "slr":
            instance, slr = value.split(":")
            check(any(port.startswith(instance + ".") for port in ports), f"{name}: {line}: there is no {instance}")
            check(slr in SLRS, f"{name}: {line}: a U280 has {', '.join(sorted(SLRS))}")
            placed.add(instance)
    for port, (mode, is_foreign) in sorted(ports.items()):
        check(port in used or mode == "slave" or (is_foreign and mode == "read_only"), f"{name}: {port} is not connected")
        check(port.split(".")[0] in placed, f"{name}: {port.split('.')[0]} has no SLR")
    return named


def main():
    kernels = {kernel: check_kernel(kernel) for kernel in REGISTERS}
    for array, kernel in EMULATED.items():
        check_emulated(kernel, array)
    linked = {design: check_design(design, kernels) for design in ("u280", "u280_pcapsrc")}
    for design, named in linked.items():
        built = set(re.search(rf"^KERNELS_{design} := (.*)$", text("vitis.mk"), re.M)[1].split())
        check(built == named, f"vitis.mk: KERNELS_{design} is {sorted(built)}, in vitis/{design}.cfg {sorted(named)}")
    for problem in dict.fromkeys(problems):
        print(problem, file=sys.stderr)
    if not problems:
        print(f"{len(kernels)} kernels, {len(linked)} designs: ports, arguments and links agree")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
