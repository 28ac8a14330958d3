#!/usr/bin/env python3
"""record --redact is safe by construction. A plain word and a token are planted into every table, column, row, key, text, label
and string of a capture of each form, and into tables, columns and keys that nobody knows; then either nothing is recorded, or no
byte of the entry, of what is printed and of what a diff with the entry prints or writes holds the token anywhere, or the word
anywhere but in the names of kernels, calls, ranges and functions, where it may stay. What is read of the copy is what is read of
the original."""
import gzip
import json
import pathlib
import shutil
import sqlite3
import sys

from harness import Root, check, equal, finish
from redaction import FORMS, PLANT, TOKEN, WORD, holds, record, same_profile

# Fixtures: small captures of each form, whole enough for every table that a reader looks at.

def nsys(path, names=None):
    names = names or {}
    db = sqlite3.connect(path)
    strings = {1: "gemm_kernel", 2: "ncclDevKernel_AllReduce_Sum_f32_RING_LL", 3: "cudaLaunchKernel_v7000", 4: "forward",
               5: "PATH=/usr/bin:/home/someone", 6: "train.py", 7: "worker-3", 8: "output of the program",
               9: "cudaMemcpyAsync_v3020", 10: "SSH_CONNECTION=10.0.0.1 22 10.0.0.2 22", **names}
    db.executescript("""
      CREATE TABLE StringIds (id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL);
      CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER, end INTEGER, deviceId INTEGER, contextId INTEGER, streamId INTEGER,
        correlationId INTEGER, globalPid INTEGER, demangledName INTEGER, shortName INTEGER, gridX INTEGER, gridY INTEGER,
        gridZ INTEGER, blockX INTEGER, blockY INTEGER, blockZ INTEGER, tensorSizeMinusOneElements TEXT);
      CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start INTEGER, end INTEGER, deviceId INTEGER, contextId INTEGER, streamId INTEGER,
        correlationId INTEGER, globalPid INTEGER, bytes INTEGER, copyKind INTEGER, srcKind INTEGER, dstKind INTEGER);
      CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INTEGER, end INTEGER, eventClass INTEGER, globalTid INTEGER,
        correlationId INTEGER, nameId INTEGER, returnValue INTEGER, callchainId INTEGER);
      CREATE TABLE NVTX_EVENTS (start INTEGER, end INTEGER, eventType INTEGER, text TEXT, globalTid INTEGER, textId INTEGER,
        domainId INTEGER, jsonTextId INTEGER, jsonText TEXT, binaryData TEXT);
      CREATE TABLE NVTX_PAYLOAD_SCHEMAS (domainId INTEGER, schemaId INTEGER, name TEXT, type INTEGER);
      CREATE TABLE NVTX_PAYLOAD_SCHEMA_ENTRIES (domainId INTEGER, schemaId INTEGER, idx INTEGER, type INTEGER, name TEXT,
        description TEXT, offset INTEGER);
      CREATE TABLE TARGET_INFO_GPU (id INTEGER, name TEXT, busLocation TEXT, clockRate INTEGER, smCount INTEGER, totalMemory INTEGER,
        uuid TEXT, chipName TEXT, computeMajor INTEGER, computeMinor INTEGER);
      CREATE TABLE TARGET_INFO_SYSTEM_ENV (globalVid INTEGER, devStateName TEXT, name TEXT, nameEnum INTEGER, value TEXT);
      CREATE TABLE META_DATA_CAPTURE (name TEXT, value TEXT, id INTEGER);
      CREATE TABLE META_DATA_EXPORT (name TEXT, value TEXT);
      CREATE TABLE DIAGNOSTIC_EVENT (timestamp INTEGER, severity INTEGER, text TEXT);
      CREATE TABLE ThreadNames (nameId INTEGER, priority INTEGER, globalTid INTEGER);
      CREATE TABLE PROCESSES (globalPid INTEGER, pid INTEGER, name TEXT);
      CREATE TABLE ProcessStreams (globalPid INTEGER, filenameId INTEGER, contentId INTEGER);
      CREATE TABLE ANALYSIS_FILE (id INTEGER PRIMARY KEY, filename TEXT, contentId INTEGER, globalPid INTEGER);
      CREATE TABLE ENUM_CUDA_MEMCPY_OPER (id INTEGER PRIMARY KEY, name TEXT, label TEXT);
      CREATE INDEX by_name ON StringIds (value);
      CREATE VIEW kernels AS SELECT * FROM CUPTI_ACTIVITY_KIND_KERNEL;
    """)
    db.executemany("INSERT INTO StringIds VALUES (?,?)", strings.items())
    pid, tid = 1 << 24, (1 << 24) + 1
    for i in range(12):
        at = 10_000 * i
        db.execute("INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (?,?,0,?,?,3,0,NULL)", (at + 100, at + 200, tid, i + 1))
        db.execute("INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (?,?,0,1,7,?,?,?,?,4,1,1,128,1,1,'[]')",
                   (at + 1000, at + 4000 + i, i + 1, pid, 1 if i % 2 else 2, 1 if i % 2 else 2))
        db.execute("INSERT INTO NVTX_EVENTS VALUES (?,?,59,NULL,?,4,0,NULL,NULL,NULL)", (at, at + 9000, tid))
        db.execute("INSERT INTO NVTX_EVENTS VALUES (?,?,59,'train_step',?,NULL,0,NULL,NULL,NULL)", (at + 10, at + 8000, tid))
    db.execute("INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (125000,125100,0,?,90,9,0,NULL)", (tid,))
    db.execute("INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES (126000,127000,0,1,7,90,?,4096,1,0,2)", (pid,))
    header = lambda schema, size: b"".join(n.to_bytes(8, "little") for n in (1, schema, size, 32 + size))
    payload = header(100, 16) + (0xABC).to_bytes(8, "little") + (65536).to_bytes(8, "little")
    ranks = header(200, 12) + (0xABC).to_bytes(8, "little") + (8).to_bytes(4, "little")
    db.execute("INSERT INTO NVTX_EVENTS VALUES (0,NULL,75,'NCCL',?,NULL,1,NULL,NULL,NULL)", (tid,))
    db.execute("INSERT INTO NVTX_EVENTS VALUES (1,2,59,'ncclCommInitRank',?,NULL,1,NULL,NULL,?)", (tid, ranks))
    db.execute("INSERT INTO NVTX_EVENTS VALUES (90,300,59,'ncclAllReduce',?,NULL,1,NULL,NULL,?)", (tid, payload))
    db.execute("INSERT INTO NVTX_EVENTS VALUES (5,NULL,34,'a message',?,NULL,0,NULL,'{\"m\": 1}',NULL)", (tid,))
    db.executemany("INSERT INTO NVTX_PAYLOAD_SCHEMA_ENTRIES VALUES (1,?,?,?,?,'text',?)",
                   [(100, 0, 18, "NCCL communicator ID", 0), (100, 1, 22, "Message size [bytes]", 8),
                    (200, 0, 18, "NCCL communicator ID", 0), (200, 1, 5, "No. of ranks", 8)])
    db.execute("INSERT INTO NVTX_PAYLOAD_SCHEMAS VALUES (1,100,'x',1)")
    db.execute("INSERT INTO TARGET_INFO_GPU VALUES (0,'NVIDIA H100 80GB HBM3','0000:01:00.0',1980000000,132,85899345920,'u','GH100',9,0)")
    db.executemany("INSERT INTO TARGET_INFO_SYSTEM_ENV VALUES (0,'Local (CLI)',?,0,?)",
                   [("NvDriverVersion", "550.54.15"), ("CudaDriverVersion", "12040"), ("OsDescription", "Ubuntu 22.04.4 LTS"),
                    ("CpuDescription", "Intel(R) Xeon(R) CPU @ 2.00GHz"), ("DeviceEnvironment", "A=1;B=2"), ("Hostname", "box")])
    db.executemany("INSERT INTO META_DATA_CAPTURE VALUES (?,?,0)",
                   [("PROCESS_0:ENVIRONMENT_VARIABLE", "HOME=/root"), ("PROCESS_0:COMMAND", "python3"),
                    ("PROCESS_0:ARGUMENT_0", "train.py"), ("PROCESS_0:WORKING_DIR", "/home/someone"),
                    ("PROCESS_0:CUDA_GRAPH_TRACE_OPTIONS:MODE", "Node")])
    db.executemany("INSERT INTO META_DATA_EXPORT VALUES (?,?)",
                   [("EXPORT_PRODUCT_VERSION", "2025.3.1.90"), ("EXPORT_SCHEMA_VERSION", "3.20.2"), ("EXPORT_HOST", "box")])
    db.executemany("INSERT INTO DIAGNOSTIC_EVENT VALUES (0,1,?)", [("Not all CUDA events might have been collected.",), ("see /tmp/x",)])
    db.execute("INSERT INTO ThreadNames VALUES (7,0,?)", (tid,))
    db.execute("INSERT INTO PROCESSES VALUES (?,1,'python3')", (pid,))
    db.execute("INSERT INTO ProcessStreams VALUES (?,6,8)", (pid,))
    db.execute("INSERT INTO ANALYSIS_FILE VALUES (1,'/tmp/stdout',8,?)", (pid,))
    db.execute("INSERT INTO ENUM_CUDA_MEMCPY_OPER VALUES (1,'HtoD','Host-to-Device')")
    db.commit()
    db.close()


