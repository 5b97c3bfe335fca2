#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Faults that check.py has to find, each put into a copy of the sources."""
import pathlib
import shutil
import subprocess
import sys
import tempfile

HW = pathlib.Path(__file__).resolve().parent.parent

# file, what stands there, what is put in its place, what check.py has to say
FAULTS = [
    ("vitis/ht_ring.xml", 'offset="0x050"', 'offset="0x054"', "argument slots_log2: offset is 0x054, of the register 0x050"),
    ("vitis/ht_ring.xml", 'offset="0x018"', 'offset="0x010"', "argument ring_1: offset is 0x010, of the register 0x018"),
    ("vitis/ht_tap.xml", 'id="1"', 'id="2"', "argument max_parallelism has id 2, and is number 1"),
    ("vitis/ht_tap.xml", '"ingress_port" addressQualifier="0"', '"ingress_port" addressQualifier="1"', "addressQualifier is 1, of such a port 0"),
    ("vitis/ht_tap.xml", "ap_ctrl_hs", "ap_ctrl_none", "opens no kernel but those of ap_ctrl_hs"),
    ("vitis/ht_tap.xml", 'name="records" mode="write_only"', 'name="records" mode="read_only"', "port records is ('read_only', 512)"),
    ("vitis/ht_pcapsrc.xml", 'arg name="rounds"', 'arg name="turns"', "there is no register turns"),
    ("include/flowstone/abi.h", "  uint32_t rounds;", "  uint64_t rounds;", "argument rounds: size is 0x4, of uint64_t 0x8"),
    ("vitis/ht_pcapsrc.xml", 'port="m_axi" size="0x8"', 'port="m_axi" size="0x4"', "argument base_address: size is 0x4, of uint64_t 0x8"),
    ("vitis/ht_pcapsrc.xml", 'hostSize="0x8" type="void*"', 'hostSize="0x4" type="void*"', "argument base_address: hostSize is 0x4, of uint64_t 0x8"),
    ("vitis/ht_pcapsrc.xml", 'hostSize="0x8" type="void*"', 'hostSize="0x8" type="uint"', "argument base_address: type is uint, of uint64_t void*"),
    ("rtl/fs_abi.sv", "// So many clock cycles are left free", "// Argument: so many clock cycles are left free",
     "gap_cycles is an argument by hw/abi/card-registers.yaml, and missing"),
    ("rtl/ht_ring.sv", "BUILD = 32'd0", "BUILD = 32'h0", "rtl/ht_ring.sv: BUILD = 32'd0 is there 0 times"),
    ("rtl/ht_ring.sv", "output logic [511:0] m_axi_3_wdata", "output logic [255:0] m_axi_3_wdata", "rtl/ht_ring.sv ('master', 256)"),
    ("rtl/ht_tap.sv", "input logic [511:0] frames_tdata", "input logic [511:0] packets_tdata", "port frames is ('read_only', 512), in rtl/ht_tap.sv None"),
    ("vitis/u280.cfg", "ht_tap_1.records:ht_ring_0.records_1", "ht_tap_0.records:ht_ring_0.records_1", "ht_tap_0.records is connected twice"),
    ("vitis/u280.cfg", "stream_connect=cmac_1.M_AXIS:ht_tap_1.frames\n", "", "ht_tap_1.frames is not connected"),
    ("vitis/u280.cfg", "cmac_0.M_AXIS", "cmac_0.m_axis", "cmac_0.m_axis is not there, not write_only"),
    ("vitis/u280.cfg", "m_axi_7:HBM[7]", "m_axi_7:HBM[32]", "a U280 has HBM[0] to HBM[31]"),
    ("vitis/u280.cfg", "m_axi_7:HBM[7]", "m_axi_7:HBM[6]", "HBM[6] is another port's already"),
    ("vitis/u280.cfg", "slr=ht_ring_0:SLR0\n", "", "ht_ring_0 has no SLR"),
    ("vitis/u280.cfg", "nk=ht_ring:1", "nk=ht_rings:1", "there is no kernel ht_rings"),
    ("emulator/device/kernels.hpp", '{"ring_5", "void*", offset_of_base(5), 8, 5}', '{"ring_5", "void*", offset_of_base(5), 4, 5}', "arguments kRing of ht_ring are"),
    ("emulator/device/kernels.hpp", '{"max_parallelism", ', '{"parallelism", ', "('parallelism', 4, False)"),
    ("emulator/device/kernels.hpp", '{"rounds", ', '{"turns", ', "arguments kSource0 of ht_pcapsrc are"),
    ("vitis.mk", "KERNELS_u280 := ht_tap ht_ring", "KERNELS_u280 := ht_tap", "vitis.mk: KERNELS_u280 is ['ht_tap']"),
]


def said_of(fault):
    file, old, new, _ = fault
    with tempfile.TemporaryDirectory() as folder:
        copy = pathlib.Path(folder)
        for part in ("rtl", "vitis", "include", "emulator/device"):
            shutil.copytree(HW / part, copy / part)
        shutil.copy(HW / "vitis.mk", copy)
        source = (copy / file).read_text(encoding="utf-8")
        if old not in source:
            return f"{old} does not stand in {file}"
        (copy / file).write_text(source.replace(old, new, 1), encoding="utf-8")
        return subprocess.run([copy / "vitis/check.py"], capture_output=True, text=True, check=False).stderr


def main():
    missed = 0
    for fault in FAULTS:
        said = said_of(fault)
        if fault[3] not in said:
            missed += 1
            print(f"MISSED {fault[0]}: {fault[1]} -> {fault[2]}: check.py says {said!r}", file=sys.stderr)
    print(f"{len(FAULTS)} faults in what Vitis is told, {missed} missed")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
