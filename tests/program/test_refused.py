#!/usr/bin/env python3
"""What is not understood is refused, and never GREEN: output of tools without a reader, and reports of which only the settings are
lines of a name and a value."""
from harness import Root, check, codes, equal, finish

REPORT = """Iozone: Performance Test of File I/O
Version             : 3.506
Mode                : 64 bit
Record Size         : 1024
File size           : 65536
Threads             : 8
Cache line          : 64

              kB  reclen    write  rewrite    read    reread
           65536    1024  1500250  1510250  {}  2367210
"""

with Root() as root:
    before = root.write("before.txt", REPORT.format("2367.21"))
    after = root.write("after.txt", REPORT.format("1100.21"))
    for verb in (["diff", before, after, "--no-bundle"], ["inspect", after]):
        seen = root.run(*verb)
        check(seen.returncode not in (0, 1), f"{verb[0]} of a tool without a reader: exit {seen.returncode}")
        check("this is what iozone prints" in seen.stderr, f"{verb[0]} names the tool: {seen.stderr}")
        check("after.txt" in seen.stderr and "--format key-value" in seen.stderr, f"{verb[0]} names file and way out: {seen.stderr}")
    insisted = root.diff(before, after, "--no-bundle", "--format", "key-value")
    equal((insisted["verdict"], insisted["counts"]["regressed"]), ("GREEN", 0), "the settings, where somebody insists")

with Root() as root:
    seen = root.run("inspect", root.write("some.txt", "latency: 5 ms\nwarming up\ncopy 3.5 GB/s\nbandwidth: 7 GB/s\nthreads: 4\nruns: 2\n"))
    check("1 line holds numbers that were not understood: line 3 \"copy 3.5 GB/s\"" in seen.stdout + seen.stderr,
          f"inspect tells what was left: {seen.stdout}{seen.stderr}")

# What is not refused is read for what it is.
with Root() as root:
    def verdict(before, after, suffix=".json"):
        return root.diff(root.write("b" + suffix, before), root.write("c" + suffix, after), "--no-bundle")

    equal(verdict({"train_samples_per_second": 98.1}, {"train_samples_per_second": 49})["verdict"], "RED", "half as many samples")
    equal(verdict({"response_time": {"ok": 100}}, {"response_time": {"ok": 300}})["verdict"], "RED", "three times the time")
    locust = "Name,Median Response Time,50%,99%\n/a,10,10,{}\n/b,20,20,{}\n"
    equal(verdict(locust.format(30, 40), locust.format(60, 80), ".csv")["verdict"], "RED", "percentiles of a time, doubled")
    table = "test,G,bw_GBps\nall_reduce,4,{}\nall_reduce,8,{}\n"
    halved = verdict(table.format(313, 400), table.format(150, 200), ".csv")
    equal((halved["verdict"], halved["counts"]["regressed"]), ("RED", 2), "two rows told apart by a parameter column")
    run = {"backend": "sglang", "max_concurrency": 8, "completed": 100, "request_throughput": 8.0, "output_throughput": 512.0,
           "total_throughput": 2560.0}
    smaller = verdict(run, {**run, "completed": 50})
    equal((smaller["verdict"], codes(smaller)), ("YELLOW", ["context_differs"]), "half as many requests, all answered")
    stressors = """metrics:
    - stressor: cpu
      bogo-ops-per-second-real-time: {}
    - stressor: vm
      bogo-ops-per-second-real-time: 9458.4
"""
    slower = verdict(stressors.format("245.7"), stressors.format("122.8"), ".yaml")
    equal((slower["counts"]["regressed"], slower["counts"]["unchanged"]), (1, 1), "one stressor of two, of half the speed")

finish()
