"""inferencebench for the tests, written from its rules alone: envelopes, their hashes and signatures, its diff as JSON and as a
table. Ed25519 is RFC 8032 section 5.1 in Python's integers: slow, and no package."""
import base64
import hashlib
import json
import math

LOWER = set("""ttft_p50_ms ttft_p99_ms tpot_p50_ms tpot_p99_ms total_p50_ms total_p99_ms joules_per_token
cost_usd_per_million_tokens power_avg_w power_peak_w energy_joules_total wer_mean wer_p50 wer_p95 cer_mean cer_p50 cer_p95
timeout_rate""".split())
HIGHER = set("""throughput_tok_per_s req_per_s_passing req_per_s_all compliance_rate ok_rate goodput_at_slo accuracy accuracy_p05
accuracy_p50 accuracy_p95 recall_at_5_mean recall_at_5_p50 mrr_at_10_mean mrr_at_10_p50 ndcg_at_10_mean ndcg_at_10_p50 chrf_mean
chrf_p50 chrf_p95 bleu_mean bleu_p50 bleu_p95 exact_match_rate pass_at_1 pass_at_1_p05 pass_at_1_p50 pass_at_1_p95 pass_at_k
pass_at_k_mean""".split())

# --- Ed25519
P = 2**255 - 19
L = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, P - 2, P) % P


