// One row as one line of JSON. Written for a million rows: no document tree, no allocation per row, and texts that many rows
// share (metric class, tolerance, dimensions) are rendered once and copied.
#include <algorithm>
#include <cmath>

#include "core/text.hpp"
#include "reports/json_parts.hpp"
#include "reports/text.hpp"
#include "reports/waivers.hpp"

namespace plumbline::reports {
namespace {

// Most keys need no escape; the check is several times cheaper than the general quoting.
void quote(std::string& out, std::string_view text) {
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte >= 0x7F || c == '"' || c == '\\') return core::append_quoted(out, text);
  }
  out += '"';
  out += text;
  out += '"';
}

void number(std::string& out, double value) {
  if (!std::isfinite(value)) {
    out += "null";
  } else if (std::fabs(value) < 1e9 && value == static_cast<double>(static_cast<std::int32_t>(value))) {
    core::append_number(out, static_cast<std::int64_t>(value));
  } else {
    core::append_number(out, value);
  }
}
void number(std::string& out, const std::optional<double>& value) {
  if (value)
    number(out, *value);
  else
    out += "null";
}

bool is_integer_text(std::string_view text) {
  if (!text.empty() && text.front() == '-') text.remove_prefix(1);
  if (text.empty() || (text.size() > 1 && text.front() == '0') || text.size() > 400) return false;
  return text.find_first_not_of("0123456789") == std::string_view::npos;
}

// A value; an integer beyond 2^53 by its own digits, as long as it is still in the file's unit.
void side_value(std::string& out, const std::optional<double>& value, std::string_view text) {
  if (value && std::fabs(*value) >= 9007199254740992.0 && is_integer_text(text) && core::parse_double(text) == *value) {
    out += text;
    return;
  }
  number(out, value);
}

void side_statistics(std::string& out, const char* name, const core::RowStatistics::Side& side) {
  out += name;
  out += "{\"mean\":";
  number(out, side.mean);
  out += ",\"std\":";
  number(out, side.stddev);
  out += ",\"median\":";
  number(out, side.median);
  out += ",\"min\":";
  number(out, side.min);
  out += ",\"max\":";
  number(out, side.max);
  if (side.median_interval) {
    out += ",\"median_interval\":[";
    number(out, side.median_interval->first);
    out += ',';
    number(out, side.median_interval->second);
    out += ']';
  }
  out += '}';
}

const char* truth(bool value) { return value ? "true" : "false"; }

void append_tolerance(std::string& text, const core::Tolerance& tolerance) {
  text += "{\"kind\":";
  quote(text, to_string(tolerance.kind));
  text += ",\"value\":";
  number(text, tolerance.value);
  text += ",\"source\":";
  quote(text, to_string(tolerance.source));
  text += '}';
}

// With its note, which says the line of the project file.
std::string tolerance_json(const core::Tolerance& tolerance) {
  std::string text;
  append_tolerance(text, tolerance);
  text.pop_back();
  if (!tolerance.note.empty()) {
    text += ",\"note\":";
    quote(text, tolerance.note);
  }
  return text + '}';
}

}  // namespace

RowWriter::RowWriter(const Rows& rows) : rows_(rows) {
  if (rows.comparison() == nullptr) return;
  for (const core::Tolerance& tolerance : rows.comparison()->tolerances) tolerance_text_.push_back(tolerance_json(tolerance));
}

// `"unit":…,"direction_source":…` of a class, made at its first row.
std::string_view RowWriter::class_text(const core::Measurement& side, bool of_baseline, std::uint32_t metric_class) {
  std::vector<std::string>& texts = class_text_[of_baseline ? 0 : 1];
  if (texts.size() <= metric_class) texts.resize(std::max<std::size_t>(side.classes().size(), metric_class + 1U));
  std::string& text = texts[metric_class];
  if (text.empty()) {
    text = ",\"unit\":";
    const std::string_view unit = side.pool().view(side.classes()[metric_class].unit);
    if (unit.empty())
      text += "null";
    else
      quote(text, unit);
  }
  return text;
}

