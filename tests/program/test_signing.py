#!/usr/bin/env python3
"""Signing through the program, held against `openssl`, `jq`, coreutils and Python: what is signed, by which keys, whose signatures hold,
and what is refused. Envelopes that these tools made are verified by the program in turn."""
import base64
import hashlib
import json
import os
import pathlib
import shutil
import stat
import subprocess

import jsonschema

import signing
from harness import PLUMBLINE, SOURCE, Root, check, equal, finish, warned
from traces import trace

STATEMENT = json.loads((SOURCE / "schemas/plumbline.attestation.v1.json").read_text())
RESULTS = {name: json.loads((SOURCE / f"schemas/plumbline.result.{name}.v1.json").read_text()) for name in ("verify", "keygen", "checkpoint")}


def codes(result):
    return [problem["code"] for problem in result["problems"]]


def verify(root, *words, status=0):
    result = root.json("verify", *words, "--repo-root", root.path, status=status)
    jsonschema.Draft7Validator(RESULTS["verify"]).validate(result)
    return result


def keygen(root, name, algorithm="p256"):
    result = root.json("keygen", "--out", root.path / name, "--algorithm", algorithm)
    jsonschema.Draft7Validator(RESULTS["keygen"]).validate(result)
    return result


def shell(command, cwd, **env):
    return subprocess.run(["bash", "-euo", "pipefail", "-c", command], cwd=cwd, capture_output=True, text=True, check=False,
                          env={**os.environ, **{name: str(value) for name, value in env.items()}})


def check_statement(folder, wanted, what):
    """attest/ by other tools: the envelope by Python, its schema by jsonschema; `wanted` by dotted path"""
    folder = pathlib.Path(folder)
    equal(sorted(path.name for path in (folder / "attest").iterdir()), ["pae.bin", "statement.dsse.json", "statement.json", "statement.sig"], what)
    for path in (folder / "attest").iterdir():
        equal(stat.S_IMODE(path.stat().st_mode), 0o444, f"{what}: {path.name}")
    payload = (folder / "attest/statement.json").read_bytes()
    envelope = json.loads((folder / "attest/statement.dsse.json").read_text())
    equal(base64.b64decode(envelope["payload"], validate=True), payload, f"{what}: payload")
    equal(envelope["payloadType"], signing.TYPE, f"{what}: type")
    equal((folder / "attest/pae.bin").read_bytes(), signing.pae(payload), f"{what}: PAE")
    equal(base64.b64decode(envelope["signatures"][0]["sig"]), (folder / "attest/statement.sig").read_bytes(), f"{what}: signature")
    equal((folder / "SHA256SUMS").read_text(), signing.manifest(folder), f"{what}: SHA256SUMS")
    statement = json.loads(payload)
    errors = [error.message for error in jsonschema.Draft7Validator(STATEMENT).iter_errors(statement)]
    equal(errors, [], f"{what}: schema")
    for subject in statement["subject"]:
        equal(subject["digest"]["sha256"], hashlib.sha256((folder / subject["name"]).read_bytes()).hexdigest(), f"{what}: {subject['name']}")
    for path, value in wanted.items():
        seen = statement["predicate"]
        for part in path.split("."):
            seen = seen[int(part)] if isinstance(seen, list) else seen[part]
        equal(seen, value, f"{what}: {path}")
    return statement


# Keys: modes, ids, formats, and that nothing is replaced.
with Root() as root:
    for algorithm in ("p256", "ed25519"):
        made = keygen(root, algorithm, algorithm)
        private, public = pathlib.Path(made["private_path"]), pathlib.Path(made["public_path"])
        equal((stat.S_IMODE(private.stat().st_mode), stat.S_IMODE(public.stat().st_mode)), (0o600, 0o644), f"{algorithm}: modes")
        equal(made["keyid"], signing.keyid(private), f"{algorithm}: id")
        equal(signing.openssl("pkey", "-in", private, "-pubout").decode(), public.read_text(), f"{algorithm}: the pair")
        equal(signing.is_p256(private), algorithm == "p256", f"{algorithm}: kind")
        before = private.read_bytes()
        for gone in (public, private):
            gone.rename(root.path / "aside")
            done = root.run("keygen", "--out", root.path / algorithm)
            equal((done.returncode, "already exists" in done.stderr), (2, True), f"{algorithm}: never replaces: {done.stderr}")
            check(not gone.exists(), f"{algorithm}: half a pair was made")
            (root.path / "aside").rename(gone)
        equal(private.read_bytes(), before, f"{algorithm}: untouched")
    equal(root.run("keygen").returncode, 2, "no place")
    os.umask(0o077)
    keygen(root, "strict")
    os.umask(0o022)
    equal(stat.S_IMODE((root.path / "strict.pub").stat().st_mode), 0o644, "a public key is readable whatever the umask")