def rocpd(path):
    db = sqlite3.connect(path)
    u = "_0000a1b2_c3d4"
    db.executescript(f"""
      CREATE TABLE rocpd_metadata{u} (id INTEGER PRIMARY KEY, tag TEXT, value TEXT);
      CREATE TABLE rocpd_string{u} (id INTEGER PRIMARY KEY, guid TEXT DEFAULT 'g', string TEXT UNIQUE);
      CREATE TABLE rocpd_info_node{u} (id INTEGER PRIMARY KEY, machine_id TEXT, hostname TEXT, release TEXT);
      CREATE TABLE rocpd_info_process{u} (id INTEGER PRIMARY KEY, nid INTEGER, pid INTEGER, command TEXT, environment JSONB, extdata JSONB);
      CREATE TABLE rocpd_info_thread{u} (id INTEGER PRIMARY KEY, pid INTEGER, tid INTEGER, name TEXT);
      CREATE TABLE rocpd_info_agent{u} (id INTEGER PRIMARY KEY, type TEXT, type_index INTEGER, name TEXT, product_name TEXT, model_name TEXT, extdata JSONB);
      CREATE TABLE rocpd_info_kernel_symbol{u} (id INTEGER PRIMARY KEY, kernel_name TEXT, display_name TEXT);
      CREATE TABLE rocpd_event{u} (id INTEGER PRIMARY KEY, category_id INTEGER, stack_id INTEGER, correlation_id INTEGER, call_stack JSONB, line_info JSONB, extdata JSONB);
      CREATE TABLE rocpd_arg{u} (id INTEGER PRIMARY KEY, event_id INTEGER, type TEXT, name TEXT, value TEXT);
      CREATE TABLE rocpd_region{u} (id INTEGER PRIMARY KEY, pid INTEGER, tid INTEGER, start BIGINT, "end" BIGINT, name_id INTEGER, event_id INTEGER);
      CREATE TABLE rocpd_kernel_dispatch{u} (id INTEGER PRIMARY KEY, pid INTEGER, tid INTEGER, agent_id INTEGER, kernel_id INTEGER, queue_id INTEGER,
        stream_id INTEGER, start BIGINT, "end" BIGINT, workgroup_size_x INTEGER, workgroup_size_y INTEGER, workgroup_size_z INTEGER,
        grid_size_x INTEGER, grid_size_y INTEGER, grid_size_z INTEGER, event_id INTEGER, extdata JSONB);
      CREATE TABLE rocpd_memory_copy{u} (id INTEGER PRIMARY KEY, pid INTEGER, start BIGINT, "end" BIGINT, name_id INTEGER, src_agent_id INTEGER,
        dst_agent_id INTEGER, size INTEGER, stream_id INTEGER, event_id INTEGER);
      INSERT INTO rocpd_metadata{u} VALUES (1,'schema_version','3'),(2,'uuid','x');
      INSERT INTO rocpd_string{u} (id, string) VALUES (1,'HIP_RUNTIME_API_EXT'),(2,'MARKER_CORE_RANGE_API'),(3,'HSA_CORE_API'),
        (4,'hipLaunchKernel'),(5,'hipMemcpyAsync'),(6,'roctxThreadRangeA'),(7,'hsa_queue_create'),(8,'MEMORY_COPY_HOST_TO_DEVICE'),(9,'KERNEL_DISPATCH');
      INSERT INTO rocpd_info_node{u} VALUES (1,'m','box','6.8.0-40-generic');
      INSERT INTO rocpd_info_process{u} VALUES (1,1,4242,'python3 train.py','{{"TOKEN":"x"}}','{{}}');
      INSERT INTO rocpd_info_thread{u} VALUES (1,1,4243,'main');
      INSERT INTO rocpd_info_agent{u} VALUES (1,'CPU',0,'EPYC','','','{{}}'),(2,'GPU',0,'gfx942','AMD Instinct MI300X','','{{}}');
      INSERT INTO rocpd_info_kernel_symbol{u} VALUES (11,'gemm.kd','gemm(float*)'),(12,'copy_kernel.kd',NULL);
      INSERT INTO rocpd_event{u} VALUES (1,1,501,0,'{{}}','{{}}','{{}}'),(2,9,501,0,'{{}}','{{}}','{{}}'),(3,1,502,0,'{{}}','{{}}','{{}}'),
        (4,2,503,0,'{{}}','{{}}','{{"message":"forward \\"1\\""}}'),(5,3,504,0,'{{}}','{{}}','{{}}');
      INSERT INTO rocpd_arg{u} VALUES (1,1,'char*','path','/home/someone');
      INSERT INTO rocpd_region{u} VALUES (1,1,1,100,110,4,1),(2,1,1,120,130,5,3),(3,1,1,90,400,6,4),(4,1,1,101,102,7,5);
      INSERT INTO rocpd_kernel_dispatch{u} VALUES (1,1,1,2,11,1,7,150,250,256,1,1,1000,2,1,2,'{{}}'),(2,1,1,2,12,1,7,260,290,64,1,1,64,1,1,NULL,'{{}}');
      INSERT INTO rocpd_memory_copy{u} VALUES (1,1,131,139,8,1,2,4096,7,3);
      CREATE VIEW rocpd_string AS SELECT * FROM rocpd_string{u};
    """)
    db.commit()
    db.close()


