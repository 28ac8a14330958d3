#!/usr/bin/env python3
"""The page of two captures and its diff.md, of the samples."""
from capture_page import look
from harness import SAMPLES, Root, finish, need_samples

need_samples("profiles/nsys", "profiles/kineto", "profiles/tracelens", "profiles/nsys-stats-csv")

PAIRS = (("nsys/mfu_2gpu_before.sqlite", "nsys/mfu_2gpu_after.sqlite"), ("kineto/control.json.gz", "kineto/test.json.gz"),
         ("tracelens/h100", "tracelens/mi300"), ("nsys-stats-csv/before_cuda_gpu_kern_sum.csv", "nsys-stats-csv/after_cuda_gpu_kern_sum.csv"))

with Root() as root:
    for left, right in PAIRS:
        look(root, root.json("profile-diff", SAMPLES / "profiles" / left, SAMPLES / "profiles" / right), left)

finish()