# What the four verbs sign, by both kinds of keys, checked by openssl and by us.
with Root() as root:
    for algorithm in ("p256", "ed25519"):
        keygen(root, algorithm, algorithm)
    source = root.write("a.json", {"ttft_ms": 10.0})
    worse = root.write("b.json", {"ttft_ms": 20.0})
    for algorithm in ("p256", "ed25519"):
        key, public = root.path / f"{algorithm}.key", root.path / f"{algorithm}.pub"
        entry = root.record(source, "--notes", "token=hunter2hunter2", "--sign", key, measurement=algorithm)
        check_statement(entry["entry_dir"], {
            "externalParameters.verb": "record", "externalParameters.arguments.family": "f", "externalParameters.arguments.notes": "token=[redacted]",
            "resolvedDependencies": [{"name": "source", "digest": {"sha256": entry["source_sha256"]}, "annotations": {"path": str(source)}}],
            "place": {"kind": "entry", "family": "f", "measurement": algorithm, "slug": entry["slug"]}, "chain": {"sequence": 1, "previous": None},
            "result.shape": "structured", "result.rows": 1}, f"record, {algorithm}")
        check("sign" not in check_statement(entry["entry_dir"], {}, "record")["predicate"]["externalParameters"]["arguments"], "where the key lies is nobody's business")
        result = root.json("diff", entry["entry_dir"], worse, "--sign", key, "--out", root.path / f"out-{algorithm}")
        for folder in (result["diff_dir"], root.path / f"out-{algorithm}"):
            check_statement(folder, {
                "externalParameters.verb": "diff", "result.verdict": result["verdict"], "result.tier": result["tier"],
                "result.reasons": [reason["code"] for reason in result["reasons"]], "result.tolerancePercent": 5,
                "resolvedDependencies.0.digest.sha256": entry["entry_sha256"], "place.kind": "bundle", "place.measurement": algorithm},
                            f"diff, {algorithm}")
            check(signing.verifies(public, pathlib.Path(folder) / "attest/pae.bin", pathlib.Path(folder) / "attest/statement.sig"),
                  f"openssl takes the signature: {folder}")
            answer = verify(root, folder, "--trust", public)
            equal((answer["ok"], answer["signed"], answer["trusted"], codes(answer)), (True, True, True, []), f"{algorithm}: trusted")
        for node, value in enumerate((100, 101, 99, 100)):
            root.write(f"nodes/node{node}.json", {"busbw_gbps": value, "config": {"hostname": f"n{node}"}})
        result = root.json("outliers", root.path / "nodes", "--repo-root", root.path, "--sign", key, "--fail-on", "never")
        check_statement(result["diff_dir"], {"externalParameters.verb": "outliers", "result.verdict": result["verdict"], "result.sources": 4},
                        f"outliers, {algorithm}")
        one, two = root.write("before.json", trace(1000)), root.write("after.json", trace(1300, seed=1))
        result = root.json("profile-diff", one, two, "--sign", key)
        check_statement(result["diff_dir"], {"externalParameters.verb": "profile-diff", "result.verdict": result["verdict"], "result.gatePercent": 5,
                                             "resolvedDependencies.1.name": "candidate"}, f"profile-diff, {algorithm}")
        equal(verify(root, result["diff_dir"], "--trust", public)["trusted"], True, f"{algorithm}: profile-diff, trusted")

    # A suite is signed case by case.
    for name in ("one", "two"):
        root.write(f"suite/{name}.json", {"latency_ms": 10.0})
    root.json("record", "--as", "suite", "--family", "nightly", "--source", root.path / "suite", "--reason", "first", "--sign", root.path / "p256.key")
    answer = verify(root, root.path / "experiments/artifacts/perf-baselines/nightly", "--trust", root.path / "p256.pub")
    equal((answer["kind"], answer["trusted"], answer["counts"]["lines"], answer["counts"]["trusted"]), ("registry", True, 2, 2), "a suite")

    # Several keys, and one trusted among them.
    answer = verify(root, "--trust", root.path / "p256.pub", "--trust", root.path / "ed25519.pub")
    equal((answer["kind"], answer["ok"], answer["trusted"]), ("registry", True, True), "the registry, by either key")
    answer = verify(root, "--trust", root.path / "p256.pub", status=1)
    equal(set(codes(answer)), {"untrusted_key"}, "the registry, by one of two keys")

    # The line of the documents, by the tools of every Debian.
    folder = pathlib.Path(root.record(source, "--sign", root.path / "p256.key", measurement="stock")["entry_dir"])
    document = (SOURCE / "docs" / "provenance.md").read_text()
    stock = document[document.index("sha256sum -c --strict"):].split("```")[0].replace("\\\n> ", "")
    equal(shell(stock, folder, PUB=root.path / "p256.pub").returncode, 0, f"the page's line: {shell(stock, folder, PUB=root.path / 'p256.pub')}")
    for spoil, what in ((folder / "SOURCE.md", "a file"), (folder / "attest/pae.bin", "what is signed"), (folder / "attest/statement.sig", "the signature"), (folder / "SHA256SUMS", "SHA256SUMS")):
        spoil.chmod(0o644)
        whole = spoil.read_bytes()
        spoil.write_bytes(whole.replace(b"a", b"b", 1) if b"a" in whole else whole[:-1] + bytes([whole[-1] ^ 1]))
        check(shell(stock, folder, PUB=root.path / "p256.pub").returncode != 0, f"the page's line does not notice {what}")
        spoil.write_bytes(whole)
    check(shell(stock, folder, PUB=root.path / "strangers.pub").returncode != 0, "the page's line takes any key")

    # Envelopes by other hands: the same statement, signed by openssl; base64 for URLs; a second signature; a wrong hint.
    payload = (folder / "attest/statement.json").read_bytes()
    for algorithm in ("p256", "ed25519"):
        signing.attest(folder, payload, root.path / f"{algorithm}.key")
        equal(verify(root, folder, "--trust", root.path / f"{algorithm}.pub")["trusted"], True, f"{algorithm}: signed by openssl")
    signing.attest(folder, payload, root.path / "p256.key", hint="my key")
    equal(verify(root, folder, "--trust", root.path / "p256.pub")["trusted"], True, "a key id is a hint")
    raw = signing.sign(root.path / "p256.key", signing.pae(payload), root.path)
    both = [{"sig": base64.urlsafe_b64encode(raw).decode()}, {"keyid": "", "sig": base64.b64encode(signing.sign(root.path / "ed25519.key", signing.pae(payload), root.path)).decode()}]
    signing.put(folder, payload, both, raw)
    for algorithm in ("p256", "ed25519"):
        equal(verify(root, folder, "--trust", root.path / f"{algorithm}.pub")["trusted"], True, f"{algorithm}: one of two signatures")

