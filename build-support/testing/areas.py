# SPDX-License-Identifier: Apache-2.0
"""Areas: parts of ./flowstone test that depend on a known set of files and tools.

An area is known when it passed on this machine with the same digest of its inputs. Each Maven module is an area; areas.ini
lists the others, and the files outside of a module that its tests read.
"""

import configparser
import datetime
import hashlib
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import reports
from reactor import Reactor

ROOT = Path(__file__).resolve().parents[2]
TABLE = "build-support/testing/areas.ini"
PLAN = ROOT / "build/test-plan.json"
CAPTURES = ROOT.parent / "shared/captures"
MAX_KEPT_RESULTS = 50
BUILT = {"target", "build", "__pycache__"}

# A module's tests use these, whatever the module is.
MODULE_TOOLS = "java mvn g++ python3 root captures"
MODULE_FILES = ["pom.xml", ".mvn", "build-support/jvm.options"]
JAVA = Path(os.environ["JAVA_HOME"], "bin/java") if "JAVA_HOME" in os.environ else "java"
COMMANDS = {"java": [JAVA, "-version"], "mvn": ["mvn", "-version"]}


class Area:
    """What an area depends on, and the Maven module that runs it, if one does."""

    def __init__(self, name, inputs, exceptions, tools, module=None):
        self.name = name
        self.inputs = inputs
        self.exceptions = exceptions
        self.tools = tools
        self.module = module
        # Modules whose inputs are inputs of this area, too.
        self.parts = []

    def depends_on(self, path):
        if any(part.depends_on(path) for part in self.parts):
            return True
        return is_below(path, self.inputs) and not is_below(path, self.exceptions)


def is_below(path, places):
    return any(place == "." or path == place or path.startswith(place + "/") for place in places)


class Areas:
    def __init__(self, root):
        self.root = root
        table = configparser.ConfigParser()
        table.read(root / TABLE)
        self.reactor = Reactor(root)
        self.documentation = Area("documentation", table["documentation"]["inputs"].split(), [], [])
        modules = self.reactor.folders()
        self.areas = [self._module_area(folder, table) for folder in modules if (root / folder / "src/test").is_dir() or folder in table]
        for name in table.sections():
            if name not in modules and name != "documentation":
                self.areas.append(self._listed_area(name, table))

    def _module_area(self, folder, table):
        entry = table[folder] if folder in table else {}
        inputs, exceptions = self.reactor.inputs(folder)
        inputs += MODULE_FILES + entry.get("inputs", "").split()
        exceptions += entry.get("except", "").split()
        tools = (MODULE_TOOLS + " " + entry.get("tools", "")).split()
        return Area(folder, inputs, exceptions, tools, module=folder)

    def _listed_area(self, name, table):
        entry = table[name]
        own = Area(name, entry["inputs"].split(), entry.get("except", "").split(), entry.get("tools", "").split(), entry.get("tests in"))
        own.parts = [self._module_area(folder, table) for folder in entry.get("modules", "").split()]
        return own

    def names(self):
        return [area.name for area in self.areas]

    def tags(self):
        """The areas that are part of a module's tests: those with the area's name as their tag."""
        return [area.name for area in self.areas if area.module and area.name != area.module]

    def digests(self):
        """The digest of each area's inputs."""
        files = {path: digest_of_file(self.root / path) for path in tracked_files(self.root)}
        versions = {tool: version(tool) for tool in {tool for area in self.areas for tool in area.tools}}
        return {area.name: self._digest(area, files, versions) for area in self.areas}

    def _digest(self, area, files, versions):
        digest = hashlib.sha256()
        for path, content in sorted(files.items()):
            if area.depends_on(path):
                digest.update(f"{path} {content}\n".encode())
        for tool in sorted(area.tools):
            digest.update(f"{tool} {versions[tool]}\n".encode())
        return digest.hexdigest()


def tracked_files(root):
    """The files of the checkout, new ones included, but for those that .gitignore names; of an unpacked archive all files."""
    if not (root / ".git").exists():
        return [str(path.relative_to(root)) for path in root.rglob("*") if path.is_file() and not BUILT.intersection(path.parts)]
    command = ["git", "-c", f"safe.directory={root}", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=root, capture_output=True, text=True, check=True).stdout
    return [path for path in listed.split("\0") if path and (root / path).is_file()]


