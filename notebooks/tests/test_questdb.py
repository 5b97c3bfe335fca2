# SPDX-License-Identifier: Apache-2.0
"""Answers as QuestDB 9 gave them, byte for byte, served by a socket; test_demo.py asks a real one."""

import json
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from urllib.parse import parse_qs, urlparse

import numpy as np
import pytest

import flowstone

TYPES = (
    b'{"query":"q","columns":[{"name":"time","type":"TIMESTAMP_NS"},{"name":"old","type":"TIMESTAMP"},{"name":"rule","type":"SYMBOL"},'
    b'{"name":"port","type":"LONG"},{"name":"count","type":"LONG"},{"name":"mean","type":"DOUBLE"},{"name":"up","type":"BOOLEAN"},'
    b'{"name":"text","type":"VARCHAR"}],"timestamp":0,"dataset":[["2026-11-25T02:17:32.000000001Z","2020-01-01T00:00:00.000000Z",'
    b'"mail",null,9007199254740993,1.33047840236569E7,true,"a"],["2026-11-25T02:17:33.000000000Z",null,"mail",25,2,null,false,null]],"count":2}'
)
EMPTY = b'{"query":"q","columns":[{"name":"time","type":"TIMESTAMP_NS"},{"name":"count","type":"LONG"}],"timestamp":0,"dataset":[],"count":0}'
REFUSED = b'{"query":"select * from histograms limit 2","error":"table does not exist [table=histograms]","position":14}'


@pytest.fixture
def questdb():
    asked = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            asked.append(parse_qs(urlparse(self.path).query)["query"][0])
            status, body = self.server.answer
            if self.server.authorization not in (None, self.headers["Authorization"]):
                status, body = 401, b"Unauthorized\r\n"
            self.send_response(status)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *arguments):
            pass

    server = HTTPServer(("127.0.0.1", 0), Handler)
    server.authorization = None
    server.asked, server.address = asked, f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


def test_types_are_those_of_the_columns(questdb):
    questdb.answer = 200, TYPES
    frame = flowstone.query("q", questdb.address)
    kinds = {name: str(kind) for name, kind in frame.dtypes.items()}
    assert kinds["time"] == kinds["old"] == "datetime64[ns, UTC]"
    assert (kinds["rule"], kinds["port"], kinds["count"], kinds["mean"], kinds["up"]) == ("category", "Int64", "int64", "float64", "bool")
    assert frame["time"].astype("int64").tolist() == [1795573052000000001, 1795573053000000000]
    assert frame["count"].tolist() == [9007199254740993, 2]
    assert frame.isna().sum().tolist() == [0, 1, 0, 1, 0, 1, 0, 1]
    assert frame["text"].tolist()[0] == "a"


def test_no_rows_have_columns_of_the_same_types(questdb):
    questdb.answer = 200, EMPTY
    frame = flowstone.query("q", questdb.address)
    assert {name: str(kind) for name, kind in frame.dtypes.items()} == {"time": "datetime64[ns, UTC]", "count": "int64"}
    assert len(frame) == 0
    questdb.answer = 200, b'{"ddl":"OK"}'
    assert flowstone.query("q", questdb.address).shape == (0, 0)


def test_a_table_between_two_times(questdb):
    questdb.answer = 200, EMPTY
    flowstone.table("histogram", address=questdb.address)
    flowstone.table('odd "name"', "2026-01-01", np.datetime64("2026-01-02T03:04:05", "ns"), address=questdb.address)
    assert questdb.asked == [
        'SELECT * FROM "histogram" ORDER BY time',
        "SELECT * FROM \"odd \"\"name\"\"\" WHERE time >= '2026-01-01' AND time < '2026-01-02T03:04:05.000000000' ORDER BY time",
    ]


def test_an_address_may_be_without_its_scheme(questdb):
    questdb.answer = 200, EMPTY
    flowstone.query("q", questdb.address.removeprefix("http://"))
    assert questdb.asked == ["q"]


def test_errors_are_questdb_s_own(questdb):
    questdb.answer = 400, REFUSED
    sql = "select * from histograms limit 2"
    with pytest.raises(flowstone.QuestDbError, match=r"table does not exist \[table=histograms\] at position 14: 'histograms limit 2'") as refused:
        flowstone.query(sql, questdb.address)
    assert (refused.value.sql, refused.value.position) == (sql, json.loads(REFUSED)["position"])


@pytest.mark.parametrize("status, body", [(200, b"<html>"), (404, b'{"errors":["Unable to load requested file"]}'), (404, b"<html>")])
def test_says_that_another_program_answers(questdb, status, body):
    questdb.answer = status, body
    with pytest.raises(ConnectionError, match="what answers at http://127.0.0.1:[0-9]+ is no QuestDB: "):
        flowstone.query("q", questdb.address)


def test_logs_in_and_says_who_is_not_let_in(questdb):
    questdb.answer = 200, EMPTY
    # What "admin:quest" is by RFC 7617.
    questdb.authorization = "Basic YWRtaW46cXVlc3Q="
    flowstone.query("q", questdb.address, login=("admin", "quest"))
    flowstone.table("histogram", address=questdb.address, login=("admin", "quest"))
    for other in ({}, {"login": ("admin", "quiz")}, {"token": "quest"}):
        with pytest.raises(PermissionError, match=r"QuestDB at http://127.0.0.1:[0-9]+ does not let in who asks so \(status 401\)"):
            flowstone.query("q", questdb.address, **other)
    questdb.authorization = "Bearer 7-of-9"
    flowstone.query("q", questdb.address, token="7-of-9")
    flowstone.table("histogram", address=questdb.address, token="7-of-9")
    with pytest.raises(ValueError, match="login and token exclude each other"):
        flowstone.query("q", questdb.address, login=("admin", "quest"), token="7-of-9")


def test_says_that_nobody_answers():
    with pytest.raises(ConnectionError, match="no QuestDB answers at http://127.0.0.1:1: "):
        flowstone.query("q", "http://127.0.0.1:1")
