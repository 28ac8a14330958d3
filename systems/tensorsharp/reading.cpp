#include "systems/tensorsharp/reading.hpp"

#include <cmath>

namespace plumbline::systems::tensorsharp {

using namespace formats;  // the readers' kit

Text::Text(std::string_view bytes) : bytes_(bytes) {
  const auto blank = [&](std::size_t begin, std::size_t end) {
    if (own_.empty()) own_ = bytes_;
    for (std::size_t i = begin; i < end; ++i) {
      if (own_[i] != '\n') own_[i] = ' ';
    }
  };
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    if (bytes[at] == '"') {
      for (++at; at < bytes.size() && bytes[at] != '"'; ++at) {
        if (bytes[at] == '\\') ++at;
      }
    } else if (bytes.substr(at, 2) == "//") {
      const std::size_t end = std::min(bytes.find('\n', at), bytes.size());
      blank(at, end);
      at = end;
    } else if (bytes.substr(at, 2) == "/*") {
      const std::size_t close = bytes.find("*/", at + 2);
      if (close == std::string_view::npos) return;  // the reader of JSON says where it stands
      blank(at, close + 2);
      at = close + 1;
    }
  }
}

json::Value Fields::find(std::string_view name) const {
  json::Value found;
  for (const auto [key, valid, value] : object_.members()) {
    if (key.size() == name.size() && core::starts_with_no_case(key, name)) found = value;
  }
  return found;
}

void Fields::refuse(const json::Value& value, std::string_view name, std::string_view expected) {
  if (!refused_.empty()) return;
  const json::Place place = value.place();
  refused_ = path_ + std::string(name) + " is not " + std::string(expected) + " (line " + std::to_string(place.line) + ")";
}

std::optional<std::string> Fields::optional_text(std::string_view name) {
  const json::Value value = find(name);
  if (!value || value.is_null()) return std::nullopt;
  if (!value.is_string()) refuse(value, name, "a string");
  return value.is_container() ? std::optional<std::string>() : std::string(value.text());
}
std::string Fields::text(std::string_view name) { return optional_text(name).value_or(""); }

std::optional<bool> Fields::optional_flag(std::string_view name) {
  const json::Value value = find(name);
  if (!value || value.is_null()) return std::nullopt;
  if (value.is_boolean()) return value.boolean();
  refuse(value, name, "true or false");
  return std::nullopt;
}
bool Fields::flag(std::string_view name) {
  if (const json::Value value = find(name); value && value.is_null()) refuse(value, name, "true or false");
  return optional_flag(name).value_or(false);
}

double Fields::number(std::string_view name) {
  const json::Value value = find(name);
  if (!value) return 0;
  if (value.is_number() && std::isfinite(value.number())) return value.number();
  refuse(value, name, "a number");
  if (!value.is_string()) return 0;
  const Leaf leaf = leaf_of_text(value.string());
  return leaf.has_value ? leaf.value : 0;
}

std::string Fields::time(std::string_view name) {
  const json::Value value = find(name);
  if (!value) return kNoTime;
  const auto time = read_time(value.string());
  if (time) return written_time(*time);
  refuse(value, name, "a time like 2026-05-26T00:00:00+00:00");
  return kNoTime;
}

Entry read_entry(Fields& fields) {
  Entry entry;
  entry.case_id = fields.text("case_id");
  entry.ok = fields.flag("ok");
  entry.correctness_ok = fields.optional_flag("correctness_ok");
  entry.prefill_tps = fields.number("prefill_tps");
  entry.decode_tps = fields.number("decode_tps");
  entry.model_load_ms = fields.number("model_load_ms");
  return entry;
}

CaseName case_name(std::string_view case_id) {
  std::string_view parts[4];
  std::size_t count = 0;
  while (count < 3) {
    const std::size_t end = case_id.find("__");
    if (end == std::string_view::npos) return {};
    parts[count++] = case_id.substr(0, end);
    case_id = case_id.substr(end + 2);
  }
  parts[3] = case_id;
  return {parts[0], parts[1], parts[2], parts[3]};
}

void add_cell(const Entry& entry, bool skipped, std::string_view why, DeclaredRows& rows) {
  const CaseName name = case_name(entry.case_id);
  const std::uint32_t point = rows.dims({{"model", std::string(name.model)},
                                         {"backend", std::string(name.backend)},
                                         {"feature", std::string(name.feature)},
                                         {"variant", std::string(name.variant)}});
  const std::string_view id = entry.case_id;
  const Declared check = gate(core::Direction::higher);
  if (skipped) {
    rows.add(id, "ok", point, check, Leaf{core::ValueState::null, 0, false, why});
    return;
  }
  const std::size_t first = rows.writer().out.rows().size();
  rows.add(id, "decode_tps", point, higher_is_better("tok/s"), entry.decode_tps);
  rows.add(id, "prefill_tps", point, higher_is_better("tok/s"), entry.prefill_tps);
  if (!entry.ok) rows.fail_from(first, why.empty() ? "the case failed" : why);
  rows.add(id, "ok", point, check, entry.ok ? 1.0 : 0.0);
  if (entry.correctness_ok) rows.add(id, "correctness_ok", point, check, *entry.correctness_ok ? 1.0 : 0.0);
  rows.add(id, "model_load_ms", point, for_context("ms"), entry.model_load_ms);
}

void Agreement::see(std::string_view case_id) {
  const CaseName name = case_name(case_id);
  if (first_) {
    model_ = name.model;
    backend_ = name.backend;
  }
  first_ = false;
  if (model_ != name.model) model_.clear();
  if (backend_ != name.backend) backend_.clear();
}

void Agreement::declare(DeclaredRows& rows) const {
  rows.context("identity.model", model_);
  rows.context("serving.backend", backend_);
  rows.writer().out.declared.tolerances = {{"*.decode_tps", "10%"}, {"*.prefill_tps", "10%"}};  // its own threshold
}

}  // namespace plumbline::systems::tensorsharp
