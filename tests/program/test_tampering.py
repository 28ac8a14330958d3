#!/usr/bin/env python3
"""Kinds of tampering with a signed registry, each caught and named by `verify`: files, digests, signatures, places and chains. Every
case gets a fresh copy of the same registry: three signed entries, three signed diffs, with a key pinned in plumbline.yaml."""
import base64
import hashlib
import json
import os
import shutil
import subprocess

import signing
from harness import Root, check, equal, finish

ENTRIES, DIFFS = "experiments/artifacts/perf-baselines/f/m", "experiments/artifacts/perf-baseline-diffs/f/m"


class World:
    """a registry, and what a forger needs to know of it"""

    def __init__(self, path, keys):
        self.path, self.keys = path, keys
        self.entries = self.slugs(ENTRIES)
        self.diffs = self.slugs(DIFFS)

    def slugs(self, line):
        return sorted(path for path in (self.path / line).iterdir() if path.is_dir() and not path.name.startswith(".") and path.name[0] == "2")

    def edit(self, path, old, new):
        """a published file is read-only; its forger is not held up by that"""
        path.chmod(0o644)
        text = path.read_bytes()
        assert old.encode() in text, f"{path}: no {old}"
        path.write_bytes(text.replace(old.encode(), new.encode(), 1))

    def redo_sums(self, folder):
        (folder / "SHA256SUMS").chmod(0o644)
        (folder / "SHA256SUMS").write_text(signing.manifest(folder))

    def statement(self, folder):
        return json.loads((folder / "attest/statement.json").read_bytes())

    def sign(self, folder, statement, key="team.key", **more):
        signing.attest(folder, statement, self.keys / key, **more)


def about_these_files(folder, statement):
    """a statement whose subjects are the files as they are now"""
    for subject in statement["subject"]:
        subject["digest"]["sha256"] = hashlib.sha256((folder / subject["name"]).read_bytes()).hexdigest()
    return statement


def changed_byte(w):
    w.edit(w.diffs[0] / "diff.md", "f/m", "f/n")


def added_file(w):
    (w.diffs[0] / "notes.txt").write_text("looks fine")


def removed_file(w):
    (w.diffs[0] / "deltas.jsonl").unlink()


def renamed_file(w):
    (w.diffs[0] / "diff.md").rename(w.diffs[0] / "diff2.md")


def case_folded_name(w):
    (w.diffs[0] / "diff.md").rename(w.diffs[0] / "DIFF.md")


def swapped_baseline(w):
    w.edit(w.diffs[0] / "baseline-ref.txt", w.entries[2].name, w.entries[1].name)
    w.redo_sums(w.diffs[0])


def edited_verdict(w):
    w.edit(w.diffs[1] / "diff.json", '"verdict": "RED"', '"verdict": "GREEN"')
    w.redo_sums(w.diffs[1])


def changed_ceiling(w):
    w.edit(w.entries[0] / "baseline.json", '"sol_ceiling_value": 1.8', '"sol_ceiling_value": 18')
    w.redo_sums(w.entries[0])


def signed_anew_by_another(w):
    edited_verdict(w)
    w.sign(w.diffs[1], about_these_files(w.diffs[1], w.statement(w.diffs[1])), "other.key")


def another_under_the_trusted_name(w):
    edited_verdict(w)
    w.sign(w.diffs[1], about_these_files(w.diffs[1], w.statement(w.diffs[1])), "other.key", hint=signing.keyid(w.keys / "team.key"))


def truncated_chain(w):
    shutil.rmtree(w.entries[2])


def line_removed(w):
    shutil.rmtree(w.path / DIFFS)


def removed_middle(w):
    shutil.rmtree(w.entries[1])


def removed_first(w):
    shutil.rmtree(w.entries[0])


def replayed_older_entry(w):
    shutil.rmtree(w.entries[2])
    shutil.copytree(w.entries[0], w.entries[2])


def copied_to_a_new_slug(w):
    shutil.copytree(w.entries[0], w.path / ENTRIES / "20990101T000000000000Z")


def renamed_publication(w):
    w.entries[2].rename(w.path / ENTRIES / "20990101T000000000000Z")


def moved_to_another_measurement(w):
    (w.path / ENTRIES).rename((w.path / ENTRIES).parent / "faster")


