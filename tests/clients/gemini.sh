#!/usr/bin/env bash
# Gemini CLI: `gemini mcp list` connects in a trusted folder, without a login.
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"
install_client @google/gemini-cli@0.61.0
gemini=$CLIENT/node_modules/.bin/gemini
"$gemini" --version >/dev/null 2>&1 || skip "gemini does not run here (Node $(node --version 2>/dev/null || echo missing))"
new_home
mkdir -p "$HOME/.gemini"
printf '{"%s":"TRUST_FOLDER"}\n' "$PROJECT" >"$HOME/.gemini/trustedFolders.json"
printf '{\n  // mine\n  "security": { "auth": { "selectedType": "gemini-api-key" } }\n}\n' >"$HOME/.gemini/settings.json"

"$PLUMBLINE" install --client gemini >/dev/null || fail "install --client gemini"
"$PLUMBLINE" install --client gemini --scope project --name profile_and_optimize >/dev/null || fail "install --scope project"
if start_http; then
  "$PLUMBLINE" install --client gemini --name plumbline_http --http "$HTTP_URL" >/dev/null || fail "install --http"
fi
list=$(timeout 120 "$gemini" mcp list 2>&1)
has "$list" 'plumbline: .*\(stdio\) - Connected' "gemini connects over stdio (scope user, file with a comment)"
has "$list" 'profile_and_optimize: .*\(stdio\) - Connected' "gemini connects over stdio (scope project)"
[ -z "$HTTP_URL" ] || has "$list" 'plumbline_http: .*\(http\) - Connected' "gemini connects over HTTP"
# Its own turn of a conversation, with a stand-in for the model (tool_calls.py): the client takes the calls to the server.
if [ -n "$HTTP_URL" ]; then
  calls_from_afar gemini
  start_api gemini
  GOOGLE_GEMINI_BASE_URL=$API_URL GEMINI_API_KEY=stand-in timeout 180 "$gemini" -p "measure" -m gemini-2.5-flash --approval-mode yolo \
    --allowed-mcp-server-names plumbline_http >"$WORK/said" 2>&1 </dev/null || { fail "gemini -p"; head -5 "$WORK/said"; }
  touch "$WORK/answers"
  results_from_afar gemini
fi
grep -q '// mine' "$HOME/.gemini/settings.json" && pass "the comment is still there" || fail "the comment in gemini's file is gone"
finish