def digest_of_file(path):
    return f"{os.access(path, os.X_OK)} {hashlib.sha256(path.read_bytes()).hexdigest()}"


def version(tool):
    """Text that changes when the tool does."""
    if tool == "root":
        return str(os.geteuid() == 0)
    if tool == "captures":
        return captures_beside()
    if tool == "card":
        return os.environ.get("FLOWSTONE_XCLBIN", "")
    if not shutil.which(tool):
        return "absent"
    command = COMMANDS.get(tool, [tool, "--version"])
    output = subprocess.run(command, capture_output=True, text=True)
    return output.stdout + output.stderr


def captures_beside():
    """Tests use the captures beside the project where there are any."""
    if not CAPTURES.is_dir():
        return "absent"
    files = sorted(path for path in CAPTURES.rglob("*") if path.is_file())
    return "\n".join(f"{path.relative_to(CAPTURES)} {digest_of_file(path)}" for path in files)


def folder_of_results():
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "flowstone/tests"


def known_since(area, digest):
    try:
        return (folder_of_results() / area / digest).read_text().strip()
    except FileNotFoundError:
        return None


def keep(area, digest):
    folder = folder_of_results() / area
    folder.mkdir(parents=True, exist_ok=True)
    (folder / digest).write_text(datetime.datetime.now().strftime("%Y-%m-%d %H:%M\n"))
    kept = sorted((path for path in folder.iterdir() if path.is_file()), key=lambda path: path.stat().st_mtime, reverse=True)
    for old in kept[MAX_KEPT_RESULTS:]:
        old.unlink()


def plan(*arguments):
    names = [argument for argument in arguments if not argument.startswith("--")]
    areas = Areas(ROOT)
    unknown = set(names) - set(areas.names())
    if unknown:
        sys.exit(f"flowstone: test: unknown area: {' '.join(sorted(unknown))}; valid areas: {' '.join(sorted(areas.names()))}")
    digests = areas.digests()
    planned = {}
    for area in areas.areas:
        since = None if "--all" in arguments else known_since(area.name, digests[area.name])
        runs = area.name in names if names else since is None
        planned[area.name] = {"digest": digests[area.name], "runs": runs, "since": since}
        if runs:
            print(area.name)
    tested = {area.module for area in areas.areas}
    running = {area.module for area in areas.areas if planned[area.name]["runs"]}
    for module in areas.reactor.folders():
        mark(ROOT / module / "target/tests-known", module in tested - running)
    PLAN.parent.mkdir(exist_ok=True)
    PLAN.write_text(json.dumps(planned, indent=1))


def mark(file, known):
    """The root pom skips the tests of a module that has this file."""
    if known:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.touch()
    else:
        file.unlink(missing_ok=True)


def needs(place):
    """Exit status 0 if an area that is to be run depends on this file or folder."""
    planned = json.loads(PLAN.read_text())
    return 0 if any(area.depends_on(place) for area in Areas(ROOT).areas if planned[area.name]["runs"]) else 1


def print_tags():
    print("\n".join(Areas(ROOT).tags()))


def print_modules():
    """The modules that the plan needs, in the form that Maven expects."""
    planned = json.loads(PLAN.read_text())
    running = [area for area in Areas(ROOT).areas if planned[area.name]["runs"]]
    folders = [area.module for area in running if area.module] + [part.name for area in running if not area.module for part in area.parts]
    print(",".join(dict.fromkeys(folders)))


def print_known():
    for name, area in json.loads(PLAN.read_text()).items():
        if not area["runs"] and area["since"]:
            print(f"  {name}, passed {area['since']}")


def keep_passed(*names):
    """Keeps results of areas that ran, unless their inputs changed meanwhile."""
    planned = json.loads(PLAN.read_text())
    digests = Areas(ROOT).digests()
    for name in names:
        if planned[name]["runs"] and planned[name]["digest"] == digests[name]:
            keep(name, digests[name])


def keep_passed_modules(log, since):
    """Keeps results of the areas of successful modules. A module that skipped a test is to be run again."""
    areas = Areas(ROOT)
    began = Path(since).stat().st_mtime
    complete = [folder for folder in areas.reactor.successful(log) if not reports.skip(new_reports(areas.root / folder, began))]
    keep_passed(*[area.name for area in areas.areas if area.module in complete])


def new_reports(module, began):
    return [report for report in module.glob("target/surefire-reports/TEST-*.xml") if report.stat().st_mtime >= began]
