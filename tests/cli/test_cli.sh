#!/bin/bash
# The program as a person or a job sees it: commands, standard streams, exit status, and every example of every help page.
set -u
: "${PLUMBLINE:?PLUMBLINE names the program to test}"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
unset PLUMBLINE_ROOT PROFILE_AND_OPTIMIZE_REPO_ROOT
export GIT_CEILING_DIRECTORIES="$folder"
failures=0

fail() { echo "FAILED: $*"; failures=$((failures + 1)); }
# run STATUS WORDS…: leaves standard output in out and standard error in err.
run() {
  local wanted=$1
  shift
  "$PLUMBLINE" "$@" >out 2>err </dev/null
  local status=$?
  [ "$status" = "$wanted" ] || { fail "plumbline $*: exit $status, not $wanted"; head -5 err; }
}
has() { grep -qF -- "$2" "$1" || { fail "$1 lacks: $2"; head -5 "$1"; }; }
empty() { [ ! -s "$1" ] || { fail "$1 is not empty after: $2"; head -3 "$1"; }; }
# is FILE TEXT: the file holds exactly that.
is() { [ "$(cat "$1")" = "$2" ] || { fail "$1 is not: $2"; head -5 "$1"; }; }

# Commands
run 0 --version; is out "plumbline $("$PLUMBLINE" version | cut -d' ' -f2)"; empty err --version
run 2; has err "Usage: plumbline COMMAND"; empty out "no command"
run 0 help; has out "profile-diff"; has out "serve"
run 0 --help; has out "COMMANDS"
run 0 help diff; has out "EXIT STATUS"; cp out help_diff
run 0 diff --help; cmp -s out help_diff || fail "help diff and diff --help differ"
run 0 perf_baseline_diff --help; cmp -s out help_diff || fail "the MCP name gives another help"
run 0 perf-baseline diff --help; cmp -s out help_diff || fail "perf-baseline diff gives another help"
run 0 profile profile-diff --help; has out "Usage: plumbline profile-diff"
run 0 help serve; has out "--allow-root"
run 2 recrd; is err $'plumbline: error: unknown command "recrd"\nhint: did you mean "record"?'; empty out recrd
run 2 perf-baseline dif; has err 'did you mean "perf-baseline diff"?'
run 2 perf-baseline; has err '"perf-baseline" needs a command'
run 2 --jsno; has err 'unknown flag "--jsno"'
run 2 help recrd; has err 'did you mean "record"?'
run 2 serve --https 127.0.0.1:1; has err 'unknown flag "--https"'; has err '--http'
for later in telemetry; do
  run 2 "$later"; has err "unknown command \"$later\""
done

# Usage errors print nothing on standard output, with --json too, and create nothing.
run 2 diff a b --tolerence-percent 3 --json
is err $'plumbline: error: unknown flag "--tolerence-percent"\nhint: did you mean "--tolerance-percent"?'; empty out "unknown flag"
echo 5 >number.txt
for value in --value=nan --value=inf --value=-inf; do
  run 2 record --repo-root . --family f --measurement m --source number.txt "$value"; has err finite
done
for name in ../outside /outside nested/x 'nested\x'; do
  run 2 record --repo-root . --family "$name" --measurement m --source number.txt; has err "safe path segment"
  run 2 record --repo-root . --family f --measurement "$name" --source number.txt; has err "safe path segment"
done
[ ! -e experiments ] || fail "a refused record created experiments/"
run 2 search x; has err "--repo-root"

# The root: a flag anywhere, or the environment.
run 0 inspect number.txt --json; has out '"shape": "scalar"'
mkdir root
run 0 --repo-root root search x
run 0 search x --repo-root=root
PLUMBLINE_ROOT=$folder/root run 0 search x
PROFILE_AND_OPTIMIZE_REPO_ROOT=$folder/root run 0 search x

# "-" is standard input, once, and where a path is taken.
echo '{"latency_ms": 10}' >ten.json; echo '{"latency_ms": 20}' >twenty.json
fed() { # file, status, words
  local file=$1 wanted=$2; shift 2
  "$PLUMBLINE" "$@" <"$file" >out 2>err; status=$?
  [ $status = "$wanted" ] || { fail "plumbline $* <$file: exit $status, not $wanted"; head -3 err; }
}
fed ten.json 0 inspect - --json; has out '"latency_ms"'
fed twenty.json 1 diff ten.json - --no-bundle --fail-on red; has out "RED"
fed ten.json 1 diff - twenty.json --no-bundle --fail-on red; has out "RED"
mkdir fed; fed ten.json 0 record --family f --measurement m --source - --notes - --repo-root fed; has out "f/m"
fed ten.json 2 diff - -; has err 'standard input can be read once, and "-" is there twice'
ls /tmp/plumbline-* 2>/dev/null | grep -q stdin && fail "standard input was left behind"

# Standard output is one JSON document with --json, has no colour off a terminal, and a full disk is an error.
run 0 inspect number.txt; grep -q $'\x1b' out && fail "colour in a file"
if [ -e /dev/full ]; then
  "$PLUMBLINE" help >/dev/full 2>err; status=$?
  [ $status = 3 ] || fail "writing to a full device: exit $status, not 3"
  has err "cannot write to standard output"
fi
"$PLUMBLINE" help | true
[ "${PIPESTATUS[0]}" = 0 ] || fail "a reader that leaves is no fault"

# verify: the gate
run 0 record --repo-root root --family f --measurement m --source number.txt
entry=$(echo "$folder"/root/experiments/artifacts/perf-baselines/f/m/2*)
run 0 verify "$entry"
cp -r "$entry" copied
run 0 verify copied
chmod -R u+w copied
echo 6 >"$(echo copied/source-snapshot*)"
run 1 verify copied; has err "plumbline: gate: verify: "
run 2 verify /nonexistent; empty out "verify of nothing"

# Every example of every help page runs, in the order of the pages, as a person would type it.
mkdir examples && cd examples || exit 1
mkdir before-csv after-csv
export PLUMBLINE_ROOT=$PWD
echo '{"throughput_toks_per_s": 100, "latency_p50_ms": 20, "latency_p99_ms": 40}' >before.json
echo '{"throughput_toks_per_s": 101, "latency_p50_ms": 20, "latency_p99_ms": 40}' >after.json
kernels='Time (%),Total Time (ns),Instances,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev (ns),Name'
api='Time (%),Total Time (ns),Num Calls,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev (ns),Name'
for side in before after; do
  { echo "$kernels"; echo '80.0,8000,8,1000.0,1000.0,900,1100,50.0,gemm'; echo '20.0,2000,4,500.0,500.0,400,600,50.0,copy'; } \
    >$side-csv/run_cuda_gpu_kern_sum.csv
  { echo "$api"; echo '100.0,1000,10,100.0,100.0,90,110,5.0,cudaLaunchKernel'; } >$side-csv/run_cuda_api_sum.csv
done
ran=0
for verb in record diff profile-diff accept history inspect verify search; do
  while IFS= read -r example; do
    bash -c "${example/#plumbline/\"\$PLUMBLINE\"}" >../out 2>../err </dev/null
    status=$?
    [ $status = 0 ] || { fail "example: $example: exit $status"; head -5 ../err; }
    ran=$((ran + 1))
  done < <("$PLUMBLINE" help "$verb" | sed -n '/^EXAMPLES$/,/^$/s/^  //p')
done
[ $ran -ge 10 ] || fail "only $ran examples found"
cd ..

[ $failures = 0 ] || { echo "$failures failed"; exit 1; }
echo "all passed"