# Without a root, a bundle at --out alone is signed as well.
with Root() as root:
    keygen(root, "k")
    a, b = root.write("a.txt", "10\n"), root.write("b.txt", "11\n")
    done = subprocess.run([PLUMBLINE, "diff", a, b, "--sign", root.path / "k.key", "--out", root.path / "out", "--json"], cwd=root.path,
                          capture_output=True, text=True, check=False, env={k: v for k, v in os.environ.items() if not k.startswith("PLUMBLINE_")})
    equal(done.returncode, 0, done.stderr)
    check_statement(root.path / "out", {"place.family": "adhoc", "chain.sequence": 1}, "--out without a root")
    equal(root.json("verify", root.path / "out", "--trust", root.path / "k.pub")["trusted"], True, "--out without a root, verified")

# Where keys come from, and what is refused before anything is written.
with Root() as root:
    keygen(root, "k")
    source = root.write("a.txt", "10\n")
    pem = (root.path / "k.key").read_text()
    done = root.run("record", "--family", "f", "--measurement", "m", "--source", source, "--sign", "env:MY_KEY", env={"MY_KEY": pem})
    equal(done.returncode, 0, done.stderr)
    root.record(source, env={"PLUMBLINE_SIGN": str(root.path / "k.key")})
    root.record(source, env={"PLUMBLINE_SIGN": "env:CI_KEY", "CI_KEY": pem})
    answer = verify(root, "f/m", "--line", "--trust", root.path / "k.pub")
    equal((answer["trusted"], answer["counts"]["trusted"]), (True, 3), "env:NAME and PLUMBLINE_SIGN")

