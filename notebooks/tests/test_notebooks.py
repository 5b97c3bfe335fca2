# SPDX-License-Identifier: Apache-2.0
"""Notebooks are kept without what they showed, ask only for what is there, and a cell that breaks is named."""

import ast
import base64
import inspect
import io
from pathlib import Path

import nbformat
import pytest
from PIL import Image

import execute
import flowstone
from flowstone import launcher, plots, sampling
from flowstone.books import Books

PATHS = sorted(Path(execute.HERE).glob("*.ipynb"))
MODULES = {"flowstone": flowstone, "plots": plots, "sampling": sampling, "launcher": launcher}


def names(path):
    return path.name


def code_of(path):
    return [cell for cell in execute.read(path).cells if cell.cell_type == "code"]


def write(path, *cells):
    notebook = nbformat.v4.new_notebook()
    notebook.cells = [nbformat.v4.new_code_cell(source, id=f"cell-{number}") for number, source in enumerate(cells)]
    nbformat.write(notebook, path)
    return path


def test_there_are_notebooks_in_their_order():
    assert [path.name[:2] for path in PATHS] == ["01", "02", "03", "04", "05"]


@pytest.mark.parametrize("path", PATHS, ids=names)
def test_a_notebook_is_kept_as_text_and_code_alone(path):
    raw = path.read_text(encoding="utf-8")
    notebook = execute.read(path)
    nbformat.validate(notebook)
    assert (notebook.nbformat, notebook.nbformat_minor) == (4, 5)
    for cell in notebook.cells:
        if cell.cell_type == "code":
            assert not cell.outputs and cell.execution_count is None, (
                f"{path.name}, {cell.id}: execute.py --strip takes outputs away"
            )
    assert not execute.strip(notebook), f"{path.name} has more than text and code: execute.py --strip takes it away"
    assert raw == nbformat.writes(notebook) + "\n"


@pytest.mark.parametrize("path", PATHS, ids=names)
def test_cells_have_names_of_their_own(path):
    ids = [cell.id for cell in execute.read(path).cells]
    assert len(set(ids)) == len(ids)
    assert all(not id.isalnum() or id.isalpha() for id in ids), "an id that an editor made tells a reader of a diff nothing"


@pytest.mark.parametrize("path", PATHS, ids=names)
def test_a_notebook_asks_only_for_what_the_package_has(path):
    for cell in code_of(path):
        for node in ast.walk(ast.parse(cell.source)):
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in MODULES:
                assert hasattr(MODULES[node.value.id], node.attr), f"{path.name}, {cell.id}: no {node.value.id}.{node.attr}"


@pytest.mark.parametrize("path", PATHS, ids=names)
def test_what_a_notebook_works_out_is_worked_out_by_the_package(path):
    """There it has types, a description and tests; a notebook that makes functions of its own has too much to do."""
    made = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)
    for cell in code_of(path):
        assert not [node for node in ast.walk(ast.parse(cell.source)) if isinstance(node, made)], f"{path.name}, {cell.id}"


@pytest.mark.parametrize("path", PATHS, ids=names)
def test_a_notebook_ends_by_holding_what_it_shows_against_the_truth(path):
    assert "assert " in code_of(path)[-1].source


def test_stripping_takes_outputs_and_counts_and_leaves_the_rest(tmp_path):
    path = write(tmp_path / "one.ipynb", "1 + 1", "2 + 2")
    notebook = execute.read(path)
    notebook.cells[0].outputs = [nbformat.v4.new_output("stream", text="2")]
    notebook.cells[1].execution_count = 7
    notebook.cells[1].metadata = {"scrolled": True, execute.IMAGE: "two.png"}
    nbformat.write(notebook, path)
    assert execute.main(["--strip", str(path)]) == 0
    stripped = execute.read(path)
    assert [cell.outputs for cell in stripped.cells] == [[], []]
    assert [cell.execution_count for cell in stripped.cells] == [None, None]
    assert stripped.cells[1].metadata == {execute.IMAGE: "two.png"}
    assert [cell.source for cell in stripped.cells] == ["1 + 1", "2 + 2"]
    before = path.stat().st_mtime_ns
    assert execute.main(["--strip", str(path)]) == 0
    assert path.stat().st_mtime_ns == before


def test_a_cell_that_breaks_is_named_and_ends_with_1(tmp_path, capsys):
    path = write(tmp_path / "02-broken.ipynb", "fine = 1", "assert fine == 2, 'books do not close'", "print('never')")
    assert execute.main([str(path)]) == 1
    said = capsys.readouterr().err
    assert said.startswith("02-broken.ipynb: cell 1 (cell-1) fails: AssertionError: books do not close\n")
    assert "    assert fine == 2" in said
    assert "\x1b[" not in said


def test_a_cell_that_takes_too_long_is_named(tmp_path, capsys):
    path = write(tmp_path / "slow.ipynb", "import time", "time.sleep(60)")
    assert execute.main(["--timeout", "2", str(path)]) == 1
    assert capsys.readouterr().err.startswith("slow.ipynb: cell 1 (cell-1) takes longer than 2 s\n")


def test_a_cell_may_take_longer_than_books_wait(tmp_path, capsys):
    """Else a demo whose traffic goes on would be told of as a slow cell."""
    wait_seconds = inspect.signature(Books.of).parameters["seconds"].default
    assert execute.TIMEOUT_SECONDS > 2 * wait_seconds
    with pytest.raises(SystemExit):
        execute.main(["--help"])
    said = capsys.readouterr().out
    assert f"default {execute.TIMEOUT_SECONDS}" in said and "./flowstone demo --seconds 25 --keep" in said


def test_a_cell_that_ends_its_process_is_named(tmp_path, capsys):
    path = write(tmp_path / "dead.ipynb", "import os", "os._exit(3)")
    assert execute.main([str(path)]) == 1
    assert capsys.readouterr().err.startswith("dead.ipynb: cell 1 (cell-1) ends its process\n")


def test_executed_notebooks_and_pictures_are_written(tmp_path):
    path = write(
        tmp_path / "picture.ipynb", "import flowstone\nfrom flowstone import plots\nplots.style()", "plots.talkers(['a'], [1], 1);"
    )
    notebook = execute.read(path)
    notebook.cells[1].metadata = {execute.IMAGE: "bars.png"}
    nbformat.write(notebook, path)
    assert execute.main([str(path), "--output", str(tmp_path / "out"), "--images", str(tmp_path / "images")]) == 0
    shown = execute.read(tmp_path / "out" / "picture.ipynb").cells[1].outputs[0].data["image/png"]
    with Image.open(io.BytesIO(base64.b64decode(shown))) as whole, Image.open(tmp_path / "images" / "bars.png") as picture:
        assert picture.size == whole.size
        assert picture.width > 1_600, "sharp at twice the size"
        assert picture.mode == "P"


def test_a_cell_that_is_to_make_a_picture_and_does_not_is_named(tmp_path, capsys):
    path = write(tmp_path / "none.ipynb", "1")
    notebook = execute.read(path)
    notebook.cells[0].metadata = {execute.IMAGE: "none.png"}
    nbformat.write(notebook, path)
    assert execute.main([str(path), "--images", str(tmp_path)]) == 1
    assert "cell cell-0 is to make none.png and shows 0 pictures" in capsys.readouterr().err