def _x_of(y, odd):
    square = (y * y - 1) * pow(D * y * y + 1, P - 2, P) % P
    x = pow(square, (P + 3) // 8, P)
    if (x * x - square) % P:
        x = x * pow(2, (P - 1) // 4, P) % P
    return P - x if x & 1 != odd else x


_Y = 4 * pow(5, P - 2, P) % P
BASE = (_x_of(_Y, 0), _Y)


def _add(a, b):
    (x1, y1), (x2, y2) = a, b
    t = D * x1 * x2 * y1 * y2
    return ((x1 * y2 + x2 * y1) * pow(1 + t, P - 2, P) % P, (y1 * y2 + x1 * x2) * pow(1 - t, P - 2, P) % P)


def _times(n, point):
    result = (0, 1)
    while n:
        if n & 1:
            result = _add(result, point)
        point = _add(point, point)
        n >>= 1
    return result


def _encoded(point):
    return (point[1] | (point[0] & 1) << 255).to_bytes(32, "little")


def _expanded(seed):
    digest = hashlib.sha512(seed).digest()
    scalar = int.from_bytes(digest[:32], "little")
    return scalar & ((1 << 254) - 8) | 1 << 254, digest[32:]


def public_key(seed):
    return _encoded(_times(_expanded(seed)[0], BASE))


def sign(seed, message):
    scalar, prefix = _expanded(seed)
    public = public_key(seed)
    r = int.from_bytes(hashlib.sha512(prefix + message).digest(), "little") % L
    point = _encoded(_times(r, BASE))
    h = int.from_bytes(hashlib.sha512(point + public + message).digest(), "little") % L
    return point + ((r + h * scalar) % L).to_bytes(32, "little")


def pem(seed):
    spki = bytes.fromhex("302a300506032b6570032100") + public_key(seed)
    return f"-----BEGIN PUBLIC KEY-----\n{base64.b64encode(spki).decode()}\n-----END PUBLIC KEY-----"


# --- envelopes
def digest(value):
    return hashlib.sha256(json.dumps(value, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


def fingerprint(hardware):
    body = {k: v for k, v in hardware.items() if k != "fingerprint_sha256"}
    body["gpus"] = sorted(body["gpus"], key=lambda gpu: gpu["pci_id"])
    return digest(body)


def envelope(metrics, **changes):
    """An envelope of no machine that exists; changes are by dotted path with __ for the dots."""
    gpu = {"model": "Example GPU 80GB", "serial": "0000000000001", "vbios": "01.02.03"}
    hardware = {
        "dmi_uuid": "unknown", "gpus": [dict(gpu, pci_id="0000:02:00.0"), dict(gpu, pci_id="0000:01:00.0")],
        "cpu": {"model": "Example CPU", "microcode": "0x1"}, "memory": {"channels": 8, "speed_mts": 4800, "ecc": True},
        "bios": {"version": "1.0", "resizable_bar": True, "above_4g": True},
        "numa": {"nodes": [{"id": 0, "cpus": [0, 1], "memory_mb": 1024}]}, "driver": "580.1", "cuda": "13.0", "nccl": "2.28"}
    made = {
        "envelope_version": "v1", "suite_id": "llm.inference.example", "suite_version": "1.0.0",
        "run_id": "0190aaaa-0000-7000-8000-000000000001", "timestamp": "2026-06-01T10:00:00.250000Z",
        "model": {"id": "example/model-8b", "revision": "abc1234", "provider": "vllm", "endpoint_hash": "1" * 64},
        "engine": {"name": "vllm", "version": "0.22.1", "config_hash": "2" * 64, "image_digest": ""},
        "quantization": {"format": "bf16", "method": ""}, "hardware_fingerprint": hardware,
        "software_provenance": {"image_digest": "", "pip_freeze_hash": "3" * 64, "git_commit": "4" * 40, "nvidia_smi_q_hash": "5" * 64},
        "dataset": {"id": "example-prompts", "hash": "6" * 64}, "seed": 42, "driver_options": {}, "metrics": metrics,
        "distributions": {}, "slo_template": "llm.standard", "warnings": [], "signature": None}
    for path, value in changes.items():
        *parents, last = path.split("__")
        place = made
        for parent in parents:
            place = place[parent]
        place[last] = value
    hardware.setdefault("fingerprint_sha256", fingerprint(hardware))
    return made


def content_hash(made):
    """Of the file's own JSON, which is the model's too where nothing is left out and no text is padded."""
    return digest({k: v for k, v in made.items() if k != "signature"})


def signed(made, seed, message=None):
    signature = sign(seed, (message or content_hash(made)).encode())
    return dict(made, signature={"method": "dev-key", "certificate": pem(seed), "rekor_log_index": -1,
                                 "bundle": base64.b64encode(signature).decode()})


# --- its diff
def number(value):
    if value is None or isinstance(value, str) or math.isnan(value):
        return None
    return float(value)


def classify(name, base, cand, tolerance):
    if base is not None and cand is None:
        return None, None, "missing"
    if base is None and cand is not None:
        return None, None, "unknown"
    if base is None:
        return None, None, "no_change"
    change = cand - base
    relative = None if base == 0 else change / abs(base)
    if name not in LOWER | HIGHER:
        return change, relative, "unknown"
    if relative is not None and abs(relative) <= tolerance or relative is None and change == 0:
        return change, relative, "no_change"
    better = change < 0 if name in LOWER else change > 0
    return change, relative, "improvement" if better else "regression"


def rows_of(baseline, candidate, tolerance):
    rows = []
    for name in sorted({*baseline["metrics"], *candidate["metrics"]}):
        b, c = (number(side["metrics"].get(name)) for side in (baseline, candidate))
        change, relative, verdict = classify(name, b, c, tolerance)
        rows.append({"name": name, "baseline": b, "candidate": c, "delta_abs": change, "delta_rel": relative, "verdict": verdict})
    return rows


def context_of(baseline, candidate):
    fields = {
        "suite_id": lambda e: e["suite_id"], "model_id": lambda e: e["model"]["id"], "engine_name": lambda e: e["engine"]["name"],
        "engine_version": lambda e: e["engine"]["version"],
        "quantization_format": lambda e: e["quantization"]["format"] if e["quantization"] else None,
        "hardware_fingerprint": lambda e: e["hardware_fingerprint"]["fingerprint_sha256"]}
    match = {name: {"baseline": f(baseline), "candidate": f(candidate), "match": f(baseline) == f(candidate)} for name, f in fields.items()}
    match["all_match"] = all(one["match"] for one in match.values())
    return match


def diff_json(names, baseline, candidate, tolerance):
    return json.dumps({"baseline_path": names[0], "candidate_path": names[1], "context_match": context_of(baseline, candidate),
                       "metrics": rows_of(baseline, candidate, tolerance)}, indent=2, ensure_ascii=False) + "\n"


def table_order(rows):
    def key(row):
        bucket = {"regression": 0, "improvement": 1}.get(row["verdict"], 2)
        severity = (row["delta_rel"] or 0.0) * (1 if row["name"] in LOWER else -1)
        return bucket, (-severity, severity, 0.0)[bucket], row["name"]
    return sorted(rows, key=key)


def shown(value, sign=""):
    if value is None:
        return "-"
    if abs(value) >= 100:
        return f"{sign}{value:,.1f}"
    return f"{sign}{value:.2f}" if abs(value) >= 1 else f"{sign}{value:.4f}"


def diff_table(baseline, candidate, tolerance):
    def plus(value):
        return "+" if value is not None and value > 0 else ""

    def verdict(row):
        if row["verdict"] in ("improvement", "regression"):
            return ("↑ " if row["delta_abs"] > 0 else "↓ ") + row["verdict"]
        return {"no_change": "≈", "unknown": "?", "missing": "missing"}[row["verdict"]]

    lines = [["Metric", "Baseline", "Candidate", "Δ abs", "Δ rel", "Verdict"]]
    for row in table_order(rows_of(baseline, candidate, tolerance)):
        relative = row["delta_rel"]
        percent = "n/a" if relative is None else f"{plus(relative)}{relative * 100:.2f}%"
        lines.append([row["name"], shown(row["baseline"]), shown(row["candidate"]), shown(row["delta_abs"], plus(row["delta_abs"])),
                      percent, verdict(row)])
    widths = [max(len(line[i]) for line in lines) for i in range(6)]

    def drawn(line, bar):
        cells = [text.ljust(w) if i in (0, 5) else text.rjust(w) for i, (text, w) in enumerate(zip(line, widths))]
        return bar + bar.join(f" {cell} " for cell in cells) + bar

    def ruled(left, dash, middle, right):
        return left + middle.join(dash * (w + 2) for w in widths) + right

    match = context_of(baseline, candidate)
    out = []
    if not match["all_match"]:
        differ = [f"{k} ({v['baseline']} -> {v['candidate']})" for k, v in match.items() if k != "all_match" and not v["match"]]
        out += ["warning: baseline and candidate differ on: " + ", ".join(differ),
                "diffing across different contexts is supported, but interpret the deltas with care."]
    total = sum(widths) + 3 * 6 + 1
    title = "Envelope diff"
    left = (total - len(title)) // 2
    out += [(" " * left + title).ljust(total), ruled("┏", "━", "┳", "┓"), drawn(lines[0], "┃"), ruled("┡", "━", "╇", "┩")]
    out += [drawn(line, "│") for line in lines[1:]] + [ruled("└", "─", "┴", "┘")]
    return "\n".join(out) + "\n"
