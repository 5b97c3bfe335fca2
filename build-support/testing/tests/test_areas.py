# SPDX-License-Identifier: Apache-2.0
"""An area runs if its inputs are new on this machine, and each file of the project belongs to an area."""

import configparser
import re
from pathlib import Path

import areas
import pytest
from areas import Areas


@pytest.fixture
def planned(project, monkeypatch, capsys):
    """Runs a plan and returns the areas that it prints."""
    monkeypatch.setattr(areas, "ROOT", project)
    monkeypatch.setattr(areas, "PLAN", project / "build/test-plan.json")
    monkeypatch.setattr(areas, "version", lambda tool: tool)

    def run(*arguments):
        areas.plan(*arguments)
        return capsys.readouterr().out.split()

    return run


ALL = ["model", "tap", "page", "kernels"]


@pytest.fixture
def passed(planned):
    assert planned() == ALL
    areas.keep_passed(*ALL)
    assert planned() == []


@pytest.mark.parametrize(
    "changed, runs",
    [
        ("model/src/main/A.java", ["model", "tap", "page"]),
        ("model/src/test/ATest.java", ["model"]),
        ("tap/src/test/ATest.java", ["tap", "page"]),
        ("tap/notes.txt", ["tap", "page"]),
        ("tap/README.md", ["tap"]),
        ("docs/tap.md", ["tap"]),
        ("hw/rtl.sv", ["kernels"]),
        ("hw/README.md", []),
        ("README.md", []),
        ("pom.xml", ["model", "tap", "page"]),
    ],
)
def test_runs_what_depends_on_a_changed_file(project, planned, passed, changed, runs):
    (project / changed).touch()
    text = (project / changed).read_text()
    (project / changed).write_text(text + "\n")
    assert planned() == runs
    (project / changed).write_text(text)
    if text:
        assert planned() == [], "the former content has passed"


def test_runs_what_depends_on_another_version_of_a_tool(planned, passed, monkeypatch):
    monkeypatch.setattr(areas, "version", lambda tool: tool + " 2" if tool == "java" else tool)
    assert planned() == ["model", "tap", "page"]


def test_runs_what_an_executable_bit_decides(project, planned, passed):
    (project / "hw/rtl.sv").chmod(0o755)
    assert planned() == ["kernels"]


def test_runs_a_named_area_and_all_areas(planned, passed):
    assert planned("tap") == ["tap"]
    assert planned("--all") == ALL


def test_rejects_an_unknown_area(planned):
    with pytest.raises(SystemExit, match="unknown area: tpa; valid areas: kernels model page tap"):
        planned("tpa")


def test_marks_modules_whose_tests_maven_skips(project, planned, passed):
    def marked():
        return [module for module in ("model", "tap", "page") if (project / module / "target/tests-known").exists()]

    assert marked() == ["model", "tap", "page"]
    planned("tap")
    assert marked() == ["model", "page"]


def test_keeps_no_result_of_inputs_that_changed_during_the_run(project, planned):
    planned()
    (project / "hw/rtl.sv").write_text("changed")
    areas.keep_passed("kernels", "tap")
    assert planned() == ["model", "page", "kernels"]


def test_keeps_no_result_of_an_area_that_did_not_run(project, planned):
    planned("tap")
    areas.keep_passed("tap", "kernels")
    assert planned() == ["model", "page", "kernels"]


def test_keeps_the_modules_that_maven_reports_as_successful(project, planned):
    planned()
    log, began = project / "build/test.log", project / "build/began"
    began.touch()
    log.write_text(
        "[INFO] Flowstone model .......................... SUCCESS [  1.0 s]\n"
        "[INFO] Flowstone tap ............................ FAILURE [  1.0 s]\n"
        "[INFO] Flowstone page ........................... SKIPPED\n"
    )
    areas.keep_passed_modules(log, began)
    assert planned() == ["tap", "page", "kernels"]


