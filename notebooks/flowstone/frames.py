# SPDX-License-Identifier: Apache-2.0
"""Packets and results as DataFrames, Arrow tables and Parquet files.

In all of them the time is the column time, of the library's own type with nanoseconds and UTC. Addresses are text unless
something else is asked for: DuckDB, Polars and people can look for text, join it and cast it to a type of their own, which none
of them can do with 16 bytes; and Parquet stores a text that comes again as a small number.
"""

from __future__ import annotations

import base64
import io
import ipaddress
import os
import socket
import zlib
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from .addresses import format_addresses
from .arrays import Array, Names
from .extras import needed
from .packets import COLUMNS, Packets, fields_for, packets_of

if TYPE_CHECKING:
    import pandas
    import pyarrow

_ADDRESSES = ("source_address", "destination_address")
_TIME, _TIME_NS = "time", "time_ns"
_BATCH, _BATCHES = "batch", "batches"
_ADDRESS_BYTES = 16


def to_pandas(packets: Packets, columns: Names | None = None, addresses: str = "text") -> pandas.DataFrame:
    """A row for each packet. addresses: "text", "objects" of ipaddress, or "bytes", 16 of them."""
    pandas = needed("pandas", "frames")
    form = _form(addresses)
    values: dict[str, Any] = {}
    for name in _chosen(packets, columns):
        if name == _TIME:
            values[name] = pandas.DatetimeIndex(packets[_TIME_NS].view("M8[ns]"), tz="UTC")
        elif name in _ADDRESSES:
            values[name] = form(packets.tuples[name])[packets.tuple_of]
        else:
            values[name] = packets[name]
    return pandas.DataFrame(values)


def to_arrow(packets: Packets, columns: Names | None = None, addresses: str = "text") -> pyarrow.Table:
    """A row for each packet. addresses: "text", or "bytes", which are of the type fixed_size_binary[16]."""
    arrow = needed("pyarrow", "frames")
    if addresses not in ("text", "bytes"):
        raise ValueError(f"addresses in Arrow are 'text' or 'bytes': {addresses!r}")
    values: dict[str, Any] = {}
    for name in _chosen(packets, columns):
        if name == _TIME:
            values[name] = arrow.array(packets[_TIME_NS], arrow.timestamp("ns", "UTC"))
        elif name not in _ADDRESSES:
            values[name] = arrow.array(packets[name])
        elif addresses == "text":
            texts, codes = np.unique(format_addresses(packets.tuples[name]).astype(str), return_inverse=True)
            dictionary = arrow.DictionaryArray.from_arrays(codes[packets.tuple_of].astype(np.int32), texts)
            values[name] = dictionary.cast(arrow.string())
        else:
            data = arrow.py_buffer(np.ascontiguousarray(packets[name]))
            values[name] = arrow.Array.from_buffers(arrow.binary(_ADDRESS_BYTES), len(packets), [None, data])
    return arrow.table(values)


def write_parquet(packets: Packets | Iterable[Packets], path: str | os.PathLike[str], addresses: str = "text") -> int:
    """Writes a table, or one after the other as stream() gives them, and says how many packets these were.

    The file has its name once it is whole. Its column batch and its metadata have what is known of the messages, so that
    read_parquet() gives losses and all back; the sums lost_before and lost_before_tap are there in plain numbers.
    """
    arrow, parquet = needed("pyarrow", "frames"), needed("pyarrow.parquet", "frames")
    target = Path(path)
    unfinished = target.with_name(target.name + ".part")
    batches: list[Array] = []
    writer, rows = None, 0
    try:
        for part in [packets] if isinstance(packets, Packets) else packets:
            numbers = arrow.array(part.batch_of.astype(np.int32) + np.int32(sum(map(len, batches))))
            table = to_arrow(part, addresses=addresses).append_column(_BATCH, numbers)
            writer = writer or parquet.ParquetWriter(unfinished, table.schema, compression="zstd")
            writer.write_table(table)
            batches.append(part.batches)
            rows += len(part)
        if writer is None:
            raise ValueError(f"nothing to write to {path}: not even a table without packets")
        writer.add_key_value_metadata(_metadata(np.concatenate(batches)))
        writer.close()
        os.replace(unfinished, target)
    finally:
        unfinished.unlink(missing_ok=True)
    return rows


