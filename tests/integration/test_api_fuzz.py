"""The API as its own description has it, asked for anything; then asked for a while by many.

No call gives a 5xx, answers have the declared shapes, and memory and open files stay flat.
"""

from __future__ import annotations

import json
import threading
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from schemathesis import checks
from schemathesis.specs.openapi import checks as openapi
from support import servers
from support.browsing import HANDBOOK, SERVING, Served, wait_for_index
from support.command import clean_environment

CHECKS = [
    checks.not_a_server_error,
    openapi.content_type_conformance,
    openapi.response_schema_conformance,
    openapi.status_code_conformance,
]

CALLS = 120
"""Of the load, after as many to warm up."""


@pytest.fixture(scope="module")
def api(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    environment = clean_environment(tmp_path_factory.mktemp("home"))
    with servers.serving(HANDBOOK, environment, "serve", told=SERVING) as address:
        made = Served(address, HANDBOOK, environment)
        wait_for_index(made)
        yield made


def test_no_request_that_the_description_allows_fails(api: Served) -> None:
    described = schemathesis.openapi.from_dict(api.ask("/openapi.json"))
    described.config.update(base_url=api.address)
    asked = 0

    @settings(
        max_examples=120,
        deadline=None,
        derandomize=True,
        phases=(Phase.generate,),
        suppress_health_check=list(HealthCheck),
        database=None,
    )
    @given(st.data())
    def fuzz(data: st.DataObject) -> None:
        nonlocal asked
        operation = data.draw(st.sampled_from(operations))
        case = data.draw(operation.as_strategy())
        response = case.call()
        asked += 1
        assert response.status_code < 500, (response.status_code, case.as_curl_command())
        case.validate_response(response, checks=CHECKS)

    operations = [found.ok() for found in described.get_all_operations()]
    assert len(operations) == 9
    fuzz()
    assert asked >= 100


def _metrics(api: Served) -> dict[str, float]:
    with urllib.request.urlopen(f"{api.address}/metrics", timeout=60) as answer:
        lines = answer.read().decode().splitlines()
    pairs = (line.rsplit(" ", 1) for line in lines if not line.startswith("#"))
    return {name: float(value) for name, value in pairs}


def test_under_load_nothing_fails_and_nothing_grows(api: Served) -> None:
    paths = [
        "/api/search?q=backup&no_refresh=true",
        "/?q=restore+backup",
        "/doc?id=guides/backups.md",
        "/lab?id=guides/backups.md&strategy=section",
        "/api/outline?id=README.md",
        "/api/show?id=guides/backups.md",
        "/health",
    ]
    statuses: list[int] = []

    def ask(numbers: range) -> None:
        for number in numbers:
            with urllib.request.urlopen(
                api.address + paths[number % len(paths)], timeout=60
            ) as one:
                one.read()
                statuses.append(one.status)

    def load() -> dict[str, float]:
        threads = [threading.Thread(target=ask, args=(range(at, CALLS, 8),)) for at in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return _metrics(api)

    before, after = load(), load()
    assert statuses == [200] * (2 * CALLS)
    memory = "process_resident_memory_bytes"
    assert after[memory] < 1.1 * before[memory] + 8e6
    assert after["process_open_fds"] <= before["process_open_fds"] + 3
    assert after["leafmark_requests_waiting"] == 0
    used = after["process_cpu_seconds_total"] - before["process_cpu_seconds_total"]
    print(f"{1000 * used / CALLS:.1f} ms of processor time a request")


def test_events_tell_the_state_at_once(api: Served) -> None:
    with urllib.request.urlopen(f"{api.address}/events", timeout=60) as stream:
        assert stream.headers["content-type"].startswith("text/event-stream")
        kind, data = stream.readline(), stream.readline()
    told: dict[str, Any] = json.loads(data.removeprefix(b"data: "))
    assert (kind, told["error"], told["version"] > 0) == (b"event: index\n", None, True)
    assert Path(HANDBOOK).is_dir()
