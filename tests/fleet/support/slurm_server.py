"""Slurm with munge on this machine alone, for the parts of tests/fleet that need it: five nodes that are all this host, on free
ports of 127.0.0.1, with everything they write in one folder that goes with them. Nothing outside that folder is changed."""
import os
import pathlib
import shutil
import socket
import subprocess
import sys
import time

PROGRAMS = ("slurmctld", "slurmd", "sbatch", "srun", "salloc", "squeue", "sinfo", "munged")


def skip(why):
    print(f"skipped: {why}")
    sys.exit(77)


def install(programs, packages):
    """What is missing comes from Debian's archive; without root or archive the part is skipped."""
    if all(shutil.which(name) for name in programs):
        return
    if os.geteuid() != 0 or not shutil.which("apt-get"):
        skip(f"{' '.join(packages)} is not installed, and only root could do so")
    command = ["apt-get", "install", "-y", "-q", "--no-install-recommends", *packages]
    done = subprocess.run(command, env={**os.environ, "DEBIAN_FRONTEND": "noninteractive"}, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if done.returncode != 0 or not all(shutil.which(name) for name in programs):
        skip(f"{' '.join(packages)} cannot be installed here")


def free_ports(count):
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [each.getsockname()[1] for each in sockets]
    for each in sockets:
        each.close()
    return ports


class Slurm:
    def __init__(self, folder, nodes=5):
        install(PROGRAMS, ("slurm-wlm", "munge"))
        if os.geteuid() != 0:
            skip("Slurm's daemons start jobs as other users: they need root")
        self.folder = pathlib.Path(folder)
        self.nodes = [f"n{i}" for i in range(nodes)]
        self.running = []
        self.configure()

    def configure(self):
        for name in ("state", "spool", "munge"):
            (self.folder / name).mkdir()
        (self.folder / "munge").chmod(0o700)
        key = self.folder / "munge" / "key"
        key.write_bytes(os.urandom(128))
        key.chmod(0o400)
        control, *ports = free_ports(1 + len(self.nodes))
        host = socket.gethostname().split(".")[0]
        lines = [
            "ClusterName=plumbline", f"SlurmctldHost={host}(127.0.0.1)", f"SlurmctldPort={control}", "SlurmUser=root", "SlurmdUser=root",
            "AuthType=auth/munge", f"AuthInfo=socket={self.folder}/munge/socket", "CryptoType=crypto/munge",
            "CommunicationParameters=NoCtldInAddrAny,NoInAddrAny", "ProctrackType=proctrack/linuxproc", "TaskPlugin=task/none",
            "MpiDefault=none", "ReturnToService=2", "SlurmctldTimeout=300", "SlurmdTimeout=300", "SchedulerType=sched/builtin",
            "SelectType=select/cons_tres", "SelectTypeParameters=CR_Core", f"StateSaveLocation={self.folder}/state",
            f"SlurmdSpoolDir={self.folder}/spool/%n", f"SlurmctldPidFile={self.folder}/slurmctld.pid",
            f"SlurmdPidFile={self.folder}/slurmd.%n.pid", f"SlurmctldLogFile={self.folder}/slurmctld.log",
            f"SlurmdLogFile={self.folder}/slurmd.%n.log"]
        for name, port in zip(self.nodes, ports):
            lines.append(f"NodeName={name} NodeHostname={host} NodeAddr=127.0.0.1 Port={port} CPUs=2 RealMemory=200 State=UNKNOWN")
        lines.append(f"PartitionName=p Nodes={','.join(self.nodes)} Default=YES MaxTime=INFINITE State=UP OverSubscribe=FORCE:4")
        self.config = self.folder / "slurm.conf"
        self.config.write_text("\n".join(lines) + "\n")
        # The daemons look for control groups though nothing here is tracked by them.
        (self.folder / "cgroup.conf").write_text("CgroupPlugin=cgroup/v1\n")
        self.environment = {**os.environ, "SLURM_CONF": str(self.config)}

    def start(self, *command):
        log = open(self.folder / f"{pathlib.Path(command[0]).name}.out", "ab")
        self.running.append(subprocess.Popen(command, env=self.environment, stdout=log, stderr=log, stdin=subprocess.DEVNULL))

    def __enter__(self):
        munge = self.folder / "munge"
        try:
            self.start("munged", "--foreground", "--force", f"--key-file={munge}/key", f"--socket={munge}/socket", f"--pid-file={munge}/pid",
                       f"--log-file={munge}/log", f"--seed-file={munge}/seed", "--num-threads=2")
            self.wait("munge's socket", lambda: (munge / "socket").exists())
            self.start("slurmctld", "-D", "-i", "-f", str(self.config))
            for name in self.nodes:
                self.start("slurmd", "-D", "-N", name, "-f", str(self.config))
            self.wait("idle nodes", lambda: self.ask("sinfo", "-h", "-N", "-o", "%N %t").count("idle") == len(self.nodes))
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(self, *_):
        self.stop()

    def stop(self):
        for each in reversed(self.running):
            each.terminate()
        for each in reversed(self.running):
            try:
                each.wait(10)
            except subprocess.TimeoutExpired:
                each.kill()
                each.wait()

    def ask(self, *command):
        done = subprocess.run(command, env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        return done.stdout if done.returncode == 0 else ""

    def run(self, *command, **more):
        return subprocess.run(command, env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **more)

    def wait(self, what, there, seconds=120):
        end = time.monotonic() + seconds
        while not there():
            for each in self.running:
                if each.poll() is not None:
                    self.give_up(f"{each.args[0]} ended with {each.returncode}")
            if time.monotonic() > end:
                self.give_up(f"no {what} within {seconds} s")
            time.sleep(0.1)

    def give_up(self, why):
        for path in sorted(self.folder.glob("*.out")) + sorted(self.folder.glob("*.log")):
            print(f"--- {path.name}\n{path.read_text(errors='replace')[-2000:]}")
        raise AssertionError(why)
