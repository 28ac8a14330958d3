// inferencebench's two reports: the table as its terminal library draws it (heavy head, light body), and its JSON.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "core/citing.hpp"
#include "core/columns.hpp"
#include "core/json_writer.hpp"
#include "systems/inferencebench/model.hpp"
#include "systems/inferencebench/system.hpp"
#include "systems/python_text.hpp"

namespace plumbline::systems::inferencebench {

namespace {

using core::JsonWriter;
using core::one_line;
using core::pad_left;
using core::pad_right;

std::string_view word_of(RowVerdict verdict) {
  switch (verdict) {
    case RowVerdict::regression:
      return "regression";
    case RowVerdict::improvement:
      return "improvement";
    case RowVerdict::no_change:
      return "no_change";
    case RowVerdict::unknown:
      return "unknown";
    case RowVerdict::missing:
      return "missing";
  }
  return "unknown";
}

void write_number(JsonWriter& json, std::string_view name, const std::optional<double>& value) {
  json.key(name);
  if (value)
    json.value(*value);  // what is not finite becomes null
  else
    json.null();
}

void fields(JsonWriter& json, const core::NativeReport& native, std::size_t rows) {
  const auto& report = *core::native_detail<Report>(native);
  json.field("tolerance", report.tolerance);
  json.field("baseline_path", report.baseline_path).field("candidate_path", report.candidate_path);
  json.key("context_match").begin_object();
  for (const ContextField& field : report.context) {
    json.key(field.name);
    compact(json, [&](JsonWriter& one) {
      one.begin_object().field_or_null("baseline", field.baseline).field_or_null("candidate", field.candidate);
      one.field("match", field.match).end_object();
    });
  }
  json.field("all_match", report.all_match).end_object();
  // In the order of its table, so that what a short list keeps is what matters.
  const std::vector<const Row*> ordered = in_table_order(report);
  const std::size_t shown = std::min(rows, ordered.size());
  json.key("metrics").begin_array();
  for (std::size_t i = 0; i < shown; ++i) {
    const Row& row = *ordered[i];
    compact(json, [&](JsonWriter& one) {
      one.begin_object().field("name", row.name);
      write_number(one, "baseline", row.baseline);
      write_number(one, "candidate", row.candidate);
      write_number(one, "delta_abs", row.delta_abs);
      write_number(one, "delta_rel", row.delta_rel);
      one.field("verdict", word_of(row.verdict)).end_object();
    });
  }
  json.end_array();
  write_omitted(json, "metrics", ordered.size(), shown);
}

// --- its table

std::string fixed(double value, int decimals, bool grouped_thousands) {
  std::array<char, 400> text{};
  std::snprintf(text.data(), text.size(), "%.*f", decimals, value);
  std::string out = text.data();
  if (!std::isfinite(value)) return std::isnan(value) ? "nan" : value < 0 ? "-inf" : "inf";
  if (grouped_thousands) {
    const std::size_t sign = out.front() == '-' ? 1 : 0;
    const std::size_t point = out.find('.');
    for (std::size_t at = point == std::string::npos ? out.size() : point; at > sign + 3;) out.insert(at -= 3, ",");
  }
  return out;
}

std::string value_text(const std::optional<double>& value) {
  if (!value) return "-";
  const double size = std::fabs(*value);
  if (size >= 100) return fixed(*value, 1, true);
  return fixed(*value, size >= 1 ? 2 : 4, false);
}

std::string change_text(const std::optional<double>& value) { return (value && *value > 0 ? "+" : "") + value_text(value); }

std::string percent_text(const std::optional<double>& value) {
  if (!value) return "n/a";
  return (*value > 0 ? "+" : "") + fixed(*value * 100, 2, false) + "%";
}

std::string verdict_text(const Row& row) {
  switch (row.verdict) {
    case RowVerdict::regression:
    case RowVerdict::improvement:
      return (row.delta_abs.value_or(0) > 0 ? "↑ " : "↓ ") + std::string(word_of(row.verdict));
    case RowVerdict::no_change:
      return "≈";
    case RowVerdict::unknown:
      return "?";
    case RowVerdict::missing:
      return "missing";
  }
  return "?";
}

constexpr std::size_t kColumns = 6;
using Cells = std::array<std::string, kColumns>;

std::string repeated(std::string_view piece, int times) {
  std::string out;
  for (int i = 0; i < times; ++i) out += piece;
  return out;
}

std::string rule(const std::array<int, kColumns>& widths, std::string_view left, std::string_view line, std::string_view middle,
                 std::string_view right) {
  std::string out(left);
  for (std::size_t i = 0; i < kColumns; ++i)
    out += repeated(line, widths[i] + 2) + std::string(i + 1 < kColumns ? middle : right);
  return out + "\n";
}

std::string line_of(const Cells& cells, const std::array<int, kColumns>& widths, std::string_view bar) {
  std::string out(bar);
  for (std::size_t i = 0; i < kColumns; ++i) {
    const bool left = i == 0 || i + 1 == kColumns;
    out += " " + (left ? pad_right(cells[i], widths[i]) : pad_left(cells[i], widths[i])) + " " + std::string(bar);
  }
  return out + "\n";
}

std::string warning_text(const Report& report) {
  std::string differ;
  for (const ContextField& field : report.context) {
    if (field.match) continue;
    differ += (differ.empty() ? "" : ", ") + field.name + " (" + one_line(field.baseline.value_or("None")) + " -> " +
              one_line(field.candidate.value_or("None")) + ")";
  }
  if (differ.empty()) return {};
  return "warning: baseline and candidate differ on: " + differ +
         "\ndiffing across different contexts is supported, but interpret the deltas with care.\n";
}

std::string table_text(const core::NativeReport& native) {
  const auto& report = *core::native_detail<Report>(native);
  const Cells header = {"Metric", "Baseline", "Candidate", "Δ abs", "Δ rel", "Verdict"};
  std::vector<Cells> lines;
  for (const Row* row : in_table_order(report)) {
    lines.push_back({one_line(row->name), value_text(row->baseline), value_text(row->candidate), change_text(row->delta_abs),
                     percent_text(row->delta_rel), verdict_text(*row)});
  }
  std::array<int, kColumns> widths{};
  for (std::size_t i = 0; i < kColumns; ++i) widths[i] = core::display_width(header[i]);
  for (const Cells& cells : lines) {
    for (std::size_t i = 0; i < kColumns; ++i) widths[i] = std::max(widths[i], core::display_width(cells[i]));
  }
  int total = 1;
  for (const int width : widths) total += width + 3;
  const std::string title = "Envelope diff";
  std::string out = warning_text(report);
  out += pad_right(std::string(static_cast<std::size_t>((total - core::display_width(title)) / 2), ' ') + title, total) + "\n";
  out += rule(widths, "┏", "━", "┳", "┓") + line_of(header, widths, "┃") + rule(widths, "┡", "━", "╇", "┩");
  for (const Cells& cells : lines) out += line_of(cells, widths, "│");
  return out + rule(widths, "└", "─", "┴", "┘");
}

// --- its JSON: two blanks, text as it stands, floats as Python writes them

class PythonJson {
 public:
  void text(std::string_view name, const std::optional<std::string>& value, int depth, bool last = false) {
    begin(name, depth);
    if (value)
      append_python_string(out_, *value, false);
    else
      out_ += "null";
    end(last);
  }
  void number(std::string_view name, const std::optional<double>& value, int depth) {
    begin(name, depth);
    if (value)
      append_python_number(out_, *value);
    else
      out_ += "null";
    end(false);
  }
  void word(std::string_view name, std::string_view value, int depth, bool last = false) {
    begin(name, depth);
    out_ += value;
    end(last);
  }
  void line(std::string_view text, int depth) {
    out_ += std::string(static_cast<std::size_t>(2 * depth), ' ') + std::string(text) + "\n";
  }
  void open(std::string_view name, std::string_view bracket, int depth) {
    begin(name, depth);
    out_ += std::string(bracket) + "\n";
  }
  [[nodiscard]] std::string take() { return std::move(out_); }

