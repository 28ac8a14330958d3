"""A reader of what scrapers read, written from the OpenMetrics 1.0 specification and from Prometheus' description of its text
format, and from nothing of ours. It takes no page that breaks a rule."""
import math
import re

NAME = r"[a-zA-Z_:][a-zA-Z0-9_:]*"
LABEL = re.compile(r'([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\["\\n])*)"')
SAMPLE = re.compile(rf"({NAME})(?:\{{(.*)\}})? ([^ ]+)$")
SUFFIXES = {"counter": {"_total", "_created"}, "gauge": {""}, "info": {"_info"}, "unknown": {""},
            "histogram": {"_bucket", "_sum", "_count", "_created"}, "summary": {"", "_sum", "_count", "_created"},
            "stateset": {""}, "gaugehistogram": {"_bucket", "_gsum", "_gcount"}}


class Wrong(Exception):
    pass


def need(truth, what):
    if not truth:
        raise Wrong(what)


def labels_of(text):
    labels, at = {}, 0
    while at < len(text or ""):
        found = LABEL.match(text, at)
        need(found, f"labels: {text!r}")
        need(found[1] not in labels, f"the label {found[1]} is there twice")
        labels[found[1]] = found[2]
        at = found.end()
        if at < len(text):
            need(text[at] == ",", f"labels: {text!r}")
            at += 1
    return labels


def number_of(text):
    special = {"+Inf": math.inf, "-Inf": -math.inf, "NaN": math.nan}
    if text in special:
        return special[text]
    need(re.fullmatch(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", text), f"no number: {text!r}")
    return float(text)


class Family:
    def __init__(self, name):
        self.name, self.type, self.unit, self.help, self.samples = name, None, None, None, []


def check_histogram(family, floats):
    groups = {}
    for name, labels, value in family.samples:
        rest = tuple(sorted((key, text) for key, text in labels.items() if key != "le"))
        group = groups.setdefault(rest, {"buckets": [], "_sum": None, "_count": None})
        suffix = name[len(family.name):]
        if suffix == "_bucket":
            need("le" in labels, f"{name} without le")
            need(not floats or labels["le"] == "+Inf" or re.search(r"[.e]", labels["le"]), f"le={labels['le']!r} is no canonical number")
            group["buckets"].append((number_of(labels["le"]), value))
        else:
            group[suffix] = value
    for rest, group in groups.items():
        bounds = [bound for bound, _ in group["buckets"]]
        counts = [count for _, count in group["buckets"]]
        need(bounds and bounds == sorted(set(bounds)) and bounds[-1] == math.inf, f"{family.name}{rest}: buckets rise to +Inf: {bounds}")
        need(counts == sorted(counts), f"{family.name}{rest}: counts add up: {counts}")
        need(group["_count"] == counts[-1], f"{family.name}{rest}: _count is that of +Inf")
        need(group["_sum"] is not None and group["_sum"] >= 0, f"{family.name}{rest}: _sum")


def check_family(family, openmetrics):
    need(family.type, f"{family.name} has no TYPE")
    seen = set()
    for name, labels, value in family.samples:
        key = (name, tuple(sorted(labels.items())))
        need(key not in seen, f"{key} is there twice")
        seen.add(key)
        if family.type in ("counter", "histogram"):
            need(value >= 0 and not math.isnan(value), f"{name} {value}")
        if family.type == "info":
            need(value == 1, f"{name} is a fact: {value}")
    if family.unit:
        need(family.name.endswith("_" + family.unit), f"{family.name} does not end in its unit {family.unit}")
        need(family.type not in ("info", "stateset"), f"{family.name}: a unit of a fact")
    if openmetrics and family.type == "counter":
        need(not family.name.endswith("_total"), f"the family is {family.name} without _total")
    if family.type == "histogram":
        check_histogram(family, openmetrics)


def read(page, openmetrics):
    """Families by name."""
    need(page.endswith("\n"), "the last line has no end")
    lines = page[:-1].split("\n")
    if openmetrics:
        need(lines and lines[-1] == "# EOF", f"the last line is # EOF: {lines[-1]!r}")
        lines.pop()
    families, family = {}, None
    for line in lines:
        need(line == line.rstrip() and "\r" not in line and line, f"blanks: {line!r}")
        if line.startswith("#"):
            found = re.fullmatch(rf"# (HELP|TYPE|UNIT) ({NAME})(?: (.*))?", line)
            need(found, f"not a line of any kind: {line!r}")
            kind, name, text = found.groups()
            if family is None or family.name != name:
                need(name not in families, f"{name} comes back after another family")
                family = families[name] = Family(name)
            need(getattr(family, kind.lower()) is None, f"{kind} of {name} is there twice")
            need(not family.samples, f"{kind} of {name} comes behind its samples")
            need(kind != "UNIT" or openmetrics, "UNIT is OpenMetrics'")
            setattr(family, kind.lower(), text or "")
            if kind == "TYPE":
                known = SUFFIXES if openmetrics else {"counter", "gauge", "histogram", "summary", "untyped"}
                need(text in known, f"{name} is of no known type: {text}")
            continue
        found = SAMPLE.fullmatch(line)
        need(found, f"no sample: {line!r}")
        name, labels, value = found[1], labels_of(found[2]), number_of(found[3])
        need(family is not None, f"a sample without a family: {line!r}")
        if openmetrics:
            need(name in {family.name + suffix for suffix in SUFFIXES[family.type]}, f"{name} is not of {family.name} ({family.type})")
        else:
            suffixes = ("_bucket", "_sum", "_count") if family.type == "histogram" else ("",)
            need(name in {family.name + suffix for suffix in suffixes}, f"{name} is not of {family.name} ({family.type})")
        family.samples.append((name, labels, value))
    for each in families.values():
        check_family(each, openmetrics)
    return families
