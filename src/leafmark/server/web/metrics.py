"""What a server measures of itself, in the text format of Prometheus."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib.metadata import version

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    ProcessCollector,
    generate_latest,
)
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector

from leafmark.server.workspace import Activity, Workspace

_SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)


class Metrics:
    """Counts the requests of one server, by the path that answers and the status."""

    def __init__(self, workspace: Workspace):
        self._registry = CollectorRegistry()
        names = ("path", "status")
        self._requests = Counter(
            "leafmark_requests", "Requests answered.", names, registry=self._registry
        )
        self._seconds = Histogram(
            "leafmark_request_seconds",
            "How long answers took.",
            ("path",),
            buckets=_SECONDS,
            registry=self._registry,
        )
        self.waiting = Gauge(
            "leafmark_requests_waiting", "Requests being answered.", registry=self._registry
        )
        self.listeners = Gauge(
            "leafmark_event_streams", "Pages that listen for changes.", registry=self._registry
        )
        info = Gauge("leafmark_info", "The version.", ("version",), registry=self._registry)
        info.labels(version("leafmark")).set(1)
        self._registry.register(_State(workspace))
        ProcessCollector(registry=self._registry)

    def note(self, path: str, status: int, seconds: float) -> None:
        """Count one request."""
        self._requests.labels(path, status).inc()
        self._seconds.labels(path).observe(seconds)

    def text(self) -> bytes:
        return generate_latest(self._registry)


class _State(Collector):
    """The state of the index, looked at when it is asked for."""

    def __init__(self, workspace: Workspace):
        self._workspace = workspace

    def collect(self) -> Iterator[GaugeMetricFamily]:
        for name, (doc, value) in self._values().items():
            yield GaugeMetricFamily(name, doc, value=value)

    def _values(self) -> Mapping[str, tuple[str, float]]:
        activity: Activity = self._workspace.activity
        return {
            "leafmark_index_version": ("Runs that changed the index.", activity.version),
            "leafmark_index_running": ("Whether it is brought up to date.", activity.running),
            "leafmark_index_failed": ("Whether the last run failed.", activity.error is not None),
            "leafmark_index_seconds": ("How long the last run took.", activity.seconds),
        }
