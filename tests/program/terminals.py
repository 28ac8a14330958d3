"""A terminal for program tests: a pseudo-terminal of so many columns, and how wide a text is on it."""
import fcntl
import os
import pty
import re
import struct
import subprocess
import termios
import unicodedata

COLOUR = re.compile(r"\x1b\[[0-9;]*m")


def run_on_terminal(words, columns, env=None, cwd=None, stdin=subprocess.DEVNULL, only_stderr=False):
    """(exit status, what the terminal was sent). `only_stderr`: standard output is a file that nobody looks at."""
    reader, writer = pty.openpty()
    fcntl.ioctl(writer, termios.TIOCSWINSZ, struct.pack("HHHH", 50, columns, 0, 0))
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("PLUMBLINE", "PROFILE_AND_OPTIMIZE", "COLUMNS", "NO_COLOR", "CLICOLOR"))}
    environment.update({"TERM": "xterm-256color", "LC_ALL": "C.UTF-8", **(env or {})})
    process = subprocess.Popen([str(word) for word in words], stdin=stdin, stderr=writer, env=environment, cwd=cwd,
                               stdout=subprocess.DEVNULL if only_stderr else writer)
    os.close(writer)
    seen = b""
    while True:
        try:
            piece = os.read(reader, 65536)
        except OSError:  # the last writer has closed it
            break
        if not piece:
            break
        seen += piece
    os.close(reader)
    return process.wait(), seen.decode("utf-8").replace("\r\n", "\n")


def columns_of(text):
    """Columns that a terminal gives a line, colours apart."""
    return sum(0 if unicodedata.combining(c) or unicodedata.category(c) in ("Mn", "Me", "Cf") else
               2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in COLOUR.sub("", text))