with Root() as root:
    keygen(root, "k")
    source = root.write("a.txt", "10\n")
    pem = (root.path / "k.key").read_text()
    signing.openssl("pkcs8", "-topk8", "-in", root.path / "k.key", "-passout", "pass:x", "-out", root.path / "locked.key")
    signing.openssl("genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-384", "-out", root.path / "p384.key")
    signing.openssl("genpkey", "-algorithm", "RSA", "-out", root.path / "rsa.key")
    signing.openssl("pkey", "-in", root.path / "k.key", "-traditional", "-out", root.path / "sec1.key")
    root.write("none.key", "hello")
    for key, message in (("missing.key", "does not exist"), ("locked.key", "has a passphrase"), ("p384.key", "another kind than P-256"),
                         ("rsa.key", "another kind than P-256"), ("none.key", "not a private key"), ("k.pub", "a public key where a private one"),
                         ("env:NOT_SET", "is not set"), (pem, "not the key itself"), (pem.splitlines()[0], "not the key itself"), (root.path, "")):
        for verb in (["record", "--family", "f", "--measurement", "m", "--source", source], ["diff", source, source]):
            done = root.run(*verb, "--sign", key)
            equal(done.returncode, 2, f"--sign {str(key)[:30]}")
            check(message in done.stderr, f"--sign {str(key)[:30]}: {done.stderr}")
            check(pem.splitlines()[1] not in done.stderr + done.stdout, "a key is never repeated")
    check(not root.has_experiments(), "a bad key creates nothing")
    equal(root.run("diff", source, source, "--no-bundle", "--sign", root.path / "k.key").returncode, 2, "nothing to sign")
    equal(root.run("diff", source, source, "--no-bundle", env={"PLUMBLINE_SIGN": "missing.key"}).returncode, 0, "PLUMBLINE_SIGN where nothing is written")
    check_statement(root.record(source, "--sign", root.path / "sec1.key")["entry_dir"], {}, "OpenSSL's older form of a key")

# plumbline.yaml says whose signatures hold for which measurement; what lies elsewhere needs one of all.
with Root() as root:
    for name in ("ci", "ann", "eve"):
        (root.path / "keys").mkdir(exist_ok=True)
        keygen(root, f"keys/{name}")
    root.write("plumbline.yaml", "rules:\n"
                                 "  - match: {family: nightly}\n    set: {trusted_keys: [keys/ci.pub]}\n"
                                 "  - match: {family: nightly, measurement: 'ann*'}\n    set: {trusted_keys: [keys/ann.pub, keys/ci.pub]}\n")
    source = root.write("a.txt", "10\n")
    made = {}
    for measurement, key in (("one", "ci"), ("ann-1", "ann"), ("two", "ann"), ("three", None)):
        made[measurement] = root.record(source, *(["--sign", root.path / f"keys/{key}.key"] if key else []), family="nightly", measurement=measurement)
    free = root.record(source, family="adhoc-tests")
    for measurement, wanted in (("one", []), ("ann-1", []), ("two", ["untrusted_key"]), ("three", ["unsigned"])):
        equal(codes(verify(root, f"nightly/{measurement}", status=1 if wanted else 0)), wanted, f"pinned: {measurement}")
    answer = verify(root, free["entry_dir"])
    equal((answer["ok"], answer["signed"], answer["trusted"]), (True, False, False), "a family that no rule is about")
    answer = verify(root, status=1)
    equal(sorted(codes(answer)), ["unsigned", "untrusted_key"], "the registry by its rules")
    shutil.copytree(free["entry_dir"], root.path / "elsewhere")
    equal(codes(verify(root, root.path / "elsewhere", status=1)), ["unsigned"], "a copy could claim any name")
    shutil.copytree(made["two"]["entry_dir"], root.path / "other")
    equal(verify(root, root.path / "other")["trusted"], True, "a copy by one of all pinned keys")
    equal(codes(verify(root, made["one"]["entry_dir"], "--trust", root.path / "keys/eve.pub", status=1)), ["untrusted_key"], "--trust comes before the file")
    equal(root.run("config", "check").returncode, 0, "the file is right")
    for text, message in (("{trusted_keys: [keys/nobody.pub]}", "does not exist"), ("{trusted_keys: [keys/ci.key]}", "a private key"),
                          ("{trusted_keys: []}", "empty list"), ("{trusted_key: [x]}", 'did you mean "trusted_keys"')):
        root.write("plumbline.yaml", f"rules:\n  - set: {text}\n")
        done = root.run("config", "check")
        equal(done.returncode, 1, text)
        check(message in done.stdout, f"{text}: {done.stdout}")
        equal(root.run("verify", made["one"]["entry_dir"], "--repo-root", root.path).returncode, 2, f"{text}: nothing is taken for trusted")
    root.write("plumbline.yaml", "rules:\n  - match: {key: x}\n    set: {trusted_keys: [keys/ci.pub]}\n")
    check("match family and measurement only" in root.run("config", "check").stdout, "keys of rows have no signature")

