#!/usr/bin/env python3
"""Secrets in what tools write reach no output: not inspect's, not a diff's nor any file of its bundle (but the exact copies of
the sources), no error, and no snapshot that was recorded with --redact. The numbers beside them stay."""
import json
import pathlib

from harness import Root, check, equal, finish

SECRET = "LEAKME-9f8e7d6c5b4a"
COPIES = ("current-snapshot", "baseline-snapshot")  # of a bundle: exact copies of what was compared


def hyperfine(command, **more):
    times = {"mean": 1.0, "stddev": 0.1, "median": 1.0, "user": 0.5, "system": 0.1, "min": 0.9, "max": 1.1}
    return {"results": [{"command": command, **times, "times": [1.0, 1.1, 0.9], "exit_codes": [0, 0, 0], **more}]}


COMMANDS = [
    f"curl -H 'Authorization: Bearer {SECRET}' http://x/",
    f"curl -H 'X-Api-Key: {SECRET}' http://x",
    f"curl http://u:{SECRET}@h",
    f"curl -u user:{SECRET} http://x",
    f"run --password 'a {SECRET}'",
    f"HF_TOKEN='a {SECRET}' ./run",
    f"HF_TOKEN={SECRET} ./run",
    f"run --token\t{SECRET}",
    f"run --api-key={SECRET}",
    f"curl 'https://b/o?X-Amz-Signature={SECRET}&X-Amz-Credential={SECRET}'",
    f"curl https://x/y?access_token={SECRET}&a=1",
    f"curl --cookie session={SECRET} http://x",
    f"git clone https://x:ghp_{SECRET}@github.com/a/b",
    f"sh -c 'export PASSWORD={SECRET}; run'",
    f"mysql -p{SECRET}",
]

JMH = [{
    "jmhVersion": "1.37", "benchmark": "a.B.c", "mode": "thrpt", "threads": 1, "forks": 1, "jvm": "java",
    "jvmArgs": [f"-Dtoken={SECRET}"], "jdkVersion": "17", "vmName": "x", "vmVersion": "17", "warmupIterations": 1,
    "warmupTime": "1 s", "warmupBatchSize": 1, "measurementIterations": 3, "measurementTime": "1 s",
    "measurementBatchSize": 1, "params": {"url": f"https://u:{SECRET}@h/", "apiToken": SECRET},
    "primaryMetric": {"score": 10, "scoreError": 1, "scoreConfidence": [9, 11], "scorePercentiles": {"0.0": 9},
                      "scoreUnit": "ops/s", "rawData": [[9, 10, 11]]}, "secondaryMetrics": {}}]

PYTEST = {
    "machine_info": {"node": "h", "processor": "x", "machine": "x86_64", "python_version": "3", "system": "Linux",
                     "release": "5", "cpu": {"brand": "X"}, "env": {"TOKEN": SECRET}},
    "commit_info": {"id": "abc", "dirty": False, "branch": "main"},
    "benchmarks": [{
        "group": None, "name": "t", "fullname": "t.py::t", "params": {"url": f"https://u:{SECRET}@h/"},
        "param": f"https://u:{SECRET}@h/", "extra_info": {"token": SECRET, "auth": f"Bearer {SECRET}"}, "options": {},
        "stats": {"min": 1, "max": 2, "mean": 1.5, "stddev": 0.1, "rounds": 5, "median": 1.5, "iqr": 0.1, "q1": 1.4,
                  "q3": 1.6, "iqr_outliers": 0, "stddev_outliers": 0, "outliers": "0;0", "ld15iqr": 1, "hd15iqr": 2,
                  "ops": 0.66, "total": 7, "iterations": 1}}],
    "datetime": "2026", "version": "3.2"}

DOTNET = {
    "Title": "x",
    "HostEnvironmentInfo": {"BenchmarkDotNetVersion": "1", "OsVersion": "L", "ProcessorName": "p", "RuntimeVersion": "8",
                            "Configuration": "RELEASE", "Env": SECRET},
    "Benchmarks": [{
        "DisplayInfo": f"A.B: DefaultJob(EnvironmentVariables=TOKEN={SECRET})", "Namespace": "n", "Type": "A", "Method": "B",
        "MethodTitle": "B", "Parameters": f"url=https://u:{SECRET}@h", "FullName": f'n.A.B(url: "https://u:{SECRET}@h")',
        "Statistics": {"OriginalValues": [1, 2, 3], "N": 3, "Min": 1, "Mean": 2, "Median": 2, "Max": 3,
                       "StandardError": 0.1, "StandardDeviation": 0.2}}]}

