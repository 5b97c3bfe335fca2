# SPDX-License-Identifier: Apache-2.0
import json
import struct
from pathlib import Path

import numpy as np
import pytest

import flowstone
from flowstone import layouts
from flowstone.batch import _AFTER_CHECKSUM, _CHECKSUM_OFFSET

FIXTURES = Path(__file__).resolve().parents[2] / "packet-format" / "src" / "test" / "resources"


@pytest.fixture(params=["v1", "v2", "v3"])
def version(request):
    """Each version that was ever released."""
    return request.param


@pytest.fixture(params=["raw", "columns"])
def body(request):
    return request.param


@pytest.fixture
def released(version, body):
    """A message of a version."""
    return (FIXTURES / f"{version}-{body}.batch").read_bytes()


@pytest.fixture
def expected(version):
    return json.loads((FIXTURES / f"{version}.json").read_text())


@pytest.fixture
def message(body):
    """A message of today's version."""
    return (FIXTURES / f"v3-{body}.batch").read_bytes()


def signed(message):
    """The message with a right checksum, whatever else is in it."""
    checksum = flowstone.crc32c(bytes(message[:_CHECKSUM_OFFSET]) + bytes(message[_AFTER_CHECKSUM:]))
    return bytes(message[:_CHECKSUM_OFFSET]) + struct.pack("<I", checksum) + bytes(message[_AFTER_CHECKSUM:])


def with_header(message, body=None, **fields):
    """The message with other fields of its header, or another body, and a right checksum."""
    header = np.frombuffer(bytearray(message[: layouts.PACKET_BATCH_HEADER.itemsize]), dtype=layouts.PACKET_BATCH_HEADER)
    for name, value in fields.items():
        header[name] = value
    return signed(header.tobytes() + (message[header.itemsize :] if body is None else body))


@pytest.fixture(scope="session")
def demo():
    """The demo that runs on this machine."""
    try:
        return flowstone.find_demo()
    except flowstone.NoDemo as none:
        pytest.skip(f"NOT CHECKED: {none}")