# A checkpoint is printed in one order, read back, and refuses a broken chain.
with Root() as root:
    keygen(root, "k")
    source = root.write("a.txt", "10\n")
    for measurement in ("b", "a", "a"):
        entry = root.record(source, "--sign", root.path / "k.key", measurement=measurement)
    root.json("diff", entry["entry_dir"], source, "--sign", root.path / "k.key")
    root.record(source, measurement="unsigned")
    result = root.json("checkpoint", "--repo-root", root.path)
    jsonschema.Draft7Validator(RESULTS["checkpoint"]).validate(result)
    equal([(h["kind"], h["measurement"], h["sequence"]) for h in result["heads"]], [("entry", "a", 2), ("entry", "b", 1), ("bundle", "a", 1)], "heads")
    equal(result["unsigned_lines"], 1, "a line that nobody signed")
    text = root.run("checkpoint", "--repo-root", root.path).stdout
    equal(text, "".join(f"{h['envelope_sha256']}  {h['sequence']}  {h['kind']}/{h['family']}/{h['measurement']}\n" for h in result["heads"]), "as text")
    head = result["heads"][0]
    equal(hashlib.sha256((root.path / f"experiments/artifacts/perf-baselines/f/a/{head['slug']}/attest/statement.dsse.json").read_bytes()).hexdigest(),
          head["envelope_sha256"], "a head is the digest of an envelope")
    equal(verify(root, "--checkpoint", root.write("heads", "# of today\n" + text))["ok"], True, "read back")
    equal(root.run("checkpoint", "f/a", "--repo-root", root.path).stdout.count("\n"), 2, "of one measurement")
    equal(root.run("verify", entry["entry_dir"], "--checkpoint", root.path / "heads").returncode, 2, "one publication has no chain")
    equal(root.run("verify", "--repo-root", root.path, "--checkpoint", root.write("bad", "x\n")).returncode, 2, "no checkpoint")
    first = sorted((root.path / "experiments/artifacts/perf-baselines/f/a").glob("2*"))[0]
    shutil.rmtree(first)
    done = root.run("checkpoint", "--repo-root", root.path)
    equal((done.returncode, done.stdout, "is number 2" in done.stderr), (2, "", True), f"a broken chain is not pinned: {done.stderr}")
    empty = root.path / "empty"
    empty.mkdir()
    equal(root.run("verify", "--repo-root", empty).returncode, 2, "nothing is published")

# Many signers at once, of one line.
with Root() as root:
    keygen(root, "k")
    source = root.write("a.txt", "10\n")
    words = [PLUMBLINE, "record", "--direction", "lower-is-better", "--family", "f", "--measurement", "m", "--source", source, "--sign", root.path / "k.key", "--repo-root", root.path]
    running = [subprocess.Popen([str(w) for w in words], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) for _ in range(12)]
    for process in running:
        equal((process.wait(), process.stderr.read()), (0, ""), "one of many signers")
    answer = verify(root, "f/m", "--line", "--trust", root.path / "k.pub")
    equal((answer["trusted"], answer["counts"]["trusted"]), (True, 12), f"one chain: {codes(answer)}")
    equal([p.name for p in (root.path / "experiments/artifacts/perf-baselines/f/m").iterdir() if p.name.startswith(".")], [], "nothing is left over")