def hidden_under_a_name_that_is_no_slug(w):
    w.entries[2].rename(w.entries[2].with_name(w.entries[2].name.lower()))


def link_in_place_of_a_file(w):
    path = w.diffs[0] / "diff.json"
    path.rename(w.path / "diff.json")
    path.symlink_to(w.path / "diff.json")


def link_in_place_of_a_publication(w):
    w.entries[2].rename(w.path / "elsewhere")
    w.entries[2].symlink_to(w.path / "elsewhere")


def fifo_in_place_of_a_file(w):
    (w.diffs[0] / "diff.html").unlink()
    os.mkfifo(w.diffs[0] / "diff.html")


def hard_link_to_another_file(w):
    (w.diffs[0] / "diff.json").unlink()
    os.link(w.diffs[1] / "diff.json", w.diffs[0] / "diff.json")


def envelope_is_a_link(w):
    path = w.diffs[0] / "attest/statement.dsse.json"
    path.rename(w.path / "envelope")
    path.symlink_to(w.path / "envelope")


def attest_is_a_link(w):
    (w.diffs[0] / "attest").rename(w.path / "attest")
    (w.diffs[0] / "attest").symlink_to(w.path / "attest")


def envelope_is_a_fifo(w):
    (w.diffs[0] / "attest/statement.dsse.json").unlink()
    os.mkfifo(w.diffs[0] / "attest/statement.dsse.json")


def swapped_envelopes(w):
    one, two, spare = w.diffs[0] / "attest", w.diffs[1] / "attest", w.path / "spare"
    one.rename(spare)
    two.rename(one)
    spare.rename(two)


def payload_edited(w):
    folder = w.diffs[1]
    envelope = json.loads((folder / "attest/statement.dsse.json").read_text())
    payload = base64.b64decode(envelope["payload"]).replace(b'"verdict": "RED"', b'"verdict": "GREEN"')
    signing.put(folder, payload, envelope["signatures"], base64.b64decode(envelope["signatures"][0]["sig"]))


def signature_edited(w):
    folder = w.diffs[1]
    envelope = json.loads((folder / "attest/statement.dsse.json").read_text())
    signature = bytearray(base64.b64decode(envelope["signatures"][0]["sig"]))
    signature[10] ^= 1
    envelope["signatures"][0]["sig"] = base64.b64encode(signature).decode()
    signing.put(folder, base64.b64decode(envelope["payload"]), envelope["signatures"], bytes(signature))


def envelope_removed(w):
    (w.diffs[2] / "attest/statement.dsse.json").unlink()


def signature_removed(w):
    shutil.rmtree(w.diffs[2] / "attest")


def statement_copy_edited(w):
    w.edit(w.diffs[1] / "attest/statement.json", '"verdict": "RED"', '"verdict": "GREEN"')


def pae_edited(w):
    w.edit(w.diffs[1] / "attest/pae.bin", '"verdict": "RED"', '"verdict": "GREEN"')


def detached_signature_edited(w):
    path = w.diffs[1] / "attest/statement.sig"
    path.chmod(0o644)
    signature = bytearray(path.read_bytes())
    signature[-1] ^= 1
    path.write_bytes(signature)


def extra_file_beside_the_envelope(w):
    shutil.copy(w.keys / "other.pub", w.diffs[0] / "attest/trusted.pub")


def envelope_is_no_json(w):
    path = w.diffs[0] / "attest/statement.dsse.json"
    path.unlink()
    path.write_text("[" * 100_000)


def another_statement_type(w):
    w.sign(w.diffs[0], dict(w.statement(w.diffs[0]), predicateType="https://slsa.dev/provenance/v1"))


def sequence_forged(w):
    """by a forger who has the team's key: the chain still tells"""
    statement = w.statement(w.entries[2])
    statement["predicate"]["chain"]["sequence"] = 7
    w.sign(w.entries[2], statement)


def middle_signed_anew(w):
    """by a forger who has the team's key: what came after it names another one"""
    w.edit(w.entries[1] / "baseline.json", '"notes": ""', '"notes": "x"')
    w.redo_sums(w.entries[1])
    w.sign(w.entries[1], about_these_files(w.entries[1], w.statement(w.entries[1])))


def history_signed_anew(w):
    """by a forger who has the team's key, and signs everything that came after it as well"""
    middle_signed_anew(w)
    statement = w.statement(w.entries[2])
    statement["predicate"]["chain"]["previous"]["sha256"] = hashlib.sha256((w.entries[1] / "attest/statement.dsse.json").read_bytes()).hexdigest()
    w.sign(w.entries[2], statement)


