#!/usr/bin/env bash
# Codex: `codex app-server` starts the configured servers and lists their tools, without a login.
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"
install_client @openai/codex@0.169.0
codex=$CLIENT/node_modules/.bin/codex
"$codex" --version >/dev/null 2>&1 || skip "codex does not run here"
new_home

# status NAME: what codex says of that server.
status() {
  local line
  coproc APP { exec timeout 120 "$codex" app-server 2>/dev/null; }
  printf '%s\n' '{"id":1,"method":"initialize","params":{"clientInfo":{"name":"plumbline-tests","version":"1"}}}' '{"method":"initialized"}' \
    '{"id":2,"method":"mcpServerStatus/list","params":{}}' >&"${APP[1]}"
  while IFS= read -r -t 100 line <&"${APP[0]}"; do
    [[ $line == '{"id":2,'* ]] && break
  done
  kill "$APP_PID"
  wait "$APP_PID" 2>/dev/null
  jq -c --arg name "$1" '.result.data[] | select(.name == $name)' <<<"$line"
}
check() {
  local said listed
  said=$(status "$1")
  listed=$(jq -r '.tools | keys | sort | join(" ")' <<<"$said")
  if [ "$listed" = "$(tr ' ' '\n' <<<"$tools" | sort | paste -sd ' ')" ]; then pass "$2"; else fail "$2: ${said:0:400}"; fi
}

mkdir -p "$HOME/.codex"
printf '# my settings\nmodel = "gpt-5"\n\n[mcp_servers.other]\ncommand = "/bin/false" # not started\nenabled = false\n' >"$HOME/.codex/config.toml"
cp "$HOME/.codex/config.toml" "$WORK/before.toml"
"$PLUMBLINE" install --client codex >/dev/null || fail "install --client codex"
check plumbline "codex lists the tools over stdio"
"$PLUMBLINE" install --client codex --remove >/dev/null || fail "install --remove"
if cmp -s "$WORK/before.toml" "$HOME/.codex/config.toml"; then pass "codex's file is as before"; else fail "codex's file after --remove"; fi
if start_http; then
  "$PLUMBLINE" install --client codex --name plumbline_http --http "$HTTP_URL" >/dev/null || fail "install --http"
  check plumbline_http "codex lists the tools over HTTP"
  # `mcpServer/tool/call` takes a call to the server without a model.
  calls_from_afar codex
  coproc APP { exec timeout 120 "$codex" app-server 2>/dev/null; }
  say() { printf '%s\n' "$1" >&"${APP[1]}"; }
  hear() { while IFS= read -r -t 100 line <&"${APP[0]}"; do [[ $line == "{\"id\":$1,"* ]] && return; done; line=; }
  say '{"id":1,"method":"initialize","params":{"clientInfo":{"name":"plumbline-tests","version":"1"}}}'
  say '{"method":"initialized"}'
  say '{"id":2,"method":"thread/start","params":{}}'
  hear 2
  thread=$(jq -r '.result.thread.id' <<<"$line")
  for ((i = 0; i < $(jq length "$WORK/calls.json"); i++)); do
    say "$(jq -c --argjson i $i --arg thread "$thread" '{id: ($i + 3), method: "mcpServer/tool/call", params: {threadId: $thread,
      server: "plumbline_http", tool: .[$i].tool, arguments: .[$i].arguments}}' "$WORK/calls.json")"
    hear $((i + 3))
    printf '%s\n' "$line" >>"$WORK/answers"
  done
  kill "$APP_PID"
  wait "$APP_PID" 2>/dev/null
  results_from_afar codex
fi
finish
