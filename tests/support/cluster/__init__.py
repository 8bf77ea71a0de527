"""A real OpenSearch cluster of three nodes on this machine, from Maven's artifacts.

It wants Java 21 or newer and Maven. `missing` says what is not there; on the machines that check
the project both are, so that nothing is skipped there. What Maven brought and the compiled
launcher of a node are kept for the next run.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import urllib.request
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from types import MappingProxyType

__all__ = ["OLD", "Node", "OpenSearch", "missing", "running_cluster", "start_cluster"]

HERE = Path(__file__).parent
VERSION = "3.6.0"
OLD = {"opensearch": "2.19.1", "log4j": "2.21.0", "bare": "true"}
"""What Maven is told for a node of an older version, without plugins: all it does is to answer."""

LEAST_JAVA = 21
NODES = 3
HEAP_MB = 256
START_S = 180.0

_OPTIONS = (
    "-XX:+UseSerialGC",
    "-XX:TieredStopAtLevel=1",
    "-Dlog4j2.level=INFO",
    "--add-modules=jdk.incubator.vector",
    "--enable-native-access=ALL-UNNAMED",
)


@cache
def missing() -> str | None:
    """Say what a cluster wants and this machine has not got, None if it has all."""
    if find_java() is None:
        return f"there is no Java {LEAST_JAVA} or newer here"
    if shutil.which("mvn") is None:
        return "there is no Maven here, which brings OpenSearch"
    return None


@cache
def find_java() -> str | None:
    """Return the newest Java that is new enough, asking each for its version."""
    homes = [os.environ.get("JAVA_HOME", ""), *map(str, Path("/usr/lib/jvm").glob("*"))]
    programs = [str(Path(home, "bin", "java")) for home in homes if home]
    programs.append(shutil.which("java") or "")
    found = [(version, each) for each in programs if (version := _version(each)) >= LEAST_JAVA]
    return max(found)[1] if found else None


def _version(program: str) -> int:
    if not os.access(program, os.X_OK) or os.path.isdir(program):
        return 0
    told = subprocess.run([program, "-version"], capture_output=True, text=True, check=False)
    number = re.search(r'version "(\d+)', told.stderr)
    return int(number[1]) if number else 0


def artifacts(stated: Mapping[str, str]) -> Path:
    """Return the folder with OpenSearch's jars, which Maven fills at the first call.

    `stated` are properties that are others than in the list of what Maven brings.
    """
    cache_folder = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    folder = cache_folder / "leafmark-tests" / f"opensearch-{stated.get('opensearch', VERSION)}"
    if (folder / "DONE").exists():
        return folder
    work = folder / "work"
    work.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(HERE / "pom.xml", work / "pom.xml")
    properties = {"cluster.folder": str(folder), **stated}
    command = ["mvn", "-q", "-B", *(f"-D{name}={each}" for name, each in properties.items())]
    command.append("package")
    done = subprocess.run(command, cwd=work, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"Maven could not bring OpenSearch:\n{done.stdout[-2000:]}")
    (folder / "DONE").touch()
    return folder


def launcher(stated: Mapping[str, str]) -> Path:
    """Return the jar that starts a node, which is compiled if it is new."""
    folder = artifacts(stated)
    source = HERE / "Launcher.java"
    compiled = folder / f"launcher-{hashlib.sha256(source.read_bytes()).hexdigest()[:16]}.jar"
    if not compiled.exists():
        java = find_java()
        assert java is not None
        made = Path(tempfile.mkdtemp(dir=folder))
        server = os.pathsep.join(map(str, folder.glob("lib/*.jar")))
        compiler = [java, "-m", "jdk.compiler/com.sun.tools.javac.Main", "-proc:none"]
        subprocess.run([*compiler, "-d", made, "-cp", server, str(source)], check=True)
        with zipfile.ZipFile(made / "jar", "w") as jar:
            for each in made.glob("*.class"):
                jar.write(each, each.name)
        (made / "jar").replace(compiled)  # another run may have made it meanwhile
        shutil.rmtree(made)
    return compiled


def java_command(stated: Mapping[str, str], *, keeps_classes: bool) -> list[str]:
    """Return the command that starts a node, but for its home and its settings.

    A node that `keeps_classes` leaves what Java made of its classes when it ends, where no other
    did: with that, each node starts in two thirds of the processor time.
    """
    java = find_java()
    assert java is not None
    jar = launcher(stated)
    libraries = (str(jar.parent / "lib" / name) for name in ("*", "knn/*"))
    shared = [f"-XX:SharedArchiveFile={jar.with_suffix('.jsa')}"]
    shared += ["-XX:+AutoCreateSharedArchive"] if keeps_classes else []
    return [java, *_OPTIONS, *shared, "-cp", os.pathsep.join([str(jar), *libraries]), "Launcher"]


class Node:
    """One node, which may be killed, frozen and started again."""

    def __init__(
        self,
        number: int,
        home: Path,
        settings: Sequence[str],
        port: int,
        heap_mb: int,
        stated: Mapping[str, str],
    ):
        self.number = number
        self._stated = stated
        self.url = f"http://127.0.0.1:{port}"
        self.port = port
        self._home = home
        self._settings = settings
        self._heap = f"-Xms{heap_mb}m", f"-Xmx{heap_mb}m"
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        self._home.mkdir(parents=True, exist_ok=True)
        java, *others = java_command(self._stated, keeps_classes=self.number == 0)
        command = [java, *self._heap, *others, str(self._home)]
        with (self._home / "log").open("ab") as log:
            self._process = subprocess.Popen(
                [*command, *self._settings], stdout=log, stderr=log, stdin=subprocess.PIPE
            )

    @property
    def pid(self) -> int | None:
        return None if self._process is None else self._process.pid

    def send(self, signal_: signal.Signals) -> None:
        if self._process is not None:
            self._process.send_signal(signal_)

    def kill(self) -> None:
        self.send(signal.SIGKILL)
        self.wait()

    def ask_to_stop(self) -> None:
        self.send(signal.SIGCONT)
        self.send(signal.SIGTERM)

    def stop(self) -> None:
        self.ask_to_stop()
        if self._process is None:
            return
        try:
            self._process.wait(60)  # the first one that ends normally writes its classes
        except subprocess.TimeoutExpired:
            self.send(signal.SIGKILL)
        self.wait()

    def wait(self) -> None:
        if self._process is not None:
            self._process.communicate()

    def runs(self) -> bool:
        return self._process is not None and self._process.poll() is None

    def answers(self) -> bool:
        with contextlib.suppress(OSError, ValueError):
            return bool(_get(f"{self.url}/"))
        return False

    def log(self) -> str:
        return (self._home / "log").read_text("utf-8", "replace")


class OpenSearch:
    """A running cluster."""

    def __init__(self, nodes: Sequence[Node]):
        self.nodes = tuple(nodes)

    def url(self, name: str) -> str:
        """Return the address of an index with all nodes, as `index.url` takes it."""
        hosts = ",".join(node.url.removeprefix("http://") for node in self.nodes)
        return f"http://{hosts}/{name}"

    def wait(self, status: str = "green", limit_s: float = START_S, nodes: int = NODES) -> None:
        """Wait until each node answers and the cluster is so."""
        until = time.monotonic() + limit_s
        while time.monotonic() < until:
            up = [node for node in self.nodes if node.answers()]
            if len(up) >= nodes:
                with contextlib.suppress(OSError, ValueError):
                    health = _get(f"{up[0].url}/_cluster/health")
                    there = int(str(health["number_of_nodes"]))
                    if there >= nodes and health["status"] in (status, "green"):
                        return
            if sum(node.runs() for node in self.nodes) < nodes:
                break
            time.sleep(0.1)
        raise TimeoutError("\n".join(node.log()[-1500:] for node in self.nodes))

    def wait_for_copies(self, name: str, limit_s: float = START_S) -> None:
        """Wait until each shard of some indices has its copies, in sync: then a node may go."""
        url = f"{self._up()}/_cluster/health/{name}?wait_for_status=green&timeout=1s"
        until = time.monotonic() + limit_s
        while time.monotonic() < until:
            with contextlib.suppress(OSError, ValueError):  # 408 while it is not so
                if _get(url)["status"] == "green":
                    return
        raise TimeoutError(f"{name}: {_get(f'{self._up()}/_cluster/health/{name}')}")

    def manager(self) -> Node:
        """Return the node that manages the cluster."""
        with urllib.request.urlopen(f"{self._up()}/_cat/cluster_manager?h=node", timeout=30) as got:
            name = got.read().decode().strip()
        return next(node for node in self.nodes if f"n{node.number}" == name)

    def indices(self) -> set[str]:
        """Return the names of all indices."""
        return set(_get(f"{self._up()}/_all/_settings/index.uuid"))

    def delete(self, indices: set[str]) -> None:
        if indices:
            url = f"{self._up()}/{','.join(sorted(indices))}"
            urllib.request.urlopen(urllib.request.Request(url, method="DELETE"), timeout=60).close()

    def processor_s(self) -> float:
        """Return the processor time that the nodes have used, on Linux; else 0."""
        ticks = 0
        for node in self.nodes:
            with contextlib.suppress(OSError):
                fields = Path(f"/proc/{node.pid}/stat").read_text().rpartition(")")[2].split()
                ticks += int(fields[11]) + int(fields[12])
        return ticks / os.sysconf("SC_CLK_TCK")

    def stop(self) -> None:
        for node in self.nodes:
            node.ask_to_stop()
        for node in self.nodes:
            node.stop()

    def _up(self) -> str:
        return next(node.url for node in self.nodes if node.answers())


def _get(url: str) -> dict[str, object]:
    with urllib.request.urlopen(url, timeout=5) as answer:
        found: dict[str, object] = json.load(answer)
    return found


def start_cluster(
    folder: Path,
    nodes: int = NODES,
    heap_mb: int = HEAP_MB,
    stated: Mapping[str, str] = MappingProxyType({}),
) -> OpenSearch:
    """Start a cluster whose files are in `folder`; `OpenSearch.wait` says when it is there.

    `stated` is what `artifacts` takes.
    """
    ports = _free_ports(2 * nodes)
    http, transport = ports[:nodes], ports[nodes:]
    seeds = ",".join(f"127.0.0.1:{port}" for port in transport)
    names = ",".join(f"n{number}" for number in range(nodes))
    made = [
        Node(
            number,
            folder / f"n{number}",
            (
                f"cluster.name=leafmark-{os.getpid()}",
                f"node.name=n{number}",
                "network.host=127.0.0.1",
                f"http.port={http[number]}",
                f"transport.port={transport[number]}",
                f"discovery.seed_hosts={seeds}",
                f"cluster.initial_cluster_manager_nodes={names}",
                "node.processors=2",
                "action.auto_create_index=false",
                "cluster.routing.allocation.disk.threshold_enabled=false",
            ),
            http[number],
            heap_mb,
            stated,
        )
        for number in range(nodes)
    ]
    for node in made:
        node.start()
    return OpenSearch(made)


@contextlib.contextmanager
def running_cluster(
    folder: Path,
    nodes: int = NODES,
    heap_mb: int = HEAP_MB,
    stated: Mapping[str, str] = MappingProxyType({}),
) -> Iterator[OpenSearch]:
    """Give a cluster whose files are in `folder`; it ends with the block."""
    cluster = start_cluster(folder, nodes, heap_mb, stated)
    try:
        cluster.wait(nodes=nodes)
        yield cluster
    finally:
        cluster.stop()


def _free_ports(count: int) -> list[int]:
    with contextlib.ExitStack() as held:
        sockets = [held.enter_context(socket.socket()) for _ in range(count)]
        for each in sockets:
            each.bind(("127.0.0.1", 0))
        return [each.getsockname()[1] for each in sockets]