void RowWriter::append(std::string& out, std::size_t index) {
  const RowView row = rows_.at(index);
  out += "{\"key\":";
  quote(out, row.key);
  out += ",\"dims\":";
  std::string_view direction_source = "format", direction_note;
  if (const core::Comparison* all = rows_.comparison(); all != nullptr) {
    const core::Delta& delta = all->deltas[index];
    const bool of_baseline = delta.baseline_row != core::kNoRow;
    const core::Measurement& side = of_baseline ? *all->baseline : *all->current;
    const core::Row* source = of_baseline ? &side.rows()[delta.baseline_row] : all->row(delta);
    if (source == nullptr) {
      out += "{},\"metric\":null,\"unit\":null";
    } else {
      if (dims_side_ != &side || dims_set_ != source->dims) {
        dims_side_ = &side;
        dims_set_ = source->dims;
        dims_text_ = "{";
        for (const auto& [name, value] : side.dims(*source)) {
          if (dims_text_.size() > 1) dims_text_ += ',';
          quote(dims_text_, side.pool().view(name));
          dims_text_ += ':';
          quote(dims_text_, side.pool().view(value));
        }
        dims_text_ += '}';
      }
      out += dims_text_;
      out += ",\"metric\":";
      quote(out, row.metric);
      out += class_text(side, of_baseline, source->metric_class);
      // The class's evidence speaks only of the direction that the class itself gave, not of one that a rule put over it.
      if (const core::MetricClass& made_by = side.metric_class(*source); made_by.direction_note != 0 &&
                                                                         made_by.direction == delta.direction &&
                                                                         made_by.direction_source == delta.direction_source) {
        direction_note = side.pool().view(made_by.direction_note);
      }
    }
    direction_source = to_string(delta.direction_source);
  } else {
    out += "{},\"metric\":\"total_time\",\"unit\":\"ns\"";
  }
  out += ",\"direction\":\"";
  out += to_string(row.direction);
  out += "\",\"direction_source\":\"";
  out += direction_source;
  if (!direction_note.empty() && row.direction != core::Direction::unknown) {
    out += "\",\"direction_note\":";
    quote(out, direction_note);
    out += ",\"state\":\"";
  } else {
    out += "\",\"state\":\"";
  }
  out += to_string(row.state);
  out += "\",\"suspect\":";
  out += truth(row.suspect);
  out += ",\"baseline\":";
  side_value(out, row.baseline, row.baseline_text);
  out += ",\"current\":";
  side_value(out, row.current, row.current_text);
  out += ",\"delta\":";
  number(out, row.delta);
  out += ",\"delta_pct\":";
  number(out, row.delta_pct);
  out += ",\"tolerance\":";
  if (row.tolerance == nullptr)
    out += "null";
  else
    out += tolerance_text_[static_cast<std::size_t>(row.tolerance - rows_.comparison()->tolerances.data())];
  out += ",\"exceeds\":";
  out += truth(row.exceeds);
  out += ",\"headline\":";
  out += truth(row.headline);
  out += ",\"gate\":";
  out += truth(row.gate);
  out += ",\"n_baseline\":";
  core::append_number(out, row.n_baseline);
  out += ",\"n_current\":";
  core::append_number(out, row.n_current);
  if (const core::RowStatistics* statistics = row.statistics; statistics != nullptr) {
    if (statistics->n_baseline > 1) side_statistics(out, ",\"baseline_stats\":", statistics->baseline);
    if (statistics->n_current > 1) side_statistics(out, ",\"current_stats\":", statistics->current);
    out += ",\"interval_pct\":";
    if (statistics->interval_low_pct || statistics->interval_high_pct) {
      out += '[';
      number(out, statistics->interval_low_pct);
      out += ',';
      number(out, statistics->interval_high_pct);
      out += ']';
    } else {
      out += "null";
    }
    out += ",\"p\":";
    number(out, statistics->p);
    out += ",\"mde_pct\":";
    number(out, statistics->mde_pct);
    if (statistics->trials_needed) {
      out += ",\"trials_needed\":";
      core::append_number(out, static_cast<std::uint64_t>(*statistics->trials_needed));
    }
  } else {
    out += ",\"interval_pct\":null,\"p\":null,\"mde_pct\":null";
  }
  if (row.sol != nullptr) {
    out += ",\"sol\":{\"ceiling_key\":";
    quote(out, row.sol->ceiling_key);
    out += ",\"baseline_pct\":";
    number(out, row.sol->baseline_pct);
    out += ",\"current_pct\":";
    number(out, row.sol->current_pct);
    out += ",\"delta_pp\":";
    number(out, row.sol->delta_pp);
    out += '}';
  }
  if (!row.baseline_text.empty()) {
    out += ",\"baseline_text\":";
    quote(out, row.baseline_text);
  }
  if (!row.current_text.empty()) {
    out += ",\"current_text\":";
    quote(out, row.current_text);
  }
  if (!row.note.empty()) {
    out += ",\"note\":";
    quote(out, row.note);
  }
  if (row.waiver != nullptr) {
    out += ",\"waiver\":";
    append_row_waiver(out, *row.waiver, SIZE_MAX);
  }
  out += '}';
}

void RowWriter::append_short(std::string& out, std::size_t index, std::size_t text_bytes) const {
  const RowView row = rows_.at(index);
  out += "{\"key\":";
  quote(out, shorten_bytes(row.key, text_bytes));
  out += ",\"baseline\":";
  number(out, row.baseline);
  out += ",\"current\":";
  number(out, row.current);
  out += ",\"delta\":";
  number(out, row.delta);
  out += ",\"delta_pct\":";
  number(out, row.delta_pct);
  out += ",\"unit\":";
  if (row.unit.empty())
    out += "null";
  else
    quote(out, shorten_bytes(row.unit, 32));
  out += ",\"direction\":\"";
  out += to_string(row.direction);
  out += "\",\"state\":\"";
  out += to_string(row.state);
  out += "\",\"suspect\":";
  out += truth(row.suspect);
  out += ",\"exceeds\":";
  out += truth(row.exceeds);
  out += ",\"headline\":";
  out += truth(row.headline);
  out += ",\"tolerance\":";
  if (row.tolerance == nullptr)
    out += "null";
  else
    append_tolerance(out, *row.tolerance);
  if (!row.baseline_text.empty() && !row.baseline) {
    out += ",\"baseline_text\":";
    quote(out, shorten_bytes(row.baseline_text, std::min<std::size_t>(text_bytes, 60)));
  }
  if (!row.current_text.empty() && !row.current) {
    out += ",\"current_text\":";
    quote(out, shorten_bytes(row.current_text, std::min<std::size_t>(text_bytes, 60)));
  }
  if (row.waiver != nullptr) {
    out += ",\"waiver\":";
    append_row_waiver(out, *row.waiver, text_bytes);
  }
  out += '}';
}

}  // namespace plumbline::reports
