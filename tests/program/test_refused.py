#!/usr/bin/env python3
"""What is not understood is refused, and never GREEN: output of tools without a reader, and reports of which only the settings are
lines of a name and a value."""
from harness import Root, check, equal, finish

IOR = """IOR-4.0.0: MPI Coordinated Test of Parallel I/O
TestID              : 0
api                 : POSIX
type                : independent
nodes               : 2
tasks               : 8
xfersize            : 1 MiB

Results:
access    bw(MiB/s)  IOPS       Latency(s)  block(KiB) xfer(KiB)
write     1500.25    1500.25    0.005       65536      1024.00
read      {}    2367.21    0.003       65536      1024.00
"""

with Root() as root:
    before = root.write("before.txt", IOR.format("2367.21"))
    after = root.write("after.txt", IOR.format("1100.21"))
    for verb in (["diff", before, after, "--no-bundle"], ["inspect", after]):
        seen = root.run(*verb)
        check(seen.returncode not in (0, 1), f"{verb[0]} of a tool without a reader: exit {seen.returncode}")
        check("this is what IOR prints" in seen.stderr, f"{verb[0]} names the tool: {seen.stderr}")
        check("after.txt" in seen.stderr and "--format key-value" in seen.stderr, f"{verb[0]} names file and way out: {seen.stderr}")
    insisted = root.diff(before, after, "--no-bundle", "--format", "key-value")
    equal((insisted["verdict"], insisted["counts"]["regressed"]), ("GREEN", 0), "the settings, where somebody insists")

with Root() as root:
    seen = root.run("inspect", root.write("some.txt", "latency: 5 ms\nwarming up\ncopy 3.5 GB/s\nbandwidth: 7 GB/s\nthreads: 4\nruns: 2\n"))
    check("1 line holds numbers that were not understood: line 3 \"copy 3.5 GB/s\"" in seen.stdout + seen.stderr,
          f"inspect tells what was left: {seen.stdout}{seen.stderr}")

finish()
