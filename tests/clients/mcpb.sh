#!/usr/bin/env bash
# MCPB: the bundle's own tool checks its manifest, unpacks the bundle and tells of it.
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"
install_client @anthropic-ai/mcpb@2.1.2
mcpb=$CLIENT/node_modules/.bin/mcpb
"$mcpb" --version >/dev/null 2>&1 || skip "mcpb does not run here"
new_home
bundle=$("$PLUMBLINE_SOURCE/scripts/mcpb" "$WORK/made" | head -1) || fail "scripts/mcpb"
out=$("$mcpb" unpack "$bundle" "$WORK/unpacked" 2>&1) && pass "mcpb unpack takes the bundle" || fail "mcpb unpack: $out"
out=$("$mcpb" validate "$WORK/unpacked/manifest.json" 2>&1) && pass "mcpb validate takes what is in it" || fail "mcpb validate: $out"
out=$("$mcpb" info "$bundle" 2>&1) && pass "mcpb info takes it" || fail "mcpb info: $out"
echo '{"jsonrpc":"2.0","id":1,"method":"ping"}' |
  LD_LIBRARY_PATH="$WORK/unpacked/server/lib" "$WORK/unpacked/server/plumbline" serve --stdio --repo-root "$PROJECT" |
  grep -q '"result":{}' && pass "the unpacked program answers" || fail "the unpacked program does not answer"
finish
