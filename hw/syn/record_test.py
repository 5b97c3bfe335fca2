#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""record.py on a record of one synthesis."""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

RECORD = pathlib.Path(__file__).with_name("record.py")
FIGURES = {"LUT": 34_567, "FF": 50_000, "BRAM36": 12, "URAM": 0, "DSP": 12, "path": 7}


class RecordTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.source = self.folder / "kernel.sv"
        self.source.write_text("module kernel; endmodule\n", encoding="utf-8")
        self.write_figures(FIGURES)
        self.budget, self.depth, self.options, self.names = "LUT=36000,DSP=12", "8", "synth", ["kernel-flat"]
        self.assertEqual("", self.run_record("write"))

    def write_figures(self, figures):
        (self.folder / "kernel-flat.figures").write_text(json.dumps(figures), encoding="utf-8")

    def run_record(self, action):
        """Returns what it wrote to its standard error."""
        rows = [word for name in self.names for word in ("--row", name, self.budget, self.depth, str(self.source))]
        end = subprocess.run([RECORD, action, self.folder / "cells.md", "--options", self.options, "--yosys", "Yosys 0.23",
                              "--figures", self.folder, *rows], capture_output=True, text=True, check=False)
        self.assertEqual(end.returncode != 0, bool(end.stderr), end)
        return end.stderr

    def test_accepts_what_was_recorded(self):
        self.assertEqual("", self.run_record("check"))
        self.assertEqual("", self.run_record("compare"))
        self.assertIn("34567 (2.7%)", (self.folder / "cells.md").read_text(encoding="utf-8"))

    def test_rejects_a_source_that_changed(self):
        self.source.write_text("module kernel; wire w; endmodule\n", encoding="utf-8")
        self.assertIn("the sources of kernel-flat changed; run make synth-record", self.run_record("check"))

    def test_rejects_another_synthesis_command(self):
        self.options = "synth -abc9"
        self.assertIn("the sources of kernel-flat changed", self.run_record("check"))

    def test_rejects_a_figure_over_its_budget(self):
        self.budget = "LUT=34566,DSP=12"
        self.assertEqual("kernel-flat: 34,567 LUT, at most 34,566\n", self.run_record("check"))

    def test_rejects_a_path_that_is_too_long(self):
        self.depth = "6"
        self.assertEqual("kernel-flat: a path of 7 LUTs, at most 6\n", self.run_record("check"))

    def test_rejects_a_synthesis_that_was_not_recorded(self):
        self.names = ["kernel-flat", "kernel-modules"]
        self.assertIn("kernel-modules not found; run make synth-record", self.run_record("check"))

    def test_rejects_a_record_that_does_not_exist(self):
        (self.folder / "cells.md").unlink()
        self.assertIn("kernel-flat not found; run make synth-record", self.run_record("check"))

    def test_rejects_a_recorded_synthesis_that_no_longer_exists(self):
        self.names = []
        self.assertIn("kernel-flat is not a synthesis; run make synth-record", self.run_record("check"))

    def test_rejects_a_synthesis_with_other_figures(self):
        self.write_figures(FIGURES | {"FF": 50_001})
        self.assertIn("'FF': 50001", self.run_record("compare"))


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], "--quiet"])
