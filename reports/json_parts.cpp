#include "reports/json_parts.hpp"

#include <cmath>

#include "core/results/sol_words.hpp"
#include "core/text.hpp"
#include "core/tolerance.hpp"

namespace plumbline::reports {

void text_or_null(JsonWriter& json, std::string_view name, std::string_view text) {
  json.key(name);
  if (text.empty()) {
    json.null();
  } else {
    json.value(text);
  }
}

void write_strings(JsonWriter& json, std::string_view name, std::span<const std::string> texts) {
  json.key(name);
  compact(json, [&](JsonWriter& out) {
    out.begin_array();
    for (const std::string& text : texts) out.value(text);
    out.end_array();
  });
}

void write_warnings(JsonWriter& json, std::span<const core::Warning> warnings) {
  json.key("warnings").begin_array();
  for (const core::Warning& warning : warnings) {
    compact(json, [&](JsonWriter& out) {
      out.begin_object().field("code", warning.code.text()).field("message", warning.message).end_object();
    });
  }
  json.end_array();
}

void write_files(JsonWriter& json, std::span<const core::FileRef> files) {
  json.key("files").begin_array();
  for (const core::FileRef& file : files) {
    compact(json, [&](JsonWriter& out) {
      out.begin_object()
          .field("name", file.name)
          .place("path", file.path)
          .field("bytes", file.bytes)
          .field("sha256", file.sha256);
      out.end_object();
    });
  }
  json.end_array();
}

void write_format(JsonWriter& json, const core::FormatInfo& format) {
  compact(json, [&](JsonWriter& out) {
    out.begin_object().field("name", format.name);
    if (format.version.empty())
      out.key("version").null();
    else
      out.field("version", format.version);
    out.field("confidence", format.confidence);
    write_strings(out, "evidence", format.evidence);
    if (!format.runner_up.empty()) out.field("runner_up", format.runner_up);
    out.end_object();
  });
}

void write_context(JsonWriter& json, const core::Context& context) {
  json.begin_object();
  std::string_view open;
  for (const auto& [key, text] : context) {  // sorted, so that a group's keys stand together
    const std::size_t dot = key.find('.');
    const std::string_view group =
        dot == std::string::npos ? std::string_view("environment") : std::string_view(key).substr(0, dot);
    if (group != open) {
      if (!open.empty()) json.end_object();
      json.key(group).begin_object();
      open = group;
    }
    json.field(dot == std::string::npos ? std::string_view(key) : std::string_view(key).substr(dot + 1), text);
  }
  if (!open.empty()) json.end_object();
  json.end_object();
}

void write_reasons(JsonWriter& json, std::span<const core::Reason> reasons) {
  json.key("reasons").begin_array();
  for (const core::Reason& reason : reasons) {
    compact(json, [&](JsonWriter& out) {
      out.begin_object().field("code", reason.code.text()).field("message", reason.message);
      write_strings(out, "keys", reason.keys);
      out.field("keys_count", reason.keys_count).end_object();
    });
  }
  json.end_array();
}

void write_differences(JsonWriter& json, std::string_view name, std::span<const core::ContextDifference> differences) {
  json.key(name).begin_array();
  for (const core::ContextDifference& difference : differences) {
    compact(json, [&](JsonWriter& out) {
      out.begin_object().field("key", difference.key);
      out.key("baseline");
      if (difference.baseline_known)
        out.value(difference.baseline);
      else
        out.null();
      out.key("current");
      if (difference.current_known)
        out.value(difference.current);
      else
        out.null();
      out.field("severity", to_string(difference.severity)).field("declared", difference.declared).end_object();
    });
  }
  json.end_array();
}

void write_gate(JsonWriter& json, bool asked, const std::optional<std::string>& tripped) {
  if (!asked) return;
  json.key("gate").begin_object();
  json.field("tripped", tripped.has_value()).field_or_null("message", tripped);
  json.end_object();
}

void write_recommendation(JsonWriter& json, const core::Recommendation& recommendation,
                          const std::optional<core::NextLever>& lever) {
  json.key("recommendation").begin_object();
  json.field("action", recommendation.action.empty() ? std::string("none") : recommendation.action);
  json.field("message", recommendation.message);
  write_strings(json, "suspects", recommendation.suspects);
  json.end_object();
  json.key("next_lever");
  if (!lever) {
    json.null();
    return;
  }
  const auto write = [&](const core::NextLever& one) {
    json.field("lever", one.lever).field("expected_unlock", one.expected_unlock).field("gate", one.gate);
  };
  json.begin_object();
  write(*lever);
  if (!lever->others.empty()) {
    json.key("others").begin_array();
    for (const core::NextLever& other : lever->others) {
      json.begin_object();
      write(other);
      json.end_object();
    }
    json.end_array();
  }
  json.end_object();
}

void write_counts(JsonWriter& json, const core::Counts& counts) {
  json.key("counts");
  compact(json, [&](JsonWriter& out) {
    out.begin_object();
    out.field("compared", counts.compared).field("regressed", counts.regressed).field("suspect", counts.suspect);
    out.field("improved", counts.improved).field("unchanged", counts.unchanged).field("inconclusive", counts.inconclusive);
    out.field("missing", counts.missing).field("added", counts.added).field("invalid", counts.invalid);
    out.field("unclassified", counts.unclassified).field("context", counts.context);
    out.field("waived", counts.waived).end_object();
  });
}

void write_red(JsonWriter& json, const std::optional<core::RedStreak>& red) {
  if (!red) return;
  json.key("red");
  compact(json, [&](JsonWriter& out) {
    out.begin_object().field("since", red->since);
    text_or_null(out, "first", red->first);
    out.field("diffs", red->diffs).field("days", red->days).field("older", red->older).end_object();
  });
}

void write_sol(JsonWriter& json, std::span<const core::SolLine> lines) {
  if (lines.empty()) return;
  json.key("sol").begin_array();
  for (const core::SolLine& line : lines) {
    compact(json, [&](JsonWriter& out) {
      out.begin_object()
          .field("key", line.row_key)
          .field("ceiling_key", line.ceiling_key)
          .field("ceiling_value", line.ceiling_value);
      out.field("ceiling_unit", line.ceiling_unit)
          .field("baseline_pct", line.baseline_pct)
          .field("current_pct", line.current_pct);
      out.field("delta_pp", line.delta_pp).field("headroom_pp", core::headroom_pp(line)).field("text", line.text);
      if (const std::string note = core::sol_note(line); !note.empty()) out.field("note", note);
      out.end_object();
    });
  }
  json.end_array();
}

void write_tool(JsonWriter& json, const core::ToolInfo& tool) {
  json.key("plumbline");
  compact(json,
          [&](JsonWriter& out) { out.begin_object().field("name", tool.name).field("version", tool.version).end_object(); });
}

}  // namespace plumbline::reports