K6 = {
    "metrics": {
        "http_req_duration": {"avg": 1, "min": 1, "med": 1, "max": 2, "p(90)": 1, "p(95)": 2},
        f"http_req_duration{{url:https://u:{SECRET}@h/}}": {"avg": 1, "min": 1, "med": 1, "max": 2, "p(90)": 1, "p(95)": 2},
        "http_reqs": {"count": 1, "rate": 1}, "iterations": {"count": 1, "rate": 1}},
    "root_group": {"name": "", "path": "", "id": "d", "groups": {}, "checks": {}}}

FIO = {
    "fio version": "fio-3.28", "timestamp": 1,
    "global options": {"ioengine": "http", "http_s3_key": SECRET, "http_s3_secret_key": SECRET, "bs": "4k", "rw": "read"},
    "jobs": [{"jobname": "j", "groupid": 0, "error": 0, "job options": {"filename": f"http://u:{SECRET}@h/x"},
              "read": {"io_bytes": 4096, "bw_bytes": 1000, "bw": 1, "iops": 10.0, "runtime": 1000, "total_ios": 10,
                       "lat_ns": {"min": 1, "max": 2, "mean": 1.5, "stddev": 0.1}},
              "write": {"io_bytes": 0, "total_ios": 0}, "usr_cpu": 1, "sys_cpu": 1}]}

GENERIC = {
    "throughput": 100, "command": f"./run --api-key {SECRET}", "cmdline": ["run", "--token", SECRET],
    "argv": ["run", "--port", "8000", "--token", SECRET], "url": f"https://u:{SECRET}@h/?token={SECRET}",
    "headers": {"Authorization": f"Bearer {SECRET}", "x-api-key": SECRET, "Cookie": SECRET},
    "env": {"A": SECRET}, "environment": {"B": SECRET}, "environ": {"B": SECRET}, "env_vars": {"HF": SECRET},
    "environment_variables": {"HF": SECRET}, "pat": SECRET, "auth": SECRET, "bearer": SECRET,
    "dsn": f"postgres://u:{SECRET}@h", "webhook": SECRET, "private_key": SECRET, "privateKey": SECRET, "ssh_key": SECRET,
    "connection_string": f"Password={SECRET};", "args": f"--password={SECRET}", "config": {"model": f"https://u:{SECRET}@h/"},
    "context": {"model": f"https://u:{SECRET}@h/", "hf_token": SECRET}}