@pytest.mark.parametrize(
    "reason, runs_again",
    [
        ("no chromium", True),
        ("FLOWSTONE_XCLBIN is not set, so nothing was tried on a card", False),
        ("SKIPPED: no captures in /captures", False),
    ],
)
def test_keeps_no_result_of_a_module_that_skipped_a_test(project, planned, reason, runs_again):
    planned()
    log, began = project / "build/test.log", project / "build/began"
    began.touch()
    log.write_text("[INFO] Flowstone tap ............................ SUCCESS [  1.0 s]\n")
    report = project / "tap/target/surefire-reports/TEST-A.xml"
    report.parent.mkdir(parents=True)
    report.write_text(f'<testsuite><testcase name="a"><skipped message="{reason}"/></testcase></testsuite>')
    areas.keep_passed_modules(log, began)
    assert ("tap" in planned()) == runs_again


def test_runs_the_tests_of_a_module_that_is_no_area(project, planned, passed):
    (project / "page/src/test/ATest.java").unlink()
    (project / "page/src/test").rmdir()
    planned("--all")
    assert not (project / "page/target/tests-known").exists()


def test_names_the_modules_of_the_plan(project, planned, capsys):
    planned("tap", "page", "kernels")
    areas.print_modules()
    assert capsys.readouterr().out == "tap,page\n"


def test_needs_what_an_area_of_the_plan_depends_on(planned, passed):
    planned("kernels")
    assert (areas.needs("hw/rtl"), areas.needs("docs/tap.md")) == (0, 1)


def test_prints_known_areas_with_their_time(planned, passed, capsys):
    planned("tap")
    areas.print_known()
    lines = capsys.readouterr().out.splitlines()
    assert [line.split(",")[0].strip() for line in lines] == ["model", "page", "kernels"]
    assert all(", passed 20" in line for line in lines)


def test_forgets_the_oldest_results(project, planned, monkeypatch):
    monkeypatch.setattr(areas, "MAX_KEPT_RESULTS", 2)
    for number in range(4):
        areas.keep("tap", f"digest {number}")
    assert len(list((areas.folder_of_results() / "tap").iterdir())) == 2


def test_every_file_of_the_project_belongs_to_an_area_or_to_the_documentation():
    project = Areas(areas.ROOT)
    everywhere = [*project.areas, project.documentation]
    files = areas.tracked_files(areas.ROOT)
    assert len(files) > 1000
    # An area that depends on everything says nothing about what else depends on a file.
    particular = [area for area in everywhere if "." not in area.inputs]
    assert [path for path in files if not any(area.depends_on(path) for area in particular)] == []


# Tests look for the project's root by the one; the other is a word, too.
NOT_READ = {"ARCHITECTURE.md", "flowstone"}
FILE_NAME = re.compile(r'"((?:\.\./)*(?:[\w.-]+/)*[\w.-]+)"')


def test_every_file_that_a_test_names_is_an_input_of_its_area():
    project = Areas(areas.ROOT)
    files = areas.tracked_files(areas.ROOT)
    folders = {str(parent) for path in files for parent in Path(path).parents}
    missing = set()
    for area in project.areas:
        if area.name != area.module:
            continue
        for source in (areas.ROOT / area.module / "src/test").rglob("*.java"):
            relevant = [other for other in project.areas if other.name == area.name or f'@Tag("{other.name}")' in source.read_text()]
            for name in FILE_NAME.findall(source.read_text()):
                named = name.removeprefix("../../").removeprefix("../")
                if named not in NOT_READ and (named in files or "/" in named and named in folders):
                    inputs = [path for path in files if path == named or path.startswith(named + "/")]
                    if not any(owner.depends_on(path) for owner in relevant for path in inputs):
                        missing.add(f"{source.name} of {area.name} names {named}")
    assert sorted(missing) == []


def test_every_tag_is_that_of_a_test():
    project = Areas(areas.ROOT)
    for area in project.areas:
        if area.name in project.tags():
            sources = (areas.ROOT / area.module / "src/test/java").rglob("*.java")
            assert any(f'@Tag("{area.name}")' in source.read_text() for source in sources), area.name


def test_every_listed_input_exists():
    table = configparser.ConfigParser()
    table.read(areas.ROOT / areas.TABLE)
    listed = {place for section in table.sections() for key in ("inputs", "except") for place in table[section].get(key, "").split()}
    files = areas.tracked_files(areas.ROOT)
    assert [place for place in sorted(listed) if not any(areas.is_below(path, [place]) for path in files)] == []
