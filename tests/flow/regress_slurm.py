# SPDX-License-Identifier: Apache-2.0
"""A Slurm of this machine in a folder: munged, slurmctld and a slurmd for each node, with a separate configuration,
stopped whatever happens. With several nodes each is a slurmd of its own here, with its own port.
"""

import contextlib
import getpass
import os
import secrets
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

NEEDED = ("munged", "slurmctld", "slurmd", "sbatch", "scancel", "squeue", "sinfo")
_SBIN = os.pathsep.join((os.environ.get("PATH", ""), "/usr/local/sbin", "/usr/sbin"))
_CONFIG = """
ClusterName=one
SlurmctldHost={host}
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
CredType=cred/munge
SlurmctldPort={port}
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool-%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd-%n.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd-%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerParameters=sched_min_interval=100000
AccountingStorageType=accounting_storage/none
JobAcctGatherType=jobacct_gather/none
ReturnToService=2
KillWait=5
SlurmdParameters=config_overrides
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
"""
_NODE = "NodeName={name} NodeHostname={host} NodeAddr=127.0.0.1 Port={port} CPUs=2 RealMemory=16000 State=UNKNOWN\n"


def missing() -> list[str]:
    """The programs that are not installed."""
    return [name for name in NEEDED if not shutil.which(name, path=_SBIN)]


class Slurm:
    """A running one. env: what its commands, and those that submit to it, need in their environment."""

    def __init__(self, folder: Path, env: dict[str, str]) -> None:
        self.folder, self.env = folder, env

    def said(self, *command: str) -> str:
        """What one of its commands prints."""
        return subprocess.run(
            command, env=self.env, capture_output=True, text=True, timeout=60, check=True
        ).stdout.strip()

    def running(self) -> list[str]:
        """The jobs that run, the oldest first."""
        return sorted(self.said("squeue", "-h", "-t", "RUNNING", "-o", "%A").split(), key=int)


@contextlib.contextmanager
def slurm(folder: Path, nodes: int = 1) -> Iterator[Slurm]:
    """Start it, wait until its nodes are idle, and stop it at the end.
    RuntimeError with the logs if it does not come up.
    """
    folder.mkdir(parents=True)
    folder.chmod(0o755)  # munged looks at who could write into it
    host = socket.gethostname().partition(".")[0]
    names = [host] if nodes == 1 else [f"node{n}" for n in range(1, nodes + 1)]
    for name in ("state", *(f"spool-{name}" for name in names)):
        (folder / name).mkdir()
    key = folder / "munge.key"
    key.write_bytes(secrets.token_bytes(128))
    key.chmod(0o600)
    config, (port, *ports) = folder / "slurm.conf", _ports(1 + nodes)
    config.write_text(
        _CONFIG.format(host=host, user=getpass.getuser(), folder=folder, port=port)
        + "".join(_NODE.format(name=name, host=host, port=one) for name, one in zip(names, ports))
    )
    env = {name: value for name, value in os.environ.items() if name != "TRACEBACK"}
    here = Slurm(folder, env | {"SLURM_CONF": str(config), "PATH": _SBIN})
    munge = [
        f"--{name}={folder}/munge.{what}"
        for name, what in (
            ("key-file", "key"),
            ("socket", "socket"),
            ("pid-file", "pid"),
            ("log-file", "log"),
            ("seed-file", "seed"),
        )
    ]
    daemons = [
        ["munged", "--foreground", "--force", *munge],
        ["slurmctld", "-D", "-i", "-f", str(config)],
        *(["slurmd", "-D", "-f", str(config), "-N", name] for name in names),
    ]
    with contextlib.ExitStack() as stack:
        for command in daemons:
            stack.enter_context(_daemon(command, here))
            if command[0] == "munged":
                _until(lambda: (folder / "munge.socket").exists(), here)
        _until(lambda: here.said("sinfo", "-h", "-o", "%D %T") == f"{nodes} idle", here)
        try:
            yield here
        finally:
            with contextlib.suppress(subprocess.SubprocessError):
                here.said("scancel", "--full", "--signal=KILL", "--state=RUNNING", "--user", getpass.getuser())
                here.said("scancel", "--user", getpass.getuser())


@contextlib.contextmanager
def _daemon(command: list[str], here: Slurm) -> Iterator[None]:
    with open(here.folder / f"{command[0]}-{command[-1].rpartition('/')[2]}.out", "w") as log:
        tied = ["setpriv", "--pdeathsig", "KILL", "--"] if shutil.which("setpriv") else []
        process = subprocess.Popen(
            [*tied, *command], env=here.env, stdout=log, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL
        )
        try:
            yield
        finally:
            process.terminate()
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def _until(condition, here: Slurm, seconds: float = 60) -> None:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        with contextlib.suppress(subprocess.SubprocessError):
            if condition():
                return
        time.sleep(0.2)
    logs = "\n".join(
        f"{path.name}: {path.read_text(errors='replace')[-1500:]}"
        for path in sorted(here.folder.glob("*.out")) + sorted(here.folder.glob("*.log"))
    )
    raise RuntimeError(f"Slurm did not come up in {seconds:.0f} s:\n{logs}")


def _ports(count: int) -> list[int]:
    """So many that are free."""
    with contextlib.ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(count)]
        for one in sockets:
            one.bind(("127.0.0.1", 0))
        return [one.getsockname()[1] for one in sockets]