FILES = {
    "jmh.json": JMH,
    "pytest.json": PYTEST,
    "dotnet.json": DOTNET,
    "k6.json": K6,
    "fio.json": FIO,
    "generic.json": GENERIC,
    "below.json": {"secrets": {"a": SECRET, "b": {"c": SECRET}}, "credentials": [SECRET, SECRET], "tokens": [SECRET],
                   "api_keys": {"x": SECRET}, "x_ms": 1},
    "records.json": [{"op": "a", "auth_header": f"Bearer {SECRET}1", "url": f"https://u:{SECRET}@h/1", "x_ms": 1},
                     {"op": "a", "auth_header": f"Bearer {SECRET}2", "url": f"https://u:{SECRET}@h/2", "x_ms": 2}],
    "bmf.json": {f"https://u:{SECRET}@h": {"latency": {"value": 1, "lower_value": 1, "upper_value": 1}}},
    "action.json": [{"name": f"t https://u:{SECRET}@h", "unit": "ms", "value": 1, "extra": f"token={SECRET}", "range": "± 1"}],
    "hyperfine_parameters.json": hyperfine("x", parameters={"url": f"https://u:{SECRET}@h/", "token": SECRET}),
    "google.json": {
        "context": {"date": "2026-01-01", "host_name": "h", "executable": f"./b --token={SECRET}", "num_cpus": 4,
                    "mhz_per_cpu": 2700, "cpu_scaling_enabled": False, "library_build_type": "release", "api_token": SECRET,
                    "caches": []},
        "benchmarks": [{"name": "a", "run_name": "a", "run_type": "iteration", "iterations": 10, "real_time": 1.0,
                        "cpu_time": 1.0, "time_unit": "ns", "label": f"token={SECRET}", "threads": 1}]},
    "names.csv": f"name,value\nHF_TOKEN,{SECRET}\napi_key,{SECRET}\nlatency_ms,10\nurl,https://u:{SECRET}@h\n",
    "columns.csv": f"op,url,command,x_ms\na,https://u:{SECRET}@h,run --token {SECRET},1\n"
                   f"b,https://u:{SECRET}@h2,run --token {SECRET},2\n",
    "table.md": f"| op | token | url | x ms |\n|---|---|---|---|\n| a | {SECRET} | https://u:{SECRET}@h | 1 |\n"
                f"| b | {SECRET}2 | https://u:{SECRET}@h/2 | 2 |\n",
    "prom.txt": f'# HELP x y\n# TYPE x_seconds gauge\nx_seconds{{token="{SECRET}",url="https://u:{SECRET}@h/?access_token={SECRET}"}}'
                f' 1.5\n# TYPE h gauge\nh{{api_key="{SECRET}"}} 5\n# TYPE process_cmd gauge\n'
                f'process_cmd{{cmdline="run --token {SECRET}"}} 1\n',
    "lines.txt": f"Command line: ./run --api-key {SECRET}\nHF_TOKEN={SECRET}\nurl: https://u:{SECRET}@h/\n"
                 f"authorization: Bearer {SECRET}\nDATABASE_URL=postgres://u:{SECRET}@h/db\nproxy=http://u:{SECRET}@h:3128\n"
                 f"model: https://u:{SECRET}@h/\nthroughput = 100 tok/s\nlatency = 10 ms\np99 = 12 ms\ntime = 1 s\n",
    "env.txt": f"LC_ALL=C\nSHLVL=1\nMY_KEY={SECRET}\nGITHUB_PAT={SECRET}\nSLACK_WEBHOOK=https://hooks/{SECRET}\n"
               "throughput=100\nCOLUMNS=80\nLINES=24\n",
    "go.txt": f"goos: linux\ngoarch: amd64\npkg: x\ncpu: X\nhf_token: {SECRET}\ncommand: run --token {SECRET}\n"
              "BenchmarkX-8  100  12.3 ns/op\n",
    "wrk.txt": f"Running 30s test @ http://u:{SECRET}@h/x?token={SECRET}\n  2 threads and 10 connections\n"
               "  Thread Stats   Avg      Stdev     Max   +/- Stdev\n    Latency   635.91us    0.89ms  12.92ms   93.69%\n"
               "    Req/Sec    56.20k     8.07k   62.00k    86.54%\n  22464657 requests in 30.00s, 17.76GB read\n"
               "Requests/sec: 748868.53\nTransfer/sec:    606.33MB\n",
    "sysbench.txt": "sysbench 1.0.20 (using bundled LuaJIT 2.1.0-beta2)\n\nRunning the test with following options:\n"
                    "Number of threads: 4\n\nSQL statistics:\n    queries performed:\n        read:  1000\n"
                    "    transactions:  100    (10.00 per sec.)\n    queries:  2000   (200.00 per sec.)\n\nGeneral statistics:\n"
                    "    total time:  10.0003s\n    total number of events:  100\n\n"
                    f"FATAL: error: mysql://u:{SECRET}@h\nLatency (ms):\n         min:  1.16\n         avg:  2.99\n",
}
for number, command in enumerate(COMMANDS):
    FILES[f"hyperfine_{number}.json"] = hyperfine(command)


def silent(text, what):
    at = text.find("LEAKME")
    check(at < 0, f"{what}: {text[max(0, at - 80):at + 30]!r}")


