"""A program for the command lines of a shell, forked of a process that has its imports.

`support.forks` runs one process at a time. The commands of a shell run beside each other, as in a
pipe, have its streams, which may be a terminal, and are started by name: here a small client gives
its streams, folder, environment and arguments to a fork, and ends as the fork ends.
"""

from __future__ import annotations

import shlex
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

TIMEOUT_S = 100.0

# Each call has two forks: one is the program, the other waits and tells how it ended.
_FIRST = """
import gc, json, os, signal, socket, sys
exec(sys.argv[2])
code = compile(sys.argv[3], "<forked>", "exec")
calls = socket.socket(socket.AF_UNIX)
calls.bind(sys.argv[1])
calls.listen()
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
gc.collect()
gc.freeze()
print("ready", flush=True)
while True:
    call, _ = calls.accept()
    if not os.fork():
        break
    call.close()
calls.close()
signal.signal(signal.SIGCHLD, signal.SIG_DFL)
line, streams, _, _ = socket.recv_fds(call, 65536, 3)
while not line.endswith(b"\\n"):
    line += call.recv(65536)
child = os.fork()
if child:
    for stream in [0, 1, 2, *streams]:
        os.close(stream)
    call.sendall(b"%d" % os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
    os._exit(0)
call.close()
for number, stream in enumerate(streams):
    os.dup2(stream, number)
    os.close(stream)
asked = json.loads(line)
os.environ.clear()
os.environ.update(asked["environ"])
os.chdir(asked["cwd"])
sys.argv[:] = ["-c", *asked["arguments"]]
lined = 1 if os.isatty(1) else -1  # as Python itself does
sys.stdin = sys.__stdin__ = open(0, encoding="utf-8", closefd=False)
sys.stdout = sys.__stdout__ = open(1, "w", lined, "utf-8", closefd=False)
sys.stderr = sys.__stderr__ = open(2, "w", 1, "utf-8", "backslashreplace", closefd=False)
exec(code, {"__name__": "__main__"})
"""

_CLIENT = """
import json, os, socket, sys
call = socket.socket(socket.AF_UNIX)
call.connect(sys.argv[1])
asked = {"arguments": sys.argv[2:], "cwd": os.getcwd(), "environ": dict(os.environ)}
line = json.dumps(asked).encode() + b"\\n"
call.sendall(line[socket.send_fds(call, [line], [0, 1, 2]):])
for stream in range(3):  # who reads or writes on is the fork alone
    os.close(stream)
code = int(call.recv(16))
os._exit(code if code >= 0 else 128 - code)
"""


@contextmanager
def open_stand_in(
    folder: Path, imports: str, program: str, environ: Mapping[str, str]
) -> Iterator[str]:
    """Start a process that runs `imports`; give the shell's words that run `program` in a fork."""
    place, client = folder / "calls", folder / "client.py"
    client.write_text(_CLIENT)
    with subprocess.Popen(
        [sys.executable, "-c", _FIRST, str(place), imports, program],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=dict(environ),
        text=True,
    ) as first:
        try:
            assert first.stdout is not None
            assert first.stdout.readline() == "ready\n"
            yield shlex.join([sys.executable, "-I", "-S", str(client), str(place)])
        finally:
            first.kill()
            _, complaints = first.communicate(timeout=TIMEOUT_S)
            assert not complaints, complaints
