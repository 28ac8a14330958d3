// A measurement as text, for goldens: one line a row, "key = values [unit] role direction|noise|context state 'text'", then the
// context, the headlines and the codes of the warnings.
#pragma once

#include <string>
#include <string_view>

#include "core/text.hpp"
#include "formats/format.hpp"
#include "tests/support/known_formats.hpp"

namespace plumbline::formats {

inline std::string listing_of(const core::Measurement& m) {
  std::string out = m.format.name + "\n";
  for (const core::Row& row : m.rows()) {
    out += std::string(m.key(row)) + " =";
    for (const double value : m.values(row)) out += " " + core::number_text(value);
    if (!m.unit(row).empty()) out += " [" + std::string(m.unit(row)) + "]";
    const core::MetricClass& c = m.metric_class(row);
    if (c.role != core::Role::judged) out += " " + std::string(core::to_string(c.role));
    if (c.role == core::Role::judged || c.role == core::Role::gate) out += " " + std::string(core::to_string(c.direction));
    if (row.state != core::ValueState::number) out += " " + std::string(core::to_string(row.state));
    if (row.text != 0) out += " '" + std::string(m.pool().view(row.text)) + "'";
    out += "\n";
  }
  for (const auto& [key, value] : m.context) out += "context " + key + " = " + value + "\n";
  for (const std::string& glob : m.declared.headlines) out += "headline " + glob + "\n";
  for (const core::Warning& warning : m.warnings) out += "! " + std::string(warning.code.text()) + "\n";
  return out;
}

// What reading this text gives, the format found by content.
inline std::string listing_of(std::string_view text, std::string name = "result", std::string format = {}) {
  Input input;
  input.name = std::move(name);
  input.bytes = text;
  ReadOptions options = testing::reading_all();
  options.format = std::move(format);
  const auto m = read(input, options);
  if (!m) return "error: " + m.error().message + (m.error().where.empty() ? "" : " (" + m.error().where + ")") + "\n";
  return listing_of(*m);
}

// The dims of the row of that key: "name=value name=value".
inline std::string dims_of(std::string_view text, std::string_view key) {
  Input input;
  input.name = "result";
  input.bytes = text;
  const auto m = read(input, testing::reading_all());
  if (!m) return "error: " + m.error().message;
  std::string out;
  for (const core::Row& row : m->rows()) {
    if (m->key(row) != key) continue;
    for (const auto& [name, value] : m->dims(row)) {
      out += (out.empty() ? "" : " ") + std::string(m->pool().view(name)) + "=" + std::string(m->pool().view(value));
    }
  }
  return out;
}

}  // namespace plumbline::formats
