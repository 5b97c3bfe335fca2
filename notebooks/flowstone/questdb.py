# SPDX-License-Identifier: Apache-2.0
"""Answers of QuestDB as DataFrames, over its HTTP interface."""

from __future__ import annotations

import base64
import json
import urllib.error
import urllib.parse
import urllib.request
from typing import TYPE_CHECKING, Any

from .demo import find_demo
from .extras import needed

if TYPE_CHECKING:
    import pandas

_LONGEST_WAIT_SECONDS = 60.0
_WHOLE = {"BYTE": "Int8", "SHORT": "Int16", "INT": "Int32", "LONG": "Int64"}
_OTHERS = {"FLOAT": "float32", "DOUBLE": "float64", "SYMBOL": "category"}
_TIMES = {"TIMESTAMP", "TIMESTAMP_NS", "DATE"}


class QuestDbError(RuntimeError):
    """A refused query: QuestDB's own reason, and the position in the text that it points at."""

    def __init__(self, sql: str, reason: str, position: int | None):
        pointer = "" if position is None else f" at position {position}: {sql[position : position + 40]!r}"
        super().__init__(f"QuestDB refused the query: {reason}{pointer}")
        self.sql = sql
        self.reason = reason
        self.position = position


def query(sql: str, address: str | None = None, *, login: tuple[str, str] | None = None, token: str | None = None) -> pandas.DataFrame:
    """What QuestDB at http://HOST:PORT, or HOST:PORT, answers, or that of the demo that runs here.

    One that wants to know who asks is told login=(http.user, http.password), or a bearer token=; else it raises PermissionError.

    Times are of nanoseconds and UTC, symbols categories, whole numbers whole: int64 and its kin, or Int64 where some are null.
    """
    pandas = needed("pandas", "frames")
    answer = _asked(sql, address or _of_demo(), _authorization(login, token))
    rows = list(zip(*answer["dataset"])) or [()] * len(answer["columns"])
    columns = [_column(pandas, list(values), said["type"]) for said, values in zip(answer["columns"], rows)]
    frame = pandas.concat(columns, axis=1) if columns else pandas.DataFrame()
    frame.columns = [said["name"] for said in answer["columns"]]
    return frame


def table(
    kind: str,
    begin: str | None = None,
    end: str | None = None,
    address: str | None = None,
    *,
    login: tuple[str, str] | None = None,
    token: str | None = None,
) -> pandas.DataFrame:
    """All of one kind of result, such as "histogram", in the order of time; begin and end are times like "2026-01-31T12:00:00Z".

    login and token are those of query().
    """
    bounds = [f"time {sign} {_quoted(time)}" for sign, time in ((">=", begin), ("<", end)) if time is not None]
    where = f" WHERE {' AND '.join(bounds)}" if bounds else ""
    name = '"' + kind.replace('"', '""') + '"'
    return query(f"SELECT * FROM {name}{where} ORDER BY time", address, login=login, token=token)


def _quoted(text: object) -> str:
    return "'" + str(text).replace("'", "''") + "'"


def _of_demo() -> str:
    demo = find_demo()
    if demo.questdb is None:
        raise ValueError("the demo that runs here does without QuestDB")
    return demo.questdb


def _authorization(login: tuple[str, str] | None, token: str | None) -> str | None:
    if login is not None and token is not None:
        raise ValueError("login and token exclude each other")
    if login is not None:
        return "Basic " + base64.b64encode(":".join(login).encode()).decode()
    return None if token is None else f"Bearer {token}"


def _asked(sql: str, address: str, authorization: str | None) -> dict[str, Any]:
    address = address if "://" in address else f"http://{address}"
    request = urllib.request.Request(f"{address.rstrip('/')}/exec?{urllib.parse.urlencode({'query': sql})}")
    if authorization is not None:
        # Whoever is asked instead, where the answer is that somebody else has it, is told no secret.
        request.add_unredirected_header("Authorization", authorization)
    try:
        with urllib.request.urlopen(request, timeout=_LONGEST_WAIT_SECONDS) as response:
            return _understood(response.read(), sql, address)
    except urllib.error.HTTPError as refused:
        if refused.code in (401, 403):
            raise PermissionError(f"QuestDB at {address} does not let in who asks so (status {refused.code}): check login= or token=") from refused
        return _understood(refused.read(), sql, address)
    except (urllib.error.URLError, TimeoutError) as unreachable:
        raise ConnectionError(f"no QuestDB answers at {address}: {unreachable}") from unreachable


def _understood(text: bytes, sql: str, address: str) -> dict[str, Any]:
    try:
        said: dict[str, Any] = json.loads(text)
    except ValueError:
        said = {}
    if "error" in said:
        raise QuestDbError(sql, said["error"], said.get("position"))
    if "dataset" in said:
        return said
    if "ddl" in said:
        return {"columns": [], "dataset": []}
    raise ConnectionError(f"what answers at {address} is no QuestDB: {text[:80].decode(errors='replace')}")


def _column(pandas: Any, values: list[Any], kind: str) -> Any:
    if kind in _TIMES:
        return pandas.Series(pandas.to_datetime(values, utc=True, format="ISO8601").as_unit("ns"))
    if kind in _WHOLE:
        whole = pandas.Series(pandas.array(values, dtype=_WHOLE[kind]))
        return whole if whole.hasnans else whole.astype(_WHOLE[kind].lower())
    if kind == "BOOLEAN":
        return pandas.Series(values, dtype=bool)
    return pandas.Series(values, dtype=_OTHERS.get(kind, object))
