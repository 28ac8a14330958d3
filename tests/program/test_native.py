#!/usr/bin/env python3
"""The verdict of inferencebench on its own envelopes: its JSON byte for byte, its table, its exit, its hash and signature, and
what stands beside it. What is expected comes from envelopes.py, which follows that tool's rules by itself."""
import json
import random

import envelopes as ib
from harness import Root, check, codes, equal, finish, warned

ALICE, MALLORY = b"\x01" * 32, b"\x02" * 32
BASE = {"ttft_p50_ms": 20.0, "ttft_p99_ms": 40.0, "throughput_tok_per_s": 1000.0, "ok_rate": 1.0, "power_avg_w": 700.0}


def pair(root, baseline, candidate, names=("b.json", "c.json")):
    # As Python writes it, NaN and Infinity included.
    return [root.write(name, json.dumps(made)) for name, made in zip(names, (baseline, candidate))]


def native(root, files, *more, status=0):
    done = root.run("diff", *files, "--no-bundle", "--report", "native", *more)
    equal(done.returncode, status, f"{more}: {done.stderr}")
    return done.stdout


def random_metrics(chance):
    """Metrics of every kind: known and unknown names, texts, null, NaN, whole numbers, truths, zero, tiny and huge."""
    values = [0.0, 1.0, 5, 0, True, False, None, "text", "é\u2028\U0001f600\"\\\n\x7f", float("nan"), 1e-7, 5e-324, 1e16, 1.5e22, 123456789.125,
              99.999, 0.1, 1 / 3, 2.5e-5, -3.0, -0.0, 12345678901234567890, 100.0, 99.995]
    names = [*chance.sample(sorted(ib.LOWER | ib.HIGHER), 12), "ttft_p95_ms", "n_ok", "drift_rate", "métrique", "TTFT_P50_MS"]
    base = {name: chance.choice(values) if chance.random() < 0.4 else chance.lognormvariate(2, 3) for name in names}
    base["ttft_p50_ms"] = 20.0  # a judged number in any case
    cand = {}
    for name, value in base.items():
        draw = chance.random()
        if isinstance(value, float) and draw < 0.6:
            cand[name] = value * chance.choice([1, 1.02, 0.98, 1.0200001, 1.5, 0.4, 10])
        elif draw < 0.9:
            cand[name] = chance.choice(values)
    cand["ttft_p50_ms"] = 21.0
    cand["new_metric"] = 3.0
    return base, cand


