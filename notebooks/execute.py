#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Executes the notebooks here against the demo that runs, or strips them of what was executed.

    ./flowstone demo --seconds 25 --keep                       # in another terminal: traffic that ends, and all of it stays
    build/venv/bin/python notebooks/execute.py
    build/venv/bin/python notebooks/execute.py --output build/notebooks --images docs/images
    build/venv/bin/python notebooks/execute.py --strip

Ends with 1 at the first cell that fails, and says which: every notebook ends by holding what it shows against the product's own counters.
"""

from __future__ import annotations

import argparse
import base64
import io
import os
import re
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nbformat

HERE = Path(__file__).resolve().parent

IMAGE = "flowstone_image"
"""Metadata of a cell whose picture is one of the project's: its file's name."""

TIMEOUT_SECONDS = 300
"""Of a cell, longer than books.Books waits for a demo to come to rest."""

_KERNEL = ("-m", "ipykernel_launcher", "-f", "{connection_file}", "--log-level=ERROR")
_MOST_COLOURS = 256
_ANSI = re.compile(r"\x1b\[[0-9;]*m")
_LINES_OF_CELL = 12
_INTERRUPTED = "KeyboardInterrupt"


class CellFailed(Exception):
    """Says which notebook, which cell, and what it raised."""


def notebooks(chosen: list[Path]) -> list[Path]:
    return chosen or sorted(HERE.glob("[0-9][0-9]-*.ipynb"))


def read(path: Path) -> Any:
    return nbformat.read(path, as_version=4)


def strip(notebook: Any) -> bool:
    """Takes away outputs, counts, and what editors leave; whether there was any."""
    before = nbformat.writes(notebook)
    for cell in notebook.cells:
        cell.metadata = {key: value for key, value in cell.metadata.items() if key == IMAGE}
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
    notebook.metadata = {
        "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
        "language_info": {"name": "python"},
    }
    return nbformat.writes(notebook) != before


def execute(path: Path, timeout_seconds: int) -> Any:
    """The notebook with its outputs, run in its folder by this very Python."""
    from nbclient import NotebookClient
    from nbclient.exceptions import CellExecutionError, DeadKernelError

    notebook = read(path)
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(HERE), os.environ.get("PYTHONPATH", "")]).strip(os.pathsep)}
    begun = [0]
    client = NotebookClient(
        notebook,
        timeout=timeout_seconds,
        interrupt_on_timeout=True,
        on_cell_start=lambda cell, cell_index: begun.append(cell_index),
        resources={"metadata": {"path": str(path.parent)}},
    )
    # It warns each time that its sockets, which listen on localhost and want a key, are not encrypted.
    client.create_kernel_manager().kernel_spec.argv = [sys.executable, *_KERNEL]
    try:
        client.execute(env=environment)
    except CellExecutionError as failure:
        reason = (
            f"takes longer than {timeout_seconds} s"
            if failure.ename == _INTERRUPTED
            else f"fails: {failure.ename}: {failure.evalue}"
        )
        raise CellFailed(_explain(path, notebook, begun[-1], reason)) from None
    except DeadKernelError:
        raise CellFailed(_explain(path, notebook, begun[-1], "ends its process")) from None
    return notebook


def _explain(path: Path, notebook: Any, number: int, reason: str) -> str:
    """The cell of that number, what it was to do, and where it stopped."""
    cell = notebook.cells[number]
    lines = [f"{path.name}: cell {number} ({cell.id}) {reason}"]
    lines += [f"    {line}" for line in cell.source.splitlines()[:_LINES_OF_CELL]]
    lines += [_ANSI.sub("", line) for out in cell.get("outputs", []) if out.output_type == "error" for line in out.traceback]
    return "\n".join(lines)


def images(notebook: Any) -> Iterator[tuple[str, bytes]]:
    """Names and PNGs of the pictures that cells name."""
    for cell in notebook.cells:
        if IMAGE in cell.metadata:
            pictures = [out.data["image/png"] for out in cell.outputs if "image/png" in out.get("data", {})]
            if len(pictures) != 1:
                raise CellFailed(f"cell {cell.id} is to make {cell.metadata[IMAGE]} and shows {len(pictures)} pictures")
            yield cell.metadata[IMAGE], small(base64.b64decode(pictures[0]))


def small(png: bytes) -> bytes:
    """The same picture in few colours, as plots have few: a third of the bytes."""
    from PIL import Image

    with Image.open(io.BytesIO(png)) as image:
        reduced = image.convert("RGB").quantize(_MOST_COLOURS, method=Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE)
    out = io.BytesIO()
    reduced.save(out, format="PNG", optimize=True)
    return out.getvalue()


def run(paths: list[Path], output: Path | None, pictures: Path | None, timeout_seconds: int) -> None:
    for path in paths:
        began = time.monotonic()
        notebook = execute(path, timeout_seconds)
        print(f"{path.name}  {time.monotonic() - began:.1f} s", flush=True)
        if output:
            output.mkdir(parents=True, exist_ok=True)
            nbformat.write(notebook, output / path.name)
        for name, png in images(notebook) if pictures else ():
            pictures.mkdir(parents=True, exist_ok=True)
            (pictures / name).write_bytes(png)
            print(f"  {pictures / name}  {len(png) / 1000:.0f} KB")


def strip_all(paths: list[Path]) -> None:
    for path in paths:
        notebook = read(path)
        if strip(notebook):
            nbformat.write(notebook, path)
            print(f"{path.name}  stripped")


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("notebooks", nargs="*", type=Path, help="default: all that are here")
    parser.add_argument("--output", type=Path, metavar="DIR", help="writes the executed notebooks there")
    parser.add_argument(
        "--images", type=Path, metavar="DIR", help="writes the project's pictures there, those that the README shows"
    )
    parser.add_argument("--timeout", type=int, default=TIMEOUT_SECONDS, metavar="SECONDS", help="of a cell; default %(default)s")
    parser.add_argument("--strip", action="store_true", help="executes nothing; takes outputs and counts out of the notebooks")
    options = parser.parse_args(arguments)
    paths = notebooks(options.notebooks)
    missing = [str(path) for path in paths if not path.is_file()]
    if missing:
        parser.error(f"no such notebook: {', '.join(missing)}")
    if options.strip:
        strip_all(paths)
        return 0
    try:
        run(paths, options.output, options.images, options.timeout)
    except CellFailed as failure:
        print(failure, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