def sums_of_another_grammar(w):
    path = w.diffs[0] / "SHA256SUMS"
    path.chmod(0o644)
    path.write_text(path.read_text().replace("  ", " *"))


def sums_removed(w):
    (w.diffs[0] / "SHA256SUMS").unlink()


# what is done, and the codes that name it: with the pinned key, and by a stranger who has no key
CASES = (
    (changed_byte, {"digest_mismatch"}, {"digest_mismatch"}),
    (added_file, {"extra_file"}, {"extra_file"}),
    (removed_file, {"missing_file"}, {"missing_file"}),
    (renamed_file, {"extra_file", "missing_file"}, {"extra_file", "missing_file"}),
    (case_folded_name, {"extra_file", "missing_file"}, {"extra_file", "missing_file"}),
    (swapped_baseline, {"wrong_subject"}, {"wrong_subject"}),
    (edited_verdict, {"wrong_subject"}, {"wrong_subject"}),
    (changed_ceiling, {"wrong_subject"}, {"wrong_subject"}),
    (signed_anew_by_another, {"untrusted_key", "broken_chain"}, {"broken_chain"}),
    (another_under_the_trusted_name, {"bad_signature", "broken_chain"}, {"broken_chain"}),
    (truncated_chain, {"chain_truncated"}, {"chain_truncated"}),
    (line_removed, {"chain_truncated"}, {"chain_truncated"}),
    (removed_middle, {"chain_gap"}, {"chain_gap"}),
    (removed_first, {"chain_gap"}, {"chain_gap"}),
    (replayed_older_entry, {"wrong_place", "chain_fork", "chain_truncated"}, {"wrong_place", "chain_fork", "chain_truncated"}),
    (copied_to_a_new_slug, {"wrong_place", "chain_fork"}, {"wrong_place", "chain_fork"}),
    (renamed_publication, {"wrong_place"}, {"wrong_place"}),
    (moved_to_another_measurement, {"wrong_place", "chain_truncated"}, {"wrong_place", "chain_truncated"}),
    (hidden_under_a_name_that_is_no_slug, {"not_a_publication", "chain_truncated"}, {"not_a_publication", "chain_truncated"}),
    (link_in_place_of_a_file, {"not_a_regular_file"}, {"not_a_regular_file"}),
    (link_in_place_of_a_publication, {"not_a_publication", "chain_truncated"}, {"not_a_publication", "chain_truncated"}),
    (fifo_in_place_of_a_file, {"not_a_regular_file"}, {"not_a_regular_file"}),
    (hard_link_to_another_file, {"digest_mismatch"}, {"digest_mismatch"}),
    (envelope_is_a_link, {"not_a_regular_file", "malformed_envelope", "chain_gap"}, {"not_a_regular_file", "malformed_envelope", "chain_gap"}),
    (attest_is_a_link, {"not_a_regular_file", "unsigned", "chain_gap"}, {"not_a_regular_file", "chain_gap"}),
    (envelope_is_a_fifo, {"not_a_regular_file", "malformed_envelope", "chain_gap"}, {"not_a_regular_file", "malformed_envelope", "chain_gap"}),
    (swapped_envelopes, {"wrong_subject", "wrong_place", "broken_chain"}, {"wrong_subject", "wrong_place", "broken_chain"}),
    (payload_edited, {"bad_signature", "broken_chain"}, {"broken_chain"}),
    (signature_edited, {"bad_signature", "broken_chain"}, {"broken_chain"}),
    (envelope_removed, {"malformed_envelope", "unsigned", "chain_truncated"}, {"malformed_envelope", "chain_truncated"}),
    (signature_removed, {"unsigned", "chain_truncated"}, {"chain_truncated"}),
    (statement_copy_edited, {"statement_mismatch"}, {"statement_mismatch"}),
    (pae_edited, {"statement_mismatch"}, {"statement_mismatch"}),
    (detached_signature_edited, {"statement_mismatch"}, {"statement_mismatch"}),
    (extra_file_beside_the_envelope, {"attest_extra"}, {"attest_extra"}),
    (envelope_is_no_json, {"malformed_envelope", "chain_gap"}, {"malformed_envelope", "chain_gap"}),
    (another_statement_type, {"malformed_envelope", "chain_gap"}, {"malformed_envelope", "chain_gap"}),
    (sequence_forged, {"chain_gap"}, {"chain_gap"}),
    (middle_signed_anew, {"broken_chain"}, {"broken_chain"}),
    (history_signed_anew, {"broken_chain"}, {"broken_chain"}),
    (sums_of_another_grammar, {"bad_manifest", "wrong_subject"}, {"bad_manifest", "wrong_subject"}),
    (sums_removed, {"no_manifest", "wrong_subject"}, {"no_manifest", "wrong_subject"}),
)