with Root() as root:
    for name, content in FILES.items():
        path = root.write(name, content if isinstance(content, str) else json.dumps(content, indent=1, ensure_ascii=False))
        for form in ("--json", None):
            seen = root.run("inspect", path, *([form] if form else []))
            silent(seen.stdout + seen.stderr, f"inspect {name} {form or ''}")
            if name != "prom.txt":
                equal(seen.returncode, 0, f"inspect {name}: {seen.stderr}")
        for form in ("--json", None):
            seen = root.run("diff", path, path, *([form] if form else []))
            silent(seen.stdout + seen.stderr, f"diff {name} {form or ''}")
    bundles = [one for one in root.path.rglob("*") if one.is_file() and "perf-baseline-diffs" in str(one)]
    check(len(bundles) > 100, f"{len(bundles)} files of bundles")
    for one in bundles:
        if not one.name.startswith(COPIES):
            silent(one.read_text(errors="replace"), f"{one.name} of {one.parent.parent.name}")

    # What is left out is said, by the name of the place it had.
    said = {w["code"]: w["message"] for w in root.json("inspect", root.path / "names.csv")["warnings"]}
    equal(said.get("secret_in_source"),
          "3 texts hold what looks like a secret, shown as [redacted]; the source itself still holds them (record --redact "
          "removes what is in JSON), the first is \"HF_TOKEN\"", "the warning")

    # Both sides lose the same: rows meet, whatever the secret was.
    before = root.write("before.json", hyperfine(f"run --token {SECRET} --n 5"))
    after = root.write("after.json", hyperfine("run --token other-1a2b3c4d5e6f --n 5"))
    result = root.json("diff", before, after)
    equal((result["counts"]["missing"], result["counts"]["added"]), (0, 0), "rows under two secrets meet")

    # Two points that only a secret told apart: invalid, and said.
    two = hyperfine("a")
    two["results"] = hyperfine(f"run --token {SECRET}")["results"] + hyperfine("run --token other-1a2b3c4d5e6f")["results"]
    seen = root.json("inspect", root.write("two.json", two))
    check("duplicate_key" in [w["code"] for w in seen["warnings"]], f"duplicates are said: {seen['warnings']}")
    equal({row["state"] for row in seen["rows"]}, {"duplicate"}, "states of points that only a secret told apart")

    # Errors quote files too.
    seen = root.run("inspect", root.write("error.txt", f"https://u:{SECRET}@h is not a measurement\n"))
    check(seen.returncode != 0, "no measurement")
    silent(seen.stdout + seen.stderr, "the error")

    # --redact: the snapshot itself.
    for name in ("generic.json", "below.json", "records.json", "bmf.json", "jmh.json", "pytest.json", "fio.json",
                 *(f"hyperfine_{number}.json" for number in range(len(COMMANDS)))):
        recorded = root.record(root.path / name, "--redact", family="redacted", measurement=name.replace(".", "-"))
        for one in pathlib.Path(recorded["entry_dir"]).rglob("*"):
            if one.is_file():
                silent(one.read_text(errors="replace"), f"{one.name} of {name}, redacted")

    # Measurements of tokens and keys are measurements.
    plain = {"tokens_per_second": 10.5, "total_tokens": 512, "num_tokens": 8, "max_tokens": 4096, "token_throughput": 99.5,
             "key_value": 3, "time_per_output_token_ms": 7, "password_length": 12, "auth_latency_ms": 1.5,
             "tokens": "5", "prompt": {"tokens": 12}, "model": "meta-llama-3.1-70b-instruct"}
    seen = root.json("inspect", root.write("plain.json", plain))
    values = {row["key"]: row["values"] for row in seen["rows"]}
    for key, value in plain.items():
        if isinstance(value, (int, float)):
            equal(values[key], [value], key)
    equal((values["tokens"], values["prompt.tokens"]), ([5], [12]), "counts of tokens")
    check("secret_in_source" not in [w["code"] for w in seen["warnings"]], "nothing is left out of plain numbers")
    seen = root.json("inspect", root.write("points.json", [{"token": i, "isl": 128, "latency_ms": i} for i in range(3)]))
    check("redacted" not in json.dumps(seen["rows"]), "the number of a token is no secret")
    seen = root.json("inspect", root.write("points.prom", '# TYPE x gauge\nx{password_length="8",token="3"} 1\n'))
    check("redacted" not in json.dumps(seen["rows"]), f"numbers in labels are no secrets: {seen['rows']}")

finish()
