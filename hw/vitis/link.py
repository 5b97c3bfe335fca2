#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes what v++ makes of a link configuration, as a module: its kernels on one clock, streams joined, all else led outside.

Kernels of others and the FIFOs that v++ puts between two kernels are not in it: where one of those is, the stream ends outside.
"""
import argparse
import pathlib
import re
import sys

HW = pathlib.Path(__file__).resolve().parent.parent
SIGNAL = re.compile(r"^\s*(input|output) logic (\[\d+:0\] )?(\w+),?", re.M)
SHARED = ("ap_clk", "ap_rst_n")


def signals_of(kernel):
    """Name: direction and range; none for a kernel of others."""
    source = HW / f"rtl/{kernel}.sv"
    if not source.exists():
        return {}
    ports = source.read_text(encoding="utf-8").split("\n);", 1)[0]
    signals = {name: (direction, width) for direction, width, name in SIGNAL.findall(ports)}
    if len(signals) != len(re.findall(r"^\s*(?:input|output|inout)\b", ports, re.M)):
        raise SystemExit(f"{source}: a port is written otherwise than 'input logic [N:0] name'")
    return signals


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("design", help="of vitis/DESIGN.cfg; the module's name, too")
    design = parser.parse_args().design
    config = (HW / f"vitis/{design}.cfg").read_text(encoding="utf-8")
    kernels = {instance: kernel for kernel, instances in re.findall(r"^nk=(\w+):\d+:(\S+)$", config, re.M)
               for instance in instances.split(".") if signals_of(kernel)}
    # What both ends of a stream are called inside: as at the end that sends.
    sender_of = {receiver: sender for sender, receiver in re.findall(r"^stream_connect=([\w.]+):([\w.]+)", config, re.M)
                 if {sender.split(".")[0], receiver.split(".")[0]} <= kernels.keys()}
    senders = set(sender_of.values())

    ports, wires, instances = [f"input logic {name}" for name in SHARED], [], []
    for instance, kernel in kernels.items():
        pins = []
        for signal, (direction, width) in signals_of(kernel).items():
            stream, _, part = signal.rpartition("_")
            end = f"{instance}.{stream}"
            name = signal if signal in SHARED else f"{sender_of.get(end, end).replace('.', '_')}_{part}"
            pins.append(f".{signal}({name})")
            if signal in SHARED or end in sender_of:
                continue
            if end in senders:
                wires.append(f"logic {width}{name};")
            else:
                ports.append(f"{direction} logic {width}{name}")
        instances.append(f"{kernel} {instance} (\n      " + ",\n      ".join(pins) + ");")
    print(f"module {design} (\n    " + ",\n    ".join(ports) + "\n);\n  " + "\n  ".join(wires + instances) + "\nendmodule")
    return 0


if __name__ == "__main__":
    sys.exit(main())
