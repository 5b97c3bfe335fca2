# SPDX-License-Identifier: Apache-2.0
"""The Maven modules of the project and the modules that each one depends on, read from the poms."""

import re
import xml.etree.ElementTree as xml
from pathlib import Path

POM = "{http://maven.apache.org/POM/4.0.0}"
SUMMARY = re.compile(r"^\[INFO\] (Flowstone.*?) \.{2,} SUCCESS \[", re.MULTILINE)


class Module:
    """A module: its folder, the name that Maven prints, and its dependencies inside the project."""

    def __init__(self, folder, pom):
        self.folder = folder
        self.artifact = pom.findtext(f"{POM}artifactId")
        self.name = pom.findtext(f"{POM}name")
        self.parent = pom.findtext(f"{POM}parent/{POM}artifactId")
        # Whether the tests of the dependency are used, too: those are published as a test-jar.
        self.dependencies = {}
        # Those of profiles only decide the order of modules.
        for dependency in pom.iterfind(f"{POM}dependencies/{POM}dependency"):
            if dependency.findtext(f"{POM}groupId") == "dev.flowstone":
                artifact = dependency.findtext(f"{POM}artifactId")
                uses_tests = dependency.findtext(f"{POM}type") == "test-jar"
                self.dependencies[artifact] = self.dependencies.get(artifact, False) or uses_tests


class Reactor:
    def __init__(self, root):
        listed = xml.parse(root / "pom.xml").iter(f"{POM}module")
        self.modules = [Module(entry.text, xml.parse(root / entry.text / "pom.xml").getroot()) for entry in listed]
        self.by_artifact = {module.artifact: module for module in self.modules}
        # The root pom's dependencies are those of every module that has the root pom as a parent.
        self.of_every_module = [
            entry.findtext(f"{POM}artifactId")
            for entry in xml.parse(root / "pom.xml").getroot().iterfind(f"{POM}dependencies/{POM}dependency")
            if entry.findtext(f"{POM}groupId") == "dev.flowstone"
        ]

    def folders(self):
        return [module.folder for module in self.modules]

    def inputs(self, folder):
        """The places that decide a module's tests, and exceptions: its folder, and of its dependencies all but tests that it does not use."""
        [module] = [candidate for candidate in self.modules if candidate.folder == folder]
        uses_tests_of = {}
        self._visit(module, uses_tests_of)
        tests = [f"{upstream}/src/test" for upstream, uses_tests in sorted(uses_tests_of.items()) if not uses_tests]
        pages = [f"{upstream}/README.md" for upstream in sorted(uses_tests_of)]
        return [folder, *sorted(uses_tests_of)], tests + pages

    def _visit(self, module, uses_tests_of):
        for artifact, uses_tests in self._needs(module).items():
            upstream = self.by_artifact.get(artifact)
            if upstream and upstream is not module and (upstream.folder not in uses_tests_of or uses_tests > uses_tests_of[upstream.folder]):
                uses_tests_of[upstream.folder] = uses_tests
                self._visit(upstream, uses_tests_of)

    def _needs(self, module):
        implied = [module.parent, *self.of_every_module] if module.parent else []
        return {**dict.fromkeys(implied, False), **module.dependencies}

    def successful(self, log):
        """The folders of the modules that Maven's summary reports as successful."""
        names = set(SUMMARY.findall(Path(log).read_text()))
        return [module.folder for module in self.modules if module.name in names]
