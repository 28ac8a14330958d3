// Results of checkpoint and keygen.
#include "core/json_writer.hpp"
#include "core/text.hpp"
#include "reports/budget.hpp"
#include "reports/json_parts.hpp"
#include "reports/reports.hpp"

namespace plumbline::reports {

namespace {

std::string line_name(const core::ChainHead& head) { return head.kind + "/" + head.family + "/" + head.measurement; }

std::string checkpoint_with(const core::CheckpointResult& result, const Share& share) {
  std::string text;
  JsonWriter json(text);
  json.begin_object().field("schema", "plumbline.result.checkpoint.v1");
  json.field("tool", "").field("verb", "checkpoint").field("safety", "read_only").place("root", result.root);
  json.field("unsigned_lines", result.unsigned_lines).key("heads").begin_array();
  const std::span<const core::ChainHead> heads = first(result.heads, share.items);
  for (const core::ChainHead& head : heads) {
    compact(json, [&](JsonWriter& out) {
      out.begin_object().place("envelope_sha256", head.envelope_sha256).field("sequence", head.sequence);
      out.field("kind", head.kind).field("family", head.family).field("measurement", head.measurement);
      out.field("slug", head.slug).end_object();
    });
  }
  json.end_array();
  write_omitted(json, "heads", result.heads.size(), heads.size());
  if (heads.size() < result.heads.size()) json.field("hint", "`plumbline checkpoint` without --json prints them all");
  json.end_object();
  return text + "\n";
}

}  // namespace

std::string checkpoint_json(const core::CheckpointResult& result, ResponseFormat format) {
  return fitted(format, [&](const Share& share) { return checkpoint_with(result, share); });
}

std::string checkpoint_text(const core::CheckpointResult& result) {
  std::string out;
  for (const core::ChainHead& head : result.heads)
    out += head.envelope_sha256 + "  " + std::to_string(head.sequence) + "  " + line_name(head) + "\n";
  if (result.heads.empty())
    out = "# nothing is signed: " + core::counted(result.unsigned_lines, "line") + " without a signed publication\n";
  return out;
}

std::string keygen_json(const core::KeygenResult& result) {
  std::string text;
  JsonWriter json(text);
  json.begin_object().field("schema", "plumbline.result.keygen.v1");
  json.field("tool", "").field("verb", "keygen").field("safety", "writes_artifacts");
  json.place("private_path", result.private_path).place("public_path", result.public_path);
  json.field("algorithm", result.algorithm).place("keyid", result.keyid).end_object();
  return text + "\n";
}

std::string keygen_text(const core::KeygenResult& result) {
  return "private key  " + result.private_path + "  (keep it secret, sign with it (`--sign`), never commit it)\n" +
         "public key   " + result.public_path + "  (commit it, and pin it in plumbline.yaml as one of trusted_keys)\n" +
         "key id       " + result.keyid + "  (" + result.algorithm + ")\n";
}

}  // namespace plumbline::reports
