#!/usr/bin/env python3
"""With keys pinned in plumbline.yaml, diff compares with nothing, and accept accepts nothing, that a trusted key has not signed: an
unsigned entry, one of another key, one of a line that was broken. The error names the fault, the key and the way out. Without pinned
keys nothing changes. Acceptances are signed with --sign, and verify of a line asks for it."""
import base64
import hashlib
import json
import pathlib
import shutil

import signing
from harness import Root, SOURCE, check, equal, finish

DEMO = SOURCE / "scripts" / "demo-data"


def refused(root, what, why, *words):
    for call in (("diff", *words), ("diff", *words, "--no-bundle")) if words[0] != "accept" else (words,):
        done = root.run(*call)
        check(done.returncode == 2 and "baseline_not_trusted" in done.stderr + done.stdout and why in done.stderr,
              f"{what}: exit {done.returncode}: {done.stderr}")
        check("hint: " in done.stderr and "plumbline verify " in done.stderr and "trusted_keys" in done.stderr, f"{what}: {done.stderr}")


with Root() as root:
    for name in ("team", "other"):
        equal(root.run("keygen", "--out", name).returncode, 0, name)
    before, after = root.write("before.json", {"busbw_GBps": 300.0, "latency_us": 10.0}), root.write("after.json", {"busbw_GBps": 299.0, "latency_us": 10.0})
    entries = {"signed": ("--sign", "team.key"), "bare": (), "stranger": ("--sign", "other.key")}
    folders = {name: pathlib.Path(root.record(before, *key, family="f", measurement=name)["entry_dir"]) for name, key in entries.items()}
    capture = root.record(DEMO / "profile-before", family="f", measurement="capture")
    for name in entries:
        equal(root.run("diff", f"f/{name}", after, "--no-bundle").returncode, 0, f"nothing is pinned: {name}")
    bundles = lambda: sorted(str(p) for p in root.path.glob("experiments/artifacts/perf-baseline-diffs/*/*/*"))
    kept = bundles()

    root.write("plumbline.yaml", "rules:\n  - match: {family: f}\n    set: {trusted_keys: [team.pub]}\n")
    result = root.diff("f/signed", after, "--no-bundle")
    equal(result["verdict"], "GREEN", "a trusted entry is compared with")
    equal(root.run("accept", "f/signed", "--reason", "signed by the team").returncode, 0, "and accepted")
    refused(root, "unsigned", "f/bare@", "f/bare", after)
    refused(root, "unsigned", "unsigned: ", "f/bare", after)
    refused(root, "by its folder", "unsigned: ", folders["bare"], after)
    refused(root, "another key", "untrusted_key: signed by a key that calls itself", "f/stranger", after)
    refused(root, "a capture", "unsigned: ", "f/capture", DEMO / "profile-after")
    refused(root, "older, for drift", "unsigned: ", "f/signed", after, "--initial", "f/bare")
    for name, why in (("bare", "unsigned: "), ("stranger", "untrusted_key: ")):
        refused(root, "accept " + name, why, "accept", f"f/{name}", "--reason", "because")
        check(not (folders[name].parent / "accepted").exists(), f"nothing of {name} was accepted")
    equal(bundles(), kept, "no bundle was written of what was refused")
    equal(root.run("diff", before, after, "--no-bundle").returncode, 0, "files are nobody's to sign")

    # Acceptances are signed like what they accept, and verify of a line holds each against its signature.
    line = ("verify", "f/signed", "--line", "--repo-root", root.path, "--json")
    unsigned = json.loads(root.run(*line).stdout)
    equal([(p["code"], p["path"].split("/")[-1][:7]) for p in unsigned["problems"]], [("unsigned", "000001-")], "accepted without a key")
    equal(root.run("accept", "f/signed", "--reason", "signed this time", "--sign", "other.key").returncode, 0, "by somebody else")
    done = root.run("accept", "f/signed", "--reason", "signed by the team", "--sign", "team.key")
    equal(done.returncode, 0, done.stderr)
    accepted = folders["signed"].parent / "accepted"
    equal([(p["code"], p["path"].split("/")[-1][:7]) for p in json.loads(root.run(*line).stdout)["problems"]],
          [("unsigned", "000001-"), ("untrusted_key", "000002-")], "the third holds")
    third = next(accepted.glob("000003-*.json"))
    envelope = json.loads((accepted / "attest" / third.name.replace(".json", ".dsse.json")).read_text())
    payload = base64.b64decode(envelope["payload"])
    statement = json.loads(payload)
    equal({s["name"]: s["digest"]["sha256"] for s in statement["subject"]},
          {"SHA256SUMS": hashlib.sha256((folders["signed"] / "SHA256SUMS").read_bytes()).hexdigest(),
           "accepted/" + third.name: hashlib.sha256(third.read_bytes()).hexdigest()}, "what is signed")
    (root.path / "sig").write_bytes(base64.b64decode(envelope["signatures"][0]["sig"]))
    (root.path / "pae").write_bytes(signing.pae(payload))
    check(signing.verifies(root.path / "team.pub", root.path / "pae", root.path / "sig"), "openssl takes the signature")
    text = third.read_text()
    third.chmod(0o644)
    third.write_text(text.replace("signed by the team", "whatever I like  "))
    check(("wrong_subject", "000003-") in [(p["code"], p["path"].split("/")[-1][:7]) for p in json.loads(root.run(*line).stdout)["problems"]],
          "a record that was changed")
    third.write_text(text)
    for number in ("000001", "000002"):
        for path in accepted.glob(f"{number}-*"):
            path.unlink()
    equal(root.run(*line).returncode, 0, "the line verifies with the signed one alone")

    # A copy elsewhere could claim any name: it has to be signed all the same.
    copy = root.path / "copy" / folders["bare"].name
    shutil.copytree(folders["bare"], copy)
    refused(root, "a copy", "unsigned: ", copy, after)

    # A line that lost its first entry.
    for _ in range(2):
        newest = root.record(before, "--sign", "team.key", family="f", measurement="signed")
    equal(root.run("diff", "f/signed@newest", after, "--no-bundle").returncode, 0, "a line of three")
    middle = sorted(p for p in folders["signed"].parent.iterdir() if p.name.startswith("2"))[1]
    shutil.move(middle, root.path / "taken")
    refused(root, "a broken line", "broken_chain: ", "f/signed@newest", after)
    refused(root, "a broken line", "broken_chain: ", "accept", "f/signed@newest", "--reason", "because")

    # A suite with such a baseline is none.
    refused(root, "a suite", "unsigned: ", "f", root.write("now/bare.json", {"busbw_GBps": 299.0, "latency_us": 10.0}).parent)
finish()
