#!/usr/bin/env python3
"""Real captures: what `record --redact` keeps of each is read as the original is, name by name and number by number."""
from harness import SAMPLES, Root, finish, need_samples
from redaction import same_profile

need_samples("profiles")

with Root() as root:
    profiles = SAMPLES / "profiles"
    for i, sample in enumerate(sorted([*profiles.rglob("*.sqlite"), *profiles.rglob("*.json.gz"), *profiles.rglob("*.cpu")])):
        if "no_kernels" not in sample.name:
            same_profile(root, sample, f"sample{i}", sample.name)

finish()
