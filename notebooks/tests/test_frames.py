# SPDX-License-Identifier: Apache-2.0
"""DataFrames, Arrow and Parquet say what the table says."""

import ipaddress
import json

import numpy as np
import pandas
import pyarrow
import pyarrow.parquet
import pytest
from conftest import FIXTURES, with_header

import flowstone

MESSAGE = (FIXTURES / "v3-columns.batch").read_bytes()


@pytest.fixture
def packets():
    return flowstone.read_batches([MESSAGE, with_header(MESSAGE, sampling_weight=9, lost_before=3, lost_before_tap=4)])


def test_pandas(packets):
    frame = packets.to_pandas()
    assert frame.columns.tolist() == ["time" if name == "time_ns" else name for name in packets.columns]
    assert str(frame["time"].dtype) == "datetime64[ns, UTC]"
    assert np.array_equal(frame["time"].astype("int64"), packets["time_ns"])
    for name in set(packets.columns) - {"time_ns", "source_address", "destination_address"}:
        assert np.array_equal(frame[name], packets[name]) and frame[name].dtype == packets[name].dtype, name
    assert frame["source_address"].tolist() == [flowstone.format_address(row) for row in packets["source_address"]]


def test_pandas_with_other_addresses(packets):
    names = ["time", "source_address"]
    as_text = packets.to_pandas(names)["source_address"]
    objects = packets.to_pandas(names, addresses="objects")["source_address"]
    assert objects.tolist() == [ipaddress.ip_address(text) for text in as_text]
    octets = packets.to_pandas(names, addresses="bytes")["source_address"]
    assert octets.tolist() == [row.tobytes() for row in packets["source_address"]]
    with pytest.raises(ValueError, match="addresses are 'text', 'objects', 'bytes': 'hex'"):
        packets.to_pandas(names, addresses="hex")
    with pytest.raises(KeyError, match="no column colour was read"):
        packets.to_pandas(["colour"])


def test_arrow(packets):
    table = packets.to_arrow()
    assert table.schema.field("time").type == pyarrow.timestamp("ns", "UTC")
    assert table.column("destination_address").to_pylist() == packets.to_pandas()["destination_address"].tolist()
    assert table.column("weight").to_pylist() == packets["weight"].tolist()
    octets = packets.to_arrow(["source_address"], addresses="bytes").column("source_address")
    assert octets.type == pyarrow.binary(16) and octets.to_pylist() == [row.tobytes() for row in packets["source_address"]]


@pytest.mark.parametrize("addresses", ["text", "bytes"])
def test_parquet_gives_back_packets_and_losses(packets, tmp_path, addresses):
    path = tmp_path / "packets.parquet"
    assert flowstone.write_parquet(packets, path, addresses) == len(packets)
    read = flowstone.read_parquet(path)
    assert read.columns == packets.columns and read.to_array().tobytes() == packets.to_array().tobytes()
    assert read.batches.tobytes() == packets.batches.tobytes()
    assert [each.name for each in tmp_path.iterdir()] == ["packets.parquet"]
    few = flowstone.read_parquet(path, columns=["time_ns", "protocol"])
    assert set(few.columns) == {"time_ns", "protocol", "weight"} and np.array_equal(few["protocol"], packets["protocol"])
    with pytest.raises(ValueError, match="no column 'colour'; there are time_ns, "):
        flowstone.read_parquet(path, columns=["colour"])


def test_parquet_of_one_table_after_the_other(packets, tmp_path):
    path = tmp_path / "packets.parquet"
    parts = (flowstone.read_batches([message]) for message in (MESSAGE, with_header(MESSAGE, lost_before=5, sampling_weight=2)))
    assert flowstone.write_parquet(parts, path) == 480
    read = flowstone.read_parquet(path)
    assert read["weight"].tolist() == [1000] * 240 + [2] * 240
    metadata = pyarrow.parquet.read_metadata(path).metadata
    assert metadata[b"lost_before"] == str(read.lost_before).encode()


def test_an_unfinished_file_does_not_bear_the_name(packets, tmp_path):
    def breaking():
        yield packets
        raise RuntimeError("the topic is gone")

    with pytest.raises(RuntimeError, match="the topic is gone"):
        flowstone.write_parquet(breaking(), tmp_path / "packets.parquet")
    assert list(tmp_path.iterdir()) == []


def test_refuses_files_of_others(tmp_path):
    pyarrow.parquet.write_table(pyarrow.table({"time": [1]}), tmp_path / "other.parquet")
    with pytest.raises(ValueError, match="other.parquet is no file of write_parquet"):
        flowstone.read_parquet(tmp_path / "other.parquet")
    with pytest.raises(ValueError, match="nothing to write"):
        flowstone.write_parquet(iter([]), tmp_path / "none.parquet")


def test_results_keep_their_numbers():
    from flowstone.frames import from_results

    results = [
        {"kind": "alert", "time_ns": 1795573055000000001, "peak": 9007199254740993, "rate": 1.5, "top": [{"share": 1}]},
        {"kind": "alert", "time_ns": 1795573055000000002, "port": 443, "rate": 2},
    ]
    frame = from_results(results)
    assert frame["time"].astype("int64").tolist() == [1795573055000000001, 1795573055000000002]
    assert frame["peak"][0] == 9007199254740993 and frame["peak"].isna().tolist() == [False, True]
    assert (str(frame["port"].dtype), str(frame["rate"].dtype)) == ("Int64", "float64")
    assert frame["top"][0] == [{"share": 1}]
    nothing = from_results([])
    assert {name: str(kind) for name, kind in nothing.dtypes.items()} == {"kind": "object", "time": "datetime64[ns, UTC]"}
    assert len(nothing) == 0
    whole = from_results([json.loads('{"kind": "x", "count": 1}')])
    assert whole["count"].dtype == np.int64 and isinstance(whole, pandas.DataFrame)
