# Sourced by every client's script: installs the pinned client, makes a throw-away HOME with a project in it, starts the HTTP server.
set -uo pipefail
: "${PLUMBLINE:?PLUMBLINE names the program to test}" "${PLUMBLINE_SOURCE:?}"
failures=0
SERVER_PID=
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
end_server() { [ -z "$SERVER_PID" ] || kill "$SERVER_PID" 2>/dev/null; }

tools='perf_baseline_record perf_baseline_diff profile_diff perf_baseline_accept perf_baseline_history measurement_inspect bundle_verify search_evidence measurement_outliers'
