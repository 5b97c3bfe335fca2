# SPDX-License-Identifier: Apache-2.0
import json
from pathlib import Path

import pytest

FIXTURES = Path(__file__).resolve().parents[2] / "packet-format" / "src" / "test" / "resources"


@pytest.fixture(params=["raw", "columns"])
def message(request):
    return (FIXTURES / f"v1-{request.param}.batch").read_bytes()


@pytest.fixture(scope="session")
def expected():
    return json.loads((FIXTURES / "v1.json").read_text())
