# SPDX-License-Identifier: Apache-2.0
import json
import struct
from pathlib import Path

import pytest

import flowstone
from flowstone.batch import _CHECKSUM_OFFSET, _HEADER_BYTES

FIXTURES = Path(__file__).resolve().parents[2] / "packet-format" / "src" / "test" / "resources"


@pytest.fixture(params=["raw", "columns"])
def message(request):
    return (FIXTURES / f"v1-{request.param}.batch").read_bytes()


@pytest.fixture(scope="session")
def expected():
    return json.loads((FIXTURES / "v1.json").read_text())


def signed(message):
    """The message with a right checksum, whatever else is in it."""
    checksum = flowstone.crc32c(bytes(message[:_CHECKSUM_OFFSET]) + bytes(message[_HEADER_BYTES:]))
    return bytes(message[:_CHECKSUM_OFFSET]) + struct.pack("<I", checksum) + bytes(message[_HEADER_BYTES:])