 private:
  void begin(std::string_view name, int depth) {
    out_ += std::string(static_cast<std::size_t>(2 * depth), ' ');
    append_python_string(out_, name, false);
    out_ += ": ";
  }
  void end(bool last) { out_ += last ? "\n" : ",\n"; }
  std::string out_;
};

std::string json_text(const core::NativeReport& native) {
  const auto& report = *core::native_detail<Report>(native);
  PythonJson json;
  json.line("{", 0);
  json.text("baseline_path", report.baseline_path, 1);
  json.text("candidate_path", report.candidate_path, 1);
  json.open("context_match", "{", 1);
  for (const ContextField& field : report.context) {
    json.open(field.name, "{", 2);
    json.text("baseline", field.baseline, 3);
    json.text("candidate", field.candidate, 3);
    json.word("match", field.match ? "true" : "false", 3, true);
    json.line("},", 2);
  }
  json.word("all_match", report.all_match ? "true" : "false", 2, true);
  json.line("},", 1);
  json.open("metrics", "[", 1);
  for (const Row& row : report.rows) {
    json.line("{", 2);
    json.text("name", row.name, 3);
    json.number("baseline", row.baseline, 3);
    json.number("candidate", row.candidate, 3);
    json.number("delta_abs", row.delta_abs, 3);
    json.number("delta_rel", row.delta_rel, 3);
    json.text("verdict", std::string(word_of(row.verdict)), 3, true);
    json.line(&row == &report.rows.back() ? "}" : "},", 2);
  }
  json.line("]", 1);
  json.line("}", 0);
  return json.take();
}

}  // namespace

const core::NativePrinter kPrinter = {.fields = &fields, .text = &table_text, .json = &json_text};

}  // namespace plumbline::systems::inferencebench