def made(root):
    """three entries and three diffs, each line signed and chained"""
    root.write("busbw.json", {"busbw_gbps": 310.0, "config": {"gpu": "B200"}})
    for prefix, algorithm in (("team", "p256"), ("other", "ed25519")):
        root.json("keygen", "--out", root.path / f"keys/{prefix}", "--algorithm", algorithm)
    root.write("plumbline.yaml", "rules:\n  - set: {trusted_keys: [keys/team.pub]}\n")
    key = root.path / "keys/team.key"
    for value in (310, 312, 311):
        source = root.write("source.txt", f"{value}\n")
        entry = root.record(source, "--value", value, "--unit", "GB/s", "--direction", "higher-is-better", "--context", "hardware.gpu=B200",
                            "--ceiling", "b200_sm100.nvlink5_tbps", "--sign", key)
    for value in (311, 200, 312):
        root.json("diff", entry["entry_dir"], root.write("current.txt", f"{value}\n"), "--sign", key)


def verify(path, *more):
    done = subprocess.run([os.environ.get("PLUMBLINE", "plumbline"), "verify", path, "--json", "--response-format", "detailed", *map(str, more)],
                          capture_output=True, text=True, cwd=path, check=False,
                          env={k: v for k, v in os.environ.items() if not k.startswith(("PLUMBLINE_", "PROFILE_AND"))})
    if done.returncode not in (0, 1):
        raise AssertionError(f"exit {done.returncode}: {done.stderr}")
    return done.returncode, json.loads(done.stdout)


def named(result):
    return {problem["code"] for problem in result["problems"]}


with Root() as root:
    (root.path / "keys").mkdir()
    made(root)
    heads = root.write("heads.txt", root.run("checkpoint", "--repo-root", root.path).stdout)
    for label, arguments, trusted in (("pinned", ("--repo-root", root.path), True), ("flag", ("--trust", root.path / "keys/team.pub"), True)):
        status, result = verify(root.path, "--checkpoint", heads, *arguments)
        equal((status, result["ok"], result["signed"], result["trusted"], result["problems"]), (0, True, True, trusted, []), f"untouched, {label}")
        equal(result["counts"], {"lines": 2, "publications": 6, "signed": 6, "trusted": 6, "faulty": 0}, f"untouched, {label}")
    for act, pinned, stranger in CASES:
        with Root() as copy:
            shutil.copytree(root.path, copy.path, symlinks=True, dirs_exist_ok=True)
            act(World(copy.path, copy.path / "keys"))
            (copy.path / "nobody").mkdir()
            for what, wanted, arguments in ((f"{act.__name__}, pinned key", pinned, ("--repo-root", copy.path)),
                                            (f"{act.__name__}, no key", stranger, ("--repo-root", copy.path / "nobody"))):
                status, result = verify(copy.path, "--checkpoint", heads, *arguments)
                equal((status, result["ok"], result["trusted"]), (1, False, False), what)
                check(wanted <= named(result), f"{what}: {sorted(wanted)} not all in {sorted(named(result))}")
                check(named(result) <= wanted | {"broken_chain", "chain_gap"}, f"{what}: more than {sorted(wanted)}: {sorted(named(result))}")
                check(all(problem["path"] and problem["message"] for problem in result["problems"]), f"{what}: each has its place")
            said = subprocess.run([os.environ.get("PLUMBLINE", "plumbline"), "verify", copy.path, "--repo-root", copy.path, "--checkpoint", heads],
                                  capture_output=True, text=True, check=False, cwd=copy.path)
            check("verified" not in said.stdout, f"{act.__name__}: a text says verified:\n{said.stdout}")
    equal(len(CASES), len({act for act, *_ in CASES}), "each case once")

finish()
