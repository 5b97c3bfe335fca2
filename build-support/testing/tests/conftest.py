# SPDX-License-Identifier: Apache-2.0
import subprocess
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

POM = """<project xmlns="http://maven.apache.org/POM/4.0.0"><artifactId>root</artifactId>
<modules><module>model</module><module>tap</module><module>page</module></modules></project>"""
MODULE = """<project xmlns="http://maven.apache.org/POM/4.0.0"><parent><artifactId>root</artifactId></parent>
<artifactId>flowstone-{0}</artifactId><name>Flowstone {0}</name><dependencies>{1}</dependencies></project>"""
DEPENDENCY = "<dependency><groupId>dev.flowstone</groupId><artifactId>flowstone-{0}</artifactId>{1}</dependency>"
AREAS = """
[tap]
inputs = docs/tap.md
[kernels]
inputs = hw
except = hw/README.md
[documentation]
inputs = README.md
"""


@pytest.fixture
def project(tmp_path, monkeypatch):
    """A project with three modules: page depends on the tests of tap, and tap on model."""
    root = tmp_path / "project"
    needs = {"model": "", "tap": DEPENDENCY.format("model", ""), "page": DEPENDENCY.format("tap", "<type>test-jar</type>")}
    files = {"pom.xml": POM, "build-support/testing/areas.ini": AREAS, ".gitignore": "target/\nbuild/\n"}
    for module, dependencies in needs.items():
        files[f"{module}/pom.xml"] = MODULE.format(module, dependencies)
        files[f"{module}/src/main/A.java"] = files[f"{module}/src/test/ATest.java"] = "class A {}"
    for name in ["docs/tap.md", "hw/rtl.sv", "hw/README.md", "README.md"]:
        files[name] = name
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    subprocess.run(["git", "init", "-q", root], check=True)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return root
