#!/usr/bin/env python3
"""Open MPI as it is: its ranks digest those of a job, and who merges names the broken one. Ends with one line; 77 where it cannot be
had."""
import os
import pathlib
import subprocess
import tempfile
import time

from support.ranks import BROKEN, check_digests, run_recipe, write_traces
from support.slurm_server import install


def main():
    install(("mpirun",), ("openmpi-bin",))
    # On loopback alone, as root in a container, and with more ranks than processors.
    environment = {**os.environ, "OMPI_MCA_oob_tcp_if_include": "lo", "OMPI_MCA_btl_tcp_if_include": "lo", "OMPI_ALLOW_RUN_AS_ROOT": "1",
                   "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_rmaps_base_oversubscribe": "1"}
    with tempfile.TemporaryDirectory(prefix="plumbline-mpirun-") as place:
        folder = pathlib.Path(place)
        write_traces(folder / "traces")
        began = time.monotonic()
        run_recipe("Open MPI", folder, environment)
        took = time.monotonic() - began
        check_digests(folder / "digests")
        version = subprocess.run(["mpirun", "--version"], stdout=subprocess.PIPE, text=True, env=environment, check=True).stdout.split("\n")[0]
    print(f"mpirun: good ({version}: 16 ranks and merge in {took:.1f} s, rank {BROKEN} named)")


main()