def read_parquet(path: str | os.PathLike[str], columns: Names | None = None) -> Packets:
    """The packets of a file of write_parquet(), with their batches; columns as in consume()."""
    parquet = needed("pyarrow.parquet", "frames")
    chosen, _ = fields_for(columns)
    with parquet.ParquetFile(path) as file:
        said = file.metadata.metadata or {}
        if _BATCHES.encode() not in said:
            raise ValueError(f"{path} is no file of write_parquet(): it says nothing of batches")
        batches = _batches_of(said[_BATCHES.encode()])
        stored = [_TIME_NS if name == _TIME else name for name in file.schema_arrow.names]
        names = [name for name in COLUMNS if name in stored and name in chosen]
        table = file.read([*(_TIME if name == _TIME_NS else name for name in names), _BATCH])
    values = {name: _array(table.column(_TIME if name == _TIME_NS else name), name) for name in names}
    return packets_of(values, batches, table.column(_BATCH).to_numpy())


def from_results(results: list[dict[str, Any]]) -> pandas.DataFrame:
    """A row for each result, in their order. What a result lacks is missing; whole numbers stay whole and exact.

    Without any there are the columns that all results have, kind and time.
    """
    pandas = needed("pandas", "frames")
    if not results:
        return pandas.DataFrame({"kind": pandas.Series(dtype=object), _TIME: pandas.DatetimeIndex([], tz="UTC").as_unit("ns")})
    values = {}
    for name in dict.fromkeys(name for result in results for name in result):
        column = [result.get(name) for result in results]
        if name == _TIME_NS:
            values[_TIME] = pandas.to_datetime(column, unit="ns", utc=True)
        else:
            values[name] = pandas.array(column, dtype="Int64") if _are_whole(column) else column
    frame = pandas.DataFrame(values)
    complete = [name for name, kind in frame.dtypes.items() if kind == "Int64" and not frame[name].hasnans]
    return frame.astype({name: "int64" for name in complete})


def _are_whole(column: list[Any]) -> bool:
    kinds = {type(value) for value in column if value is not None}
    return kinds == {int}


def _chosen(packets: Packets, columns: Names | None) -> list[str]:
    """Names of the frame's columns, time being one of them."""
    names = packets.columns if columns is None else [_TIME_NS if name == _TIME else name for name in columns]
    missing = sorted(set(names) - set(packets.columns))
    if missing:
        raise KeyError(f"no column {', '.join(missing)} was read; there are {', '.join(packets.columns)}")
    return [_TIME if name == _TIME_NS else name for name in names]


def _form(addresses: str) -> Callable[[Array], Array]:
    forms: dict[str, Callable[[Array], Array]] = {"text": format_addresses, "objects": _objects, "bytes": _bytes}
    if addresses not in forms:
        raise ValueError(f"addresses are {', '.join(map(repr, forms))}: {addresses!r}")
    return forms[addresses]


def _objects(addresses: Array) -> Array:
    texts, codes = np.unique(format_addresses(addresses).astype(str), return_inverse=True)
    return np.array([ipaddress.ip_address(text) for text in texts.tolist()], dtype=object)[codes]


def _bytes(addresses: Array) -> Array:
    return np.array([address.tobytes() for address in addresses], dtype=object)


def _array(column: pyarrow.ChunkedArray, name: str) -> Array:
    if name not in _ADDRESSES:
        values: Array = column.to_numpy()
        return values.view(np.int64) if name == _TIME_NS else values
    coded = column.combine_chunks().dictionary_encode()
    distinct = [each if isinstance(each, bytes) else _parsed(each) for each in coded.dictionary.to_pylist()]
    return np.frombuffer(b"".join(distinct), dtype=np.uint8).reshape(-1, _ADDRESS_BYTES)[coded.indices.to_numpy()]


def _parsed(text: str) -> bytes:
    return socket.inet_pton(socket.AF_INET6, text if ":" in text else f"::ffff:{text}")


def _metadata(batches: Array) -> dict[str, str]:
    file = io.BytesIO()
    np.save(file, batches)
    lost = {name: str(int(batches[name].sum())) for name in ("lost_before", "lost_before_tap")}
    return {**lost, _BATCHES: base64.b64encode(zlib.compress(file.getvalue())).decode()}


def _batches_of(metadata: bytes) -> Array:
    batches: Array = np.load(io.BytesIO(zlib.decompress(base64.b64decode(metadata))), allow_pickle=False)
    return batches
