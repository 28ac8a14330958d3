# Sourced by every client's script: installs the pinned client, makes a throw-away HOME with a project in it, starts the HTTP server.
set -uo pipefail
: "${PLUMBLINE:?PLUMBLINE names the program to test}" "${PLUMBLINE_SOURCE:?}"
failures=0
SERVER_PID=
API_PID=
pass() { echo "ok: $*"; }
fail() { echo "FAILED: $*"; failures=$((failures + 1)); }
skip() { echo "skipped: $*"; exit 0; }
finish() { [ "$failures" = 0 ] || { echo "$failures failed"; exit 1; }; }
# has TEXT PATTERN WHAT
has() { if grep -qE -- "$2" <<<"$1"; then pass "$3"; else fail "$3"; head -40 <<<"$1"; fi; }

# install_client PACKAGE@VERSION…: leaves its folder in CLIENT.
install_client() {
  command -v npm >/dev/null || skip "npm is not there"
  local key=${1//[^A-Za-z0-9.@-]/_}
  CLIENT=${XDG_CACHE_HOME:-$HOME/.cache}/plumbline-clients/$key
  if [ ! -e "$CLIENT/.complete" ]; then
    rm -rf "$CLIENT"
    mkdir -p "$CLIENT" && echo '{"private":true}' >"$CLIENT/package.json" || skip "cannot make $CLIENT"
    (cd "$CLIENT" && npm i --no-audit --no-fund "$@") >"$CLIENT/npm.log" 2>&1 || { tail -5 "$CLIENT/npm.log"; skip "npm cannot install $*"; }
    touch "$CLIENT/.complete"
  fi
}

# After install_client, whose caches stay the user's.
new_home() {
  WORK=$(mktemp -d)
  trap 'end_server; rm -rf "$WORK"' EXIT
  export HOME=$WORK/home PROJECT=$WORK/home/project
  unset XDG_CONFIG_HOME XDG_CACHE_HOME XDG_DATA_HOME CLAUDE_CONFIG_DIR CODEX_HOME GEMINI_CLI_HOME PLUMBLINE_ROOT PROFILE_AND_OPTIMIZE_REPO_ROOT
  mkdir -p "$PROJECT"
  cd "$PROJECT" || exit 1
  git init -q .
  cp "$PLUMBLINE_SOURCE/scripts/demo-data/all_reduce-baseline.json" measurement.json
}

# Leaves the endpoint in HTTP_URL; false when this program has no HTTP.
start_http() {
  HTTP_URL=${PLUMBLINE_HTTP_URL:-}
  [ -z "$HTTP_URL" ] || return 0
  exec {SERVER_LOG}< <(exec "$PLUMBLINE" serve --http 127.0.0.1:0 --repo-root "$PROJECT" 2>&1 >/dev/null </dev/null)
  SERVER_PID=$!
  local line
  while IFS= read -r -t 20 line <&"$SERVER_LOG"; do
    [[ $line =~ listening\ on\ (http://[^[:space:]]+) ]] && { HTTP_URL=${BASH_REMATCH[1]}; return 0; }
    [[ $line == *'unknown flag "--http"'* ]] && { echo "skipped: http (this program has no serve --http)"; return 1; }
  done
  fail "serve --http does not say where it listens: ${line:-}"
  return 1
}
end_server() {
  [ -z "$SERVER_PID" ] || kill "$SERVER_PID" 2>/dev/null
  [ -z "$API_PID" ] || kill "$API_PID" 2>/dev/null
}

# A measurement that lies with the client alone, handed over in the call and as an upload: leaves the calls in $WORK/calls.json, as
# [{tool, arguments}]. The folder is none that the server may read.
calls_from_afar() {
  local far=$WORK/far digest base=${HTTP_URL%/mcp}
  mkdir -p "$far"
  echo '{"decode": {"tokens_per_s": 1000.0}}' >"$far/before.json"
  echo '{"decode": {"tokens_per_s": 800.0}}' >"$far/after.json"
  local uploads=()
  for side in before after; do
    digest=$(sha256sum "$far/$side.json" | cut -d' ' -f1)
    curl -sf -T "$far/$side.json" "$base/blobs/sha256/$digest" >/dev/null || fail "upload of $side.json"
    uploads+=("blob:sha256:$digest")
  done
  jq -n --arg client "$1" --rawfile before "$far/before.json" --rawfile after "$far/after.json" --args '
    [{tool: "perf_baseline_record", arguments: {family: $client, measurement: "inline", content: $before, content_name: "a.json"}},
     {tool: "perf_baseline_diff", arguments: {baseline: ($client + "/inline"), content: $after, content_name: "b.json"}},
     {tool: "perf_baseline_record", arguments: {family: $client, measurement: "upload", source: $ARGS.positional[0]}},
     {tool: "perf_baseline_diff", arguments: {baseline: ($client + "/upload"), current: [$ARGS.positional[1]]}}]' "${uploads[@]}" >"$WORK/calls.json"
}

# results_from_afar CLIENT: what the server has, and that each answer came back to the client, in $WORK/answers as text.
results_from_afar() {
  local kind
  for kind in inline upload; do
    if compgen -G "$PROJECT/experiments/artifacts/perf-baselines/$1/$kind/*/SHA256SUMS" >/dev/null; then pass "$1 records over HTTP, $kind"
    else fail "$1 records over HTTP, $kind"; fi
    if compgen -G "$PROJECT/experiments/artifacts/perf-baseline-diffs/$1/$kind/*/SHA256SUMS" >/dev/null; then pass "$1 diffs over HTTP, $kind"
    else fail "$1 diffs over HTTP, $kind"; fi
  done
  local red
  red=$(grep -oE '\\*"verdict\\*": ?\\*"RED' "$WORK/answers" | wc -l)
  if [ "$red" -ge 2 ]; then pass "$1 was told both verdicts"; else fail "$1 was told $red verdicts"; head -c 1500 "$WORK/answers"; fi
}

# start_api KIND: the stand-in for a model, whose address it leaves in API_URL.
start_api() {
  exec {API_OUT}< <(exec "$PLUMBLINE_SOURCE/tests/clients/tool_calls.py" "$1" "$WORK/calls.json" "$WORK/answers" 2>"$WORK/api.log" </dev/null)
  API_PID=$!
  IFS= read -r -t 20 API_URL <&"$API_OUT" || fail "the stand-in for a model does not start"
}

tools='perf_baseline_record perf_baseline_diff profile_diff perf_baseline_accept perf_baseline_history measurement_inspect bundle_verify search_evidence measurement_outliers'
