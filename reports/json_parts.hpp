// Pieces that several JSON documents share. List elements stand on one line each, so that a document of rows stays readable and
// a text diff of two documents names rows. Internal to reports/.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "reports/reports.hpp"
#include "reports/rows.hpp"

namespace plumbline::reports {

void text_or_null(JsonWriter& json, std::string_view name, std::string_view text);  // null for an empty one
void write_strings(JsonWriter& json, std::string_view name, std::span<const std::string> texts);
void write_warnings(JsonWriter& json, std::span<const core::Warning> warnings);  // "warnings"
void write_files(JsonWriter& json, std::span<const core::FileRef> files);        // "files"
void write_format(JsonWriter& json, const core::FormatInfo& format);             // a value
void write_context(JsonWriter& json, const core::Context& context);              // a value: {group: {key: text}}
void write_reasons(JsonWriter& json, std::span<const core::Reason> reasons);     // "reasons"
void write_differences(JsonWriter& json, std::string_view name, std::span<const core::ContextDifference> differences);
// What --fail-on asked and what tripped; absent when nothing was asked.
void write_gate(JsonWriter& json, bool asked, const std::optional<std::string>& tripped);
void write_recommendation(JsonWriter& json, const core::Recommendation& recommendation,
                          const std::optional<core::NextLever>& lever);
void write_counts(JsonWriter& json, const core::Counts& counts);              // "counts"
void write_red(JsonWriter& json, const std::optional<core::RedStreak>& red);  // "red"; nothing where it is not
void write_sol(JsonWriter& json, std::span<const core::SolLine> lines);       // "sol"; nothing when there is none
void write_tool(JsonWriter& json,
                const core::ToolInfo& tool);  // "plumbline": {name, version}; "tool" is the reference tool's word

// Rows as JSON objects on one line: all fields of deltas.jsonl. Texts that repeat (class, tolerance, dims) are made once.
class RowWriter {
 public:
  explicit RowWriter(const Rows& rows);
  void append(std::string& out, std::size_t index);
  // The few fields of a result's `top`, with keys and texts of at most `text_bytes`.
  void append_short(std::string& out, std::size_t index, std::size_t text_bytes) const;

 private:
  std::string_view class_text(const core::Measurement& side, bool of_baseline, std::uint32_t metric_class);
  const Rows& rows_;
  std::vector<std::string> tolerance_text_;
  std::vector<std::string> class_text_[2];
  std::uint32_t dims_set_ = core::kNoRow;
  const core::Measurement* dims_side_ = nullptr;
  std::string dims_text_;
};

}  // namespace plumbline::reports