with Root() as root:
    # Rows, order, context and numbers, drawn at random.
    chance = random.Random(20261122)
    for turn in range(40):
        base, cand = random_metrics(chance)
        quantization = chance.choice([None, {"format": "fp8", "method": ""}, {"format": "bf16", "method": ""}])
        a, b = ib.envelope(base), ib.envelope(cand, quantization=quantization, model__id=chance.choice(["example/model-8b", "other/ümlaut"]))
        tolerance = chance.choice([0, 2, 5, 12.5])
        files = pair(root, a, b)
        more = ["--tolerance-percent", tolerance]
        equal(native(root, files, "--json", *more), ib.diff_json(["b.json", "c.json"], a, b, tolerance / 100), f"JSON, turn {turn}")
        equal(native(root, files, *more), ib.diff_table(a, b, tolerance / 100), f"table, turn {turn}")
        result = root.json("diff", *files, "--no-bundle", "--strict", *more, status=root.run(
            "diff", *files, "--no-bundle", "--strict", *more).returncode)
        rows = ib.rows_of(a, b, tolerance / 100)
        equal(result["native"]["exit_code"], int(any(row["verdict"] == "regression" for row in rows)), f"strict exit, turn {turn}")
        equal([row["verdict"] for row in result["native"]["metrics"]], [row["verdict"] for row in ib.table_order(rows)], f"verdicts, turn {turn}")

    # Infinity: its JSON has the bare word, ours has null.
    a, b = ib.envelope({**BASE, "ttft_p99_ms": float("inf")}), ib.envelope({**BASE, "ttft_p99_ms": float("inf")})
    files = pair(root, a, b)
    equal(native(root, files, "--json"), ib.diff_json(["b.json", "c.json"], a, b, 0.02), "infinite on both sides")
    result = root.json("diff", *files, "--no-bundle")
    row = next(row for row in result["native"]["metrics"] if row["name"] == "ttft_p99_ms")
    equal(row, {"name": "ttft_p99_ms", "baseline": None, "candidate": None, "delta_abs": None, "delta_rel": None, "verdict": "regression"}, "inf")
    check("native_unjust_failure" in codes(result), "infinite on both sides is no regression")

    # The default tolerance is theirs, not ours.
    files = pair(root, ib.envelope(BASE), ib.envelope({**BASE, "ttft_p50_ms": 20.6}))
    result = root.json("diff", *files, "--no-bundle")
    equal((result["native"]["verdict"], result["verdict"], result["native"]["tolerance"]), ("regression", "GREEN", 0.02), "3 % slower")
    equal(codes(result), ["native_verdict_differs", "native_noise_unknown"], "3 % slower: reasons")
    equal(result["reasons"][0]["message"],
          "inferencebench says regression (1 regression, 0 improvements, 4 no_change, 0 unknown, 0 missing), plumbline says GREEN", "both verdicts")

    # A vanished gate passes theirs, with --strict too.
    gone = {name: value for name, value in BASE.items() if name != "ok_rate"}
    files = pair(root, ib.envelope(BASE), ib.envelope(gone))
    result = root.json("diff", *files, "--no-bundle", "--strict", status=1)
    equal((result["verdict"], result["native"]["verdict"], result["native"]["exit_code"]), ("RED", "no_change", 0), "ok_rate vanished")
    equal(codes(result), ["gate_missing", "native_verdict_differs", "native_vanished_passes"], "ok_rate vanished: reasons")
    reason = result["reasons"][2]
    equal((reason["message"], reason["keys"]),
          ("1 metric of the baseline vanished; inferencebench marks it missing and passes, with --strict too", ["ok_rate"]), "vanished")

    # Hidden context: what differs and is not compared; concurrency that only the names say; a factor that nothing explains.
    files = pair(root, ib.envelope(BASE), ib.envelope({**BASE, "throughput_tok_per_s": 4000.0}, seed=7, dataset__hash="7" * 64),
                 ("c1-0123456789ab.json", "c16-ba9876543210.json"))
    result = root.json("diff", *files, "--no-bundle")
    reason = next(reason for reason in result["reasons"] if reason["code"] == "native_hidden_context")
    equal(reason["keys"], ["dataset.hash", "seed", "concurrency"], "hidden context")
    equal(reason["message"],
          "inferencebench's context check does not look at dataset.hash (666666666666… -> 777777777777…), seed (42 -> 7) and concurrency (1 -> 16, "
          "guessed from the file names: the envelopes do not hold it); throughput_tok_per_s changed by a factor of 4 between envelopes of one "
          "context: a setting that the files do not hold, such as concurrency, is likelier than a change of speed", "hidden context")

    # Texts and names that it does not know.
    files = pair(root, ib.envelope({**BASE, "tier": "h100", "ttft_p95_ms": 10.0}), ib.envelope({**BASE, "tier": "a100", "ttft_p95_ms": 14.0}))
    result = root.json("diff", *files, "--no-bundle")
    reason = next(reason for reason in result["reasons"] if reason["code"] == "native_unchecked")
    equal(reason["message"], "1 metric that its table of names does not hold changed by more than the tolerance and cannot fail: ttft_p95_ms +40 %; "
          "1 text differs and counts as no_change: tier \"h100\" -> \"a100\"", "unchecked")

    # Its policy: its verdict is ours, in its words; a context that differs is a warning there.
    worse = pair(root, ib.envelope(BASE), ib.envelope({**BASE, "ttft_p50_ms": 30.0, "power_avg_w": 300.0}))
    result = root.json("diff", *worse, "--policy", "inferencebench")
    equal((result["verdict"], result["tier"], codes(result)), ("RED", "DRAFT", ["native_failed", "native_noise_unknown"]), "its policy")
    equal(result["reasons"][0]["message"], "inferencebench says regression: ttft_p50_ms +50 %", "its words")
    equal((result["counts"]["regressed"], result["counts"]["improved"], result["counts"]["unchanged"]), (1, 1, 3), "its rows")
    stored = json.loads(open(result["diff_dir"] + "/diff.json").read())
    equal((stored["native"]["system"], len(stored["native"]["metrics"]), stored["policy"]), ("inferencebench", 5, "inferencebench"), "diff.json")
    files = pair(root, ib.envelope(BASE), ib.envelope(BASE, engine__version="0.23.0"))
    result = root.json("diff", *files, "--policy", "inferencebench", "--no-bundle")
    equal((result["verdict"], codes(result), result["native"]["context_match"]["all_match"]), ("YELLOW", ["native_warned"], False), "another engine")
    result = root.json("diff", *pair(root, ib.envelope(BASE), ib.envelope(BASE)), "--policy", "inferencebench", "--no-bundle")
    equal((result["verdict"], codes(result)), ("GREEN", []), "the same")

    # From the registry as from files.
    entry = root.record(root.path / "b.json")
    result = root.json("diff", "f/m", worse[1], "--no-bundle")
    equal(result["native"]["verdict"], "no_change", "an entry's snapshot is an envelope too")

    # In every report.
    worse = pair(root, ib.envelope(BASE), ib.envelope({**BASE, "ttft_p50_ms": 30.0}))
    result = root.json("diff", *worse)
    line = "inferencebench: regression (1 regression, 0 improvements, 4 no_change, 0 unknown, 0 missing), exit 0"
    check("theirs      " + line in root.run("diff", *worse, "--no-bundle", env={"COLUMNS": "120"}).stdout, "the table names their verdict")
    check("Theirs: inferencebench: regression" in open(result["diff_dir"] + "/diff.md").read(), "diff.md names their verdict")
    check("inferencebench: regression" in open(result["diff_dir"] + "/diff.html").read(), "diff.html names their verdict")

    # 60 metrics: the result has 50, the bundle all.
    many = {f"metric_{i}": float(i + 1) for i in range(60)}
    result = root.json("diff", *pair(root, ib.envelope({**BASE, **many}), ib.envelope({**BASE, **many})))
    equal((len(result["native"]["metrics"]), result["native"]["metrics_omitted"]), (50, 15), "rows of the result")
    equal(len(json.loads(open(result["diff_dir"] + "/diff.json").read())["native"]["metrics"]), 65, "rows of diff.json")

    # Asked for without such files.
    plain = [root.write("x.json", {"latency_ms": 1.0}), root.write("y.json", {"latency_ms": 1.0})]
    for more, message in [
            (["--policy", "inferencebench"], "the policy inferencebench judges two envelope files (envelope_version v1); baseline is generic-json, "
             "current is generic-json"),
            (["--report", "native"], "--report native prints another system's own report, and these are no files of one: baseline is generic-json, "
             "current is generic-json"),
            (["--native", "top_n=3"], "--native sets another system's rules, and these are no files of one: baseline is generic-json, current is "
             "generic-json")]:
        done = root.run("diff", *plain, *more)
        equal((done.returncode, done.stderr.splitlines()[0]), (2, "plumbline: error: " + message), " ".join(more))
    done = root.run("diff", *worse, "--native", "top_n=3", "--no-bundle")
    equal((done.returncode, done.stderr.splitlines()), (2, ["plumbline: error: --native: inferencebench has no setting \"top_n\"",
                                                            "hint: inferencebench has no settings"]), "a setting it does not have")

    # What is no envelope.
    broken = ib.envelope(BASE)
    broken["hardware_fingerprint"]["driver"] = "999"
    done = root.run("inspect", root.write("e.json", broken))
    equal(done.returncode, 2, "an edited fingerprint")
    stored = broken["hardware_fingerprint"]["fingerprint_sha256"]
    check(f"is not the digest of the fingerprint: it says {stored[:12]}…, the digest is {ib.fingerprint(broken['hardware_fingerprint'])[:12]}…" in
          done.stderr, done.stderr)

    # Signatures.
    pub, other = root.write("alice.pub", ib.pem(ALICE) + "\n"), root.write("mallory.pub", ib.pem(MALLORY) + "\n")
    made = ib.envelope(BASE)
    good = root.write("good.json", ib.signed(made, ALICE))
    result = root.json("verify", good, "--trust", pub)
    equal((result["ok"], result["kind"], result["signed"], result["trusted"], result["bundle_sha256"]),
          (True, "envelope", True, True, ib.content_hash(made)), "pinned")
    result = root.json("verify", good)
    equal((result["ok"], result["trusted"], warned(result)), (True, False, ["signature_unpinned"]), "unpinned")
    result = root.json("verify", good, "--trust", other, status=1)
    equal([p["code"] for p in result["problems"]], ["untrusted_key"], "another key than the trusted one")
    edited = dict(ib.signed(made, ALICE), metrics={**BASE, "ttft_p50_ms": 1.0})
    result = root.json("verify", root.write("edited.json", edited), status=1)
    equal([(p["code"], p["message"]) for p in result["problems"]], [(
        "signature_invalid", f"the signature does not fit the content (content hash {ib.content_hash(edited)[:12]}…): the file was changed after it "
        "was signed")], "edited")
    resigned = root.write("resigned.json", ib.signed(dict(edited, signature=None), MALLORY))
    equal(root.json("verify", resigned)["ok"], True, "signed anew by anybody: good, unpinned")
    equal(root.json("verify", resigned, "--trust", pub, status=1)["trusted"], False, "signed anew, pinned")
    unsigned = root.write("unsigned.json", made)
    equal(root.json("verify", unsigned)["ok"], True, "unsigned")
    equal([p["code"] for p in root.json("verify", unsigned, "--trust", pub, status=1)["problems"]], ["unsigned"], "unsigned, pinned")
    keyless = dict(made, signature={"method": "sigstore-cosign", "certificate": "-----BEGIN CERTIFICATE-----", "rekor_log_index": 1, "bundle": ""})
    equal([p["code"] for p in root.json("verify", root.write("keyless.json", keyless), status=1)["problems"]], ["signature_unchecked"], "keyless")
    result = root.json("diff", good, root.path / "edited.json", "--no-bundle", "--direction", "ttft_p50_ms=lower-is-better")
    check("native_signature_invalid" in codes(result) and result["verdict"] != "GREEN", "an edited side is named and never GREEN")
    check("signature_unpinned" in warned(result), "the other side's key is unpinned")

    # An entry is not signed.
    result = root.json("verify", entry["entry_dir"], "--trust", pub, status=1)
    equal([p["code"] for p in result["problems"]], ["unsigned"], "an unsigned entry, pinned")
    done = root.run("verify", good, "--trust", root.write("no.pub", "hello"))
    equal((done.returncode, done.stderr.splitlines()),
          (2, [f"plumbline: error: {(root.path / 'no.pub').resolve()}: not a public key in PEM",
               "hint: a public key in PEM starts with -----BEGIN PUBLIC KEY-----"]), "no key")
    done = root.run("verify", plain[0])
    equal((done.returncode, done.stderr.splitlines()),
          (2, [f"plumbline: error: {plain[0].resolve()}: a file of the format generic-json has nothing to verify",
               "hint: verify takes an entry, a bundle or a signed inferencebench envelope"]), "no envelope")

    # The two rules of the content hash: blanks, a zone, a truth and an absent field are not what the model prints.
    odd = dict(made, metrics={**BASE, "ok_rate": True}, timestamp="2026-06-01T10:00:00.25+00:00", slo_template=" llm.standard ")
    del odd["warnings"]
    model = dict(odd, metrics={**BASE, "ok_rate": 1.0}, timestamp="2026-06-01T10:00:00.250000Z", slo_template="llm.standard", warnings=[])
    by_model = root.write("model.json", ib.signed(odd, ALICE, ib.content_hash(model)))
    result = root.json("verify", by_model, "--trust", pub)
    equal((result["ok"], result["bundle_sha256"], warned(result)), (True, ib.content_hash(model), ["boolean_values", "content_hash_ambiguous"]),
          "signed by the model's rule")
    result = root.json("verify", root.write("raw.json", ib.signed(odd, ALICE)), "--trust", pub)
    equal((result["ok"], warned(result)), (True, ["boolean_values", "signature_of_raw_json"]), "signed by the raw rule")
    unicode = ib.envelope({**BASE, "note": "é \U0001f600 \x7f \u2028", "n": 10**20, "tiny": 1e-07, "whole": 1e22}, model__id="ü/模型")
    equal(root.json("verify", root.write("unicode.json", ib.signed(unicode, ALICE)), "--trust", pub)["ok"], True, "Python's text of a hash")

    # Placeholders pass as provenance there.
    hollow = ib.envelope(BASE, engine__config_hash="0" * 64, software_provenance__pip_freeze_hash=ib.hashlib.sha256(b"").hexdigest())
    result = root.json("inspect", root.write("hollow.json", hollow))
    equal([w["message"] for w in result["warnings"] if w["code"] == "placeholder_provenance"],
          ["2 provenance fields without content, which the tool takes for provenance: engine.config_hash is all zeros and "
           "software_provenance.pip_freeze_hash is the SHA-256 of nothing"], "placeholders")

finish()
