"""A PostgreSQL server of the test's own: a cluster in a temporary folder, on a Unix socket and nothing else, gone afterwards."""
import glob
import os
import pathlib
import pwd
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import urllib.parse

from harness import SKIPPED, opens_libraries


def programs():
    """The folder of initdb and postgres, the newest release; None where there is none."""
    found = sorted(glob.glob("/usr/lib/postgresql/*/bin"), key=lambda path: float(path.split("/")[4]))
    found += [os.path.dirname(path) for path in (shutil.which("initdb"), shutil.which("postgres")) if path]
    good = [path for path in found if os.access(f"{path}/initdb", os.X_OK) and os.access(f"{path}/postgres", os.X_OK)]
    return good[-1] if good else None


def unprivileged():
    """initdb and postgres refuse to run as root: who they run as instead, as words before a command."""
    if os.geteuid() != 0:
        return [], os.geteuid(), os.getegid()
    for name in ("postgres", "nobody"):
        try:
            user = pwd.getpwnam(name)
        except KeyError:
            continue
        return ["setpriv", f"--reuid={user.pw_uid}", f"--regid={user.pw_gid}", "--clear-groups"], user.pw_uid, user.pw_gid
    return None, 0, 0


def need_postgres():
    """The script ends as skipped where PostgreSQL cannot be had."""
    why = None
    if programs() is None:
        why = "PostgreSQL is not installed (scripts/deps test)"
    elif unprivileged()[0] is None:
        why = "root, and no user to run PostgreSQL as"
    elif not opens_libraries():
        why = "this program loads no libraries, and libpq is one"
    if why:
        print(f"skipped: {why}")
        sys.exit(SKIPPED)


class Cluster:
    """`url(database)` is where a database of it is; `kill()` is kill -9 of the postmaster and all that it started."""

    def __init__(self, **settings):
        self.bin = programs()
        self.words, uid, gid = unprivileged()
        self.path = pathlib.Path(tempfile.mkdtemp(prefix="plumbline-pg-", dir="/tmp"))
        os.chown(self.path, uid, gid)
        os.chmod(self.path, 0o755)
        self.server = None
        self.settings = {"listen_addresses": "", "unix_socket_directories": str(self.path), "max_connections": "60",
                         "log_min_messages": "fatal", **settings}
        environment = {**os.environ, "LC_ALL": "C.UTF-8", "TZ": "UTC"}
        subprocess.run([*self.words, f"{self.bin}/initdb", "-D", str(self.path / "data"), "-U", "plumbline", "-A", "trust", "-E", "UTF8",
                        "--no-instructions"], check=True, capture_output=True, env=environment, cwd="/tmp")
        self.start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()
        shutil.rmtree(self.path, ignore_errors=True)

    def start(self):
        options = [word for key, value in self.settings.items() for word in ("-c", f"{key}={value}")]
        log = open(self.path / "log", "ab")
        self.server = subprocess.Popen([*self.words, f"{self.bin}/postgres", "-D", str(self.path / "data"), *options], stdout=log, stderr=log,
                                       cwd="/tmp", start_new_session=True)
        log.close()
        until = time.monotonic() + 60
        while self.ask("SELECT 1", check=False) != "1":
            if self.server.poll() is not None or time.monotonic() > until:
                raise AssertionError("PostgreSQL did not start: " + (self.path / "log").read_text()[-2000:])
            time.sleep(0.05)

    def stop(self):
        if self.server and self.server.poll() is None:
            self.server.send_signal(signal.SIGCONT)
            self.server.send_signal(signal.SIGQUIT)
            self.server.wait()

    def kill(self):
        """Of the postmaster and its children, which are processes of the session that was started for it."""
        os.killpg(self.server.pid, signal.SIGKILL)
        for pid in self.children():
            os.kill(pid, signal.SIGKILL)
        self.server.wait()

    def children(self):
        found = []
        for stat in glob.glob("/proc/[0-9]*/stat"):
            try:
                fields = pathlib.Path(stat).read_text().rsplit(")", 1)[1].split()
            except OSError:
                continue
            if int(fields[1]) == self.server.pid and fields[0] != "Z":
                found.append(int(stat.split("/")[2]))
        return found

    def freeze(self):
        """It accepts, and then says nothing."""
        for pid in [self.server.pid, *self.children()]:
            os.kill(pid, signal.SIGSTOP)

    def thaw(self):
        for pid in [*self.children(), self.server.pid]:
            os.kill(pid, signal.SIGCONT)

    def url(self, database="postgres"):
        return f"postgresql://plumbline@/{database}?host={urllib.parse.quote(str(self.path), safe='')}"

    def ask(self, sql, database="postgres", check=True):
        done = subprocess.run(["psql", "-X", "-A", "-t", "-q", "-v", "ON_ERROR_STOP=1", "-c", sql, self.url(database)], capture_output=True, text=True,
                              cwd="/tmp", env={**os.environ, "PGCONNECT_TIMEOUT": "5"})
        if check and done.returncode != 0:
            raise AssertionError(f"{sql}: {done.stderr}")
        return done.stdout.strip() if done.returncode == 0 else None

    def database(self, name):
        self.ask(f"CREATE DATABASE {name}")
        return self.url(name)

    def session(self, database="postgres"):
        return Session(self.url(database))

    def wait_for(self, sql, wanted, database="postgres"):
        """Until the server says so."""
        until = time.monotonic() + 60
        while self.ask(sql, database) != wanted:
            if time.monotonic() > until:
                raise AssertionError(f"{sql}: {self.ask(sql, database)}, wanted {wanted}")
            time.sleep(0.02)


class Session:
    """One connection that stays open, so that a test can hold a lock while it looks at what others do."""

    def __init__(self, url):
        self.process = subprocess.Popen(["psql", "-X", "-A", "-t", "-q", "-v", "ON_ERROR_STOP=1", url], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                                        cwd="/tmp")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        self.process.wait()
        self.process.stdout.close()

    def ask(self, sql):
        self.process.stdin.write(f"{sql};\n\\echo that was all\n")
        self.process.stdin.flush()
        lines = []
        for line in self.process.stdout:
            if line.rstrip("\n") == "that was all":
                return "\n".join(lines)
            lines.append(line.rstrip("\n"))
        raise AssertionError(f"{sql}: the session ended")
