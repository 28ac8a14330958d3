#!/usr/bin/env python3
"""One noisy single-trial comparison: 120 latency keys, 2 % CV, 5 % tolerance. Without a change it is not RED in at least 97
of 100 seeded draws; with three keys slower by 30 % it is RED in at least 95."""
import random

from harness import Root, check, finish

quiet = 0
loud = 0
with Root() as root:
    for seed in range(100):
        rng = random.Random(seed)
        level = {f"latency_{i:03}_ms": 5 + i for i in range(120)}
        before = {k: v * (1 + 0.02 * rng.gauss(0, 1)) for k, v in level.items()}
        after = {k: v * (1 + 0.02 * rng.gauss(0, 1)) for k, v in level.items()}
        baseline = root.write("b.json", before)
        same = root.json("diff", baseline, root.write("c.json", after), "--no-bundle")
        quiet += same["verdict"] != "RED"
        slower = dict(after)
        for key in rng.sample(sorted(slower), 3):
            slower[key] *= 1.30
        loud += root.json("diff", baseline, root.write("d.json", slower), "--no-bundle")["verdict"] == "RED"
print(f"not RED without a change: {quiet} of 100; RED with three keys slower by 30 %: {loud} of 100")
check(quiet >= 97, f"{quiet} of 100 quiet draws are not RED")
check(loud >= 95, f"{loud} of 100 draws with a change are RED")
finish()