# Over MCP: the server's path rules hold for keys, and variables of its process are its owner's.
def call(root, tool, arguments, env=None):
    lines = [{"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}},
             {"jsonrpc": "2.0", "method": "notifications/initialized"},
             {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": tool, "arguments": arguments}}]
    environment = {k: v for k, v in os.environ.items() if not k.startswith("PLUMBLINE_")}
    done = subprocess.run([PLUMBLINE, "serve", "--stdio", "--repo-root", root.path / "repo", "--allow-root", root.path / "repo"], check=False, text=True,
                          input="".join(json.dumps(line) + "\n" for line in lines), capture_output=True, env={**environment, **(env or {})}, cwd=root.path / "repo")
    answer = next(json.loads(line) for line in done.stdout.splitlines() if json.loads(line).get("id") == 2)["result"]
    return answer["isError"], json.loads(answer["content"][0]["text"]), done.stdout + done.stderr


with Root() as root:
    (root.path / "repo/keys").mkdir(parents=True)
    keygen(root, "outside")
    keygen(root, "repo/keys/inside")
    root.write("repo/a.txt", "10\n")
    secret = (root.path / "outside.key").read_text()
    asked = {"family": "f", "measurement": "m", "source": "a.txt"}
    for key, code in ((str(root.path / "outside.key"), "path_not_allowed"), ("../outside.key", "path_not_allowed"), ("env:CI_KEY", "path_not_allowed"),
                      ("env:HOME", "path_not_allowed"), (secret, "usage")):
        failed, told, said = call(root, "perf_baseline_record", {**asked, "sign": key}, {"CI_KEY": secret})
        equal((failed, told.get("code")), (True, code), f"over MCP: {key[:20]}: {told}")
        check(secret.splitlines()[1] not in said, "no answer and no log repeats a key")
    check(not (root.path / "repo/experiments").exists(), "a refusal creates nothing")
    failed, told, _ = call(root, "perf_baseline_record", {**asked, "sign": "keys/inside.key"})
    equal(failed, False, f"a key in the root: {told}")
    for given in (str(root.path / "outside.key"), "env:CI_KEY"):
        failed, told, _ = call(root, "perf_baseline_record", asked, {"PLUMBLINE_SIGN": given, "CI_KEY": secret})
        equal(failed, False, f"the owner's key: {told}")
        failed, told, _ = call(root, "bundle_verify", {"path": told["entry_dir"], "trust": "keys/inside.pub"})
        equal((failed, told["signed"], [p["code"] for p in told["problems"]]), (False, True, ["untrusted_key"]), "signed by the server's own key")
    failed, told, _ = call(root, "bundle_verify", {})
    equal((failed, told["kind"], told["counts"]["signed"]), (False, "registry", 3), "the root")
    equal(call(root, "bundle_verify", {"trust": [str(root.path / "outside.pub")]})[1].get("code"), "path_not_allowed", "a public key outside")

# The texts: verified is said of what a trusted key has signed, and of nothing else.
with Root() as root:
    keygen(root, "k")
    source = root.write("a.txt", "10\n")
    bare, signed_entry = root.record(source), root.record(source, "--sign", root.path / "k.key", measurement="s")
    for words, status, first in (([bare["entry_dir"]], 0, "digests match, unsigned"), ([signed_entry["entry_dir"]], 0, "digests match, signature not checked"),
                                 ([signed_entry["entry_dir"], "--trust", root.path / "k.pub"], 0, "verified"),
                                 ([bare["entry_dir"], "--trust", root.path / "k.pub"], 1, "NOT OK"), (["--repo-root", root.path], 0, "digests match, partly unsigned")):
        done = root.run("verify", *words)
        equal((done.returncode, done.stdout.split("  ")[0]), (status, first), f"the text: {done.stdout}")
    equal(warned(verify(root, signed_entry["entry_dir"])), ["signature_unchecked"], "unchecked is a warning")

finish()
