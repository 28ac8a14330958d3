#!/usr/bin/env bash
# Claude Code: `claude mcp list` connects for real, without a login; `claude plugin validate` checks the plugin.
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"
install_client @anthropic-ai/claude-code-linux-x64@2.1.329
claude=$CLIENT/node_modules/@anthropic-ai/claude-code-linux-x64/claude
"$claude" --version >/dev/null 2>&1 || skip "claude does not run here"
new_home
export CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1 DISABLE_AUTOUPDATER=1

"$PLUMBLINE" install --client claude >/dev/null || fail "install --client claude"
"$PLUMBLINE" install --client claude --scope local --name plumbline_local >/dev/null || fail "install --scope local"
"$PLUMBLINE" install --client claude --scope project --name profile_and_optimize >/dev/null || fail "install --scope project"
if start_http; then
  "$PLUMBLINE" install --client claude --name plumbline_http --http "$HTTP_URL" >/dev/null || fail "install --http"
fi
list=$(timeout 120 "$claude" mcp list 2>&1)
has "$list" '^plumbline: .* Connected' "claude connects over stdio (scope user)"
has "$list" '^plumbline_local: .* Connected' "claude connects over stdio (scope local)"
has "$list" '^profile_and_optimize: .* Pending approval' "claude sees the project's server and asks for approval"
[ -z "$HTTP_URL" ] || has "$list" '^plumbline_http: .* Connected' "claude connects over HTTP"

# Its own turn of a conversation, with a stand-in for the model (tool_calls.py): the client takes the calls to the server.
if [ -n "$HTTP_URL" ]; then
  calls_from_afar claude
  start_api anthropic
  ANTHROPIC_BASE_URL=$API_URL ANTHROPIC_API_KEY=stand-in ENABLE_TOOL_SEARCH=false timeout 180 "$claude" -p "measure" --model sonnet \
    --allowedTools mcp__plumbline_http__perf_baseline_record,mcp__plumbline_http__perf_baseline_diff >"$WORK/said" 2>&1 </dev/null ||
    { fail "claude -p"; head -5 "$WORK/said"; }
  touch "$WORK/answers"
  results_from_afar claude
fi

"$PLUMBLINE" install --client claude --remove >/dev/null || fail "install --remove"
list=$(timeout 120 "$claude" mcp list 2>&1)
if grep -q '^plumbline: ' <<<"$list"; then fail "claude still lists a removed server"; else pass "claude does not list a removed server"; fi
has "$list" '^plumbline_local: .* Connected' "the others are still there"

# The plugin: the client's own lint, and the launcher where plumbline is not on PATH.
out=$(timeout 60 "$claude" plugin validate "$PLUMBLINE_SOURCE" --strict 2>&1) && pass "claude plugin validate --strict" || fail "claude plugin validate --strict: $out"
finish