def kineto():
    events = [{"ph": "M", "name": "process_name", "pid": 0, "tid": 0, "ts": 1, "args": {"name": "python3", "labels": "GPU 0"}}]
    for i in range(8):
        at = 1000 * i + 10
        events += [
            {"ph": "X", "cat": "user_annotation", "name": f"ProfilerStep#{i}", "pid": 9, "tid": 9, "ts": at, "dur": 900, "args": {"External id": i}},
            {"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 9, "tid": 9, "ts": at + 5, "dur": 100,
             "args": {"Input Dims": [[1, 2], []], "Input type": ["float"], "Call stack": "a.py(1): f", "Module Hierarchy": "m"}},
            {"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 9, "tid": 9, "ts": at + 10, "dur": 2, "args": {"correlation": i + 1, "cbid": 211}},
            {"ph": "s", "id": i, "cat": "ac2g", "name": "ac2g", "pid": 9, "tid": 9, "ts": at + 10},
            {"ph": "X", "cat": "kernel", "name": "ncclDevKernel_AllReduce_Sum_f32_RING_LL(x)" if i % 2 else "gemm<a>", "pid": 0, "tid": 7,
             "ts": at + 50.5, "dur": 200.25 + i, "args": {"device": 0, "context": 1, "stream": 7, "correlation": i + 1, "grid": [4, 1, 1],
              "block": [128, 1, 1], "Collective name": "allreduce", "dtype": "Float", "In msg nelems": 1024, "Out msg nelems": 1024,
              "Group size": 8, "Process Group Name": "default_pg", "Process Group Description": "d", "Seq": i} if i % 2 else
              {"device": 0, "context": 1, "stream": 7, "correlation": i + 1, "grid": [4, 1, 1], "block": [128, 1, 1]}}]
    events.append({"ph": "X", "cat": "Trace", "name": "PyTorch Profiler (0)", "pid": "Spans", "tid": "PyTorch Profiler", "ts": 1, "dur": 9000, "args": {"Op count": 0}})
    return {"schemaVersion": 1, "deviceProperties": [{"id": 0, "name": "NVIDIA H100 80GB HBM3", "numSms": 132}],
            "distributedInfo": {"backend": "nccl", "rank": 0, "world_size": 8, "nccl_version": "2.20.5", "pg_config": [{"pg_name": "0"}]},
            "cuda_runtime_version": 12040, "record_shapes": 1, "traceName": "/home/someone/x.json", "trace_id": "AB12",
            "metadata": {"system": {"env": {"HOME": "/root"}, "host": "box"}}, "displayTimeUnit": "ms", "traceEvents": events}


def rocprof():
    times = lambda a, b: {"start_timestamp": a, "end_timestamp": b}
    return {"rocprofiler-sdk-tool": [{
        "metadata": {"pid": 1, "environment": {"TOKEN": "x"}, "command": ["python3", "train.py"], "node": {"hostname": "box"}},
        "agents": [{"id": {"handle": 12}, "type": 2, "name": "gfx942", "product_name": "AMD Instinct MI300X", "vendor_name": "AMD"}],
        "kernel_symbols": [{"kernel_id": 5, "kernel_name": "add.kd", "formatted_kernel_name": "add(float*)"}],
        "strings": {"buffer_records": [{"kind": "NONE", "operations": []}, {"kind": "HIP_API", "operations": ["hipInit", "hipLaunchKernel"]},
                                       {"kind": "MARKER", "operations": ["roctxRangePushA"]}],
                    "marker_api": [{"key": 9, "value": "forward"}]},
        "buffer_records": {
            "kernel_dispatch": [{"correlation_id": {"internal": 3}, **times(1000, 1500), "dispatch_info":
                                 {"agent_id": {"handle": 12}, "queue_id": {"handle": 2}, "kernel_id": 5,
                                  "workgroup_size": {"x": 64, "y": 1, "z": 1}, "grid_size": {"x": 64, "y": 1, "z": 1}}}],
            "hip_api": [{"kind": 1, "operation": 1, "thread_id": 7, "correlation_id": {"internal": 3}, **times(900, 950)}],
            "marker_api": [{"kind": 2, "operation": 0, "thread_id": 7, "correlation_id": {"internal": 9}, **times(800, 4000)}]}}]}


def stats():
    return [{"Time (%)": 75.0, "Total Time (ns)": 300, "Instances": 3, "Avg (ns)": 100.0, "Med (ns)": 100.0, "Min (ns)": 90, "Max (ns)": 110,
             "StdDev (ns)": 10.0, "Name": "gemm(float*)"},
            {"Time (%)": 25.0, "Total Time (ns)": 100, "Instances": 1, "Avg (ns)": 100.0, "Med (ns)": 100.0, "Min (ns)": 100, "Max (ns)": 100,
             "StdDev (ns)": 0.0, "Name": "add(float*)"}]


def varint(value):
    out = b""
    while value >= 0x80:
        out += bytes([value & 0x7F | 0x80])
        value >>= 7
    return out + bytes([value])


def number(field, value):
    return varint(field << 3) + varint(value)


def packed(field, value):
    value = value.encode() if isinstance(value, str) else value
    return varint(field << 3 | 2) + varint(len(value)) + value


STRINGS = ["", "samples", "count", "cpu", "nanoseconds", "main", "work", "/usr/lib/libc.so.6", "build-id", "thread", "worker-3", "a.c", "a comment"]


def pprof(strings=None):
    line = lambda function: packed(4, number(1, function) + number(2, 42))
    labels = packed(3, number(1, 9) + number(2, 10))
    return b"".join([
        packed(1, number(1, 1) + number(2, 2)), packed(1, number(1, 3) + number(2, 4)),
        packed(2, packed(1, varint(2) + varint(1)) + packed(2, varint(3) + varint(30)) + labels),
        packed(2, packed(1, varint(3) + varint(1)) + packed(2, varint(1) + varint(10))),
        packed(3, number(1, 1) + number(5, 7) + number(6, 8)),
        packed(4, number(1, 1) + line(11)), packed(4, number(1, 2) + line(12)), packed(4, number(1, 3) + number(2, 1) + number(3, 0x7F00)),
        packed(5, number(1, 11) + number(2, 5) + number(4, 11)), packed(5, number(1, 12) + number(2, 6) + number(4, 11)),
        b"".join(packed(6, text) for text in strings or STRINGS), number(10, 5_000_000_000), number(13, 12)])


# Planting.

def plant_sqlite(path, text, only=None):
    """Into every cell that holds a text or a blob, and a new row's worth into every column of numbers, without the cells of names
    and of what makes the capture one (types of events, names of facts). `only`: one cell, (table, column, rowid)."""
    db = sqlite3.connect(path)
    db.execute("PRAGMA ignore_check_constraints=1")
    for (table,) in db.execute("SELECT name FROM sqlite_master WHERE type='table' AND name NOT LIKE 'sqlite_%'").fetchall():
        columns = [row[1] for row in db.execute(f'PRAGMA table_info("{table}")')]
        for column in columns:
            for rowid, kind in db.execute(f'SELECT rowid, typeof("{column}") FROM "{table}"').fetchall():
                if only is not None and (table, column, rowid) != only:
                    continue
                if only is None and kind not in ("text", "blob"):
                    continue
                value = text if kind != "blob" else text.encode() * 2
                try:
                    db.execute(f'UPDATE "{table}" SET "{column}"=? WHERE rowid=?', (value, rowid))
                except sqlite3.Error:
                    db.execute(f'UPDATE "{table}" SET "{column}"=? WHERE rowid=?', (f"{value} {rowid}", rowid)) if column == "string" else None
    db.commit()
    db.close()


def cells(path):
    db = sqlite3.connect(path)
    for (table,) in db.execute("SELECT name FROM sqlite_master WHERE type='table' AND name NOT LIKE 'sqlite_%'").fetchall():
        for column in [row[1] for row in db.execute(f'PRAGMA table_info("{table}")')]:
            for (rowid,) in db.execute(f'SELECT rowid FROM "{table}"').fetchall()[:12]:
                yield table, column, rowid
    db.close()


def extras_sqlite(path, text):
    db = sqlite3.connect(path)
    tables = [row[0] for row in db.execute("SELECT name FROM sqlite_master WHERE type='table' AND name NOT LIKE 'sqlite_%'")]
    for table in tables:
        db.execute(f'ALTER TABLE "{table}" ADD COLUMN "x{text}" TEXT DEFAULT \'{text}\'')
        db.execute(f'UPDATE "{table}" SET "x{text}"=?', (text,))
    db.execute(f'CREATE TABLE "{text}" (a TEXT, "{text}" BLOB)')
    db.execute(f'INSERT INTO "{text}" VALUES (?,?)', (text, text.encode()))
    db.execute("CREATE TABLE gone (a TEXT)")
    db.executemany("INSERT INTO gone VALUES (?)", [(text * 50,)] * 50)
    db.commit()
    db.execute("DELETE FROM gone")  # its pages still hold the text
    db.execute(f"CREATE VIEW v AS SELECT '{text}' AS a")
    db.execute(f"CREATE TRIGGER t AFTER INSERT ON gone BEGIN SELECT '{text}'; END")
    db.commit()
    db.close()


def plant_json(value, text, names, key=None, path=()):
    """Every text of the tree but those that make it what it is (one letter phases, categories) and, unless asked, names; under
    every object a member that nobody knows."""
    if isinstance(value, dict):
        planted = {}
        for name, inside in value.items():
            planted[name] = plant_json(inside, text, names, name, (*path, name))
        planted[text] = text
        planted[f"env{text}"] = {"TOKEN": text, text: [text, {"a": text}]}
        return planted
    if isinstance(value, list):
        planted = [plant_json(inside, text, names, key, path) for inside in value]
        return planted + ([text] if any(isinstance(one, (int, float)) for one in value) else [])
    if not isinstance(value, str) or key in ("ph", "cat"):
        return value
    named = key == "name" and "args" not in path and "deviceProperties" not in path and "agents" not in path or key in (
        "Name", "kernel_name", "formatted_kernel_name", "operations", "value")
    return f"{value} {text}" if named and names else value if named else text


# What must hold.

def compared(root, entry, source, what, word_may_stay):
    forms = [TOKEN.encode()] if word_may_stay else FORMS
    snapshot = next(entry.glob("source-snapshot*"))
    for words in (("diff", entry, snapshot), ("profile-diff", snapshot, snapshot)):
        done = root.run(*words, "--json")
        check(done.returncode in (0, 1), f"{what}: {words[0]}: {done.stderr}")
        check(not holds((done.stdout + done.stderr).encode(), forms), f"{what}: printed by {words[0]}")
        folder = json.loads(done.stdout).get("diff_dir")
        for one in pathlib.Path(folder).rglob("*") if folder else ():
            check(not one.is_file() or not holds(one.read_bytes(), forms), f"{what}: {one.name} of {words[0]}")


FORMS_OF = {"kineto.json": kineto, "rocprof.json": rocprof, "stats.json": stats}


with Root() as root:
    made = root.path / "made"
    made.mkdir()
    nsys(made / "nsys.sqlite")
    rocpd(made / "rocpd.db")
    for name, make in FORMS_OF.items():
        (made / name).write_text(json.dumps(make()))
    (made / "kineto.json.gz").write_bytes(gzip.compress(json.dumps(kineto()).encode()))
    (made / "profile.pb.gz").write_bytes(gzip.compress(pprof()))
    for i, path in enumerate(sorted(made.iterdir())):
        same_profile(root, path, f"same{i}", path.name)

    # SQLite: all texts at once, but for what makes the capture one; each cell alone, whatever its type; what nobody knows.
    for name, make, names in (
            ("nsys.sqlite", nsys, {("StringIds", "value", n) for n in (1, 2, 3, 4, 9)} | {("NVTX_EVENTS", "text", n) for n in range(1, 30)}),
            ("rocpd.db", rocpd, {("rocpd_string_0000a1b2_c3d4", "string", n) for n in (4, 5, 6, 7, 8)} |
             {("rocpd_info_kernel_symbol_0000a1b2_c3d4", c, n) for c in ("kernel_name", "display_name") for n in (11, 12)} |
             {("rocpd_event_0000a1b2_c3d4", "extdata", 4)})):
        whole = made / f"all-{name}"
        make(whole)
        plant_sqlite(whole, PLANT)
        record(root, whole, "all", f"{name}, every text", True)
        unknown = made / f"unknown-{name}"
        make(unknown)
        extras_sqlite(unknown, PLANT)
        entry = record(root, unknown, "unknown", f"{name}, tables and columns that nobody knows", False)
        check(entry is not None, f"{name}: unknown tables are left out")
        compared(root, entry, unknown, f"{name}, unknown tables", False)
        taken = 0
        for number_of, cell in enumerate(cells(made / name)):
            planted = made / f"cell-{name}"
            shutil.copy(made / name, planted)
            try:
                plant_sqlite(planted, PLANT, cell)
            except sqlite3.Error:
                continue  # a key takes no text
            entry = record(root, planted, f"{name.replace('.', '-')}-{number_of}", f"{name} {cell}", cell in names)
            taken += entry is not None
            if entry is not None:
                shutil.rmtree(entry.parent)  # thousands of entries would be looked through again and again
            planted.unlink()
        check(taken > 100, f"{name}: {taken} cells planted and recorded")

    for name, make in FORMS_OF.items():
        for names in (False, True):
            planted = root.write(f"planted/{names}-{name}", plant_json(make(), PLANT, names))
            entry = record(root, planted, f"{name.split('.')[0]}-{names}", f"{name}, names {names}", names)
            check(entry is not None, f"{name} is redacted")
            if entry:
                compared(root, entry, planted, f"{name}, names {names}", names)
        bare = json.dumps(make())
        for cut in (len(bare) // 2, len(bare) - 2):
            record(root, root.write(f"planted/cut-{name}", bare[:cut] + f' "{PLANT}'), "cut", f"{name}, cut", False)
        record(root, root.write(f"planted/word-{name}", bare.replace("1", "plumb_marker_7391", 1)), "word", f"{name}, a bare word", False)

    for i in range(1, len(STRINGS)):
        planted = [PLANT if at == i else text for at, text in enumerate(STRINGS)]
        record(root, root.write("planted/x.pb", pprof(planted)), f"string{i}", f"pprof string {STRINGS[i]}", i in (5, 6))
    extra = pprof() + packed(15, PLANT) + packed(99, PLANT) + packed(2, packed(1, varint(1)) + packed(2, varint(1) + varint(1)) + packed(77, PLANT))
    record(root, root.write("planted/x.pb", extra), "extra", "pprof, fields that nobody knows", False)

    for name, text in (("x.folded", f"main;{WORD} 5\nmain;b 6\n"), ("x.nsys-rep", "NVIDIA Tegra Profiler Report 1." + PLANT)):
        equal(record(root, root.write(name, text), "refused", name, False), None, f"{name} is refused")

    # Two names that differ in a secret stay two, and the same two in the original.
    twins = made / "twins.sqlite"
    nsys(twins, {1: f"run --api-key={TOKEN}", 2: f"run --api-key={TOKEN[::-1]}", 4: "STAGE_NAME=decode"})
    snapshot = same_profile(root, twins, "twins", "names that differ in a secret")
    db = sqlite3.connect(snapshot)
    equal(sorted(row[0] for row in db.execute("SELECT value FROM StringIds WHERE id IN (1, 2, 4)")),
          ["STAGE_NAME=[redacted]", "run --api-key=[redacted]", "run --api-key=[redacted] #2"], "names in the copy")
    db.close()
    events = kineto()
    for i, event in enumerate(one for one in events["traceEvents"] if one.get("cat") == "kernel"):
        event["name"] = f"run --api-key=sk-{'zyxw'[i % 4] * 4}1111bbbb{i % 4}"
    same_profile(root, root.write("twins.json", events), "twins-json", "events that differ in a secret")

finish()
