// summary.json of gungraun and iai-callgrind, all versions, one object or many (--output-format=json, jq -s). Every version
// holds the new value beside the old one in its own wrapping; only the new one is a result.
#include <map>

#include "formats/harness/gungraun.hpp"
#include "formats/read_document.hpp"

namespace plumbline::formats {
namespace {

using json::Value;

// The new value: 5, {"Int": 5}, {"new": …, "old": …}, {"Both": [new, old]}, {"Left": new}; {"Right": old} has none.
Value new_value(Value value) {
  for (int depth = 0; depth < 6 && value.is_object(); ++depth) {
    Value next;
    for (const std::string_view key : {"metrics", "values", "new", "Left", "Int", "Float", "Both"}) {
      if ((next = value.find(key))) break;
    }
    if (!next) return {};
    value = next.is_array() ? (next.size() > 0 ? *next.elements().begin() : Value()) : next;
  }
  return value.is_container() ? Value() : value;
}

// {"Callgrind": {"Ir": …}} or {"Ir": …} -> the object whose members are metrics.
Value metrics_of(const Value& summary) {
  if (!summary.is_object()) return {};
  for (const std::string_view tool : {"Callgrind", "Cachegrind", "Dhat", "ErrorTool", "metrics"}) {
    if (const Value inner = summary.find(tool); inner.is_object()) return metrics_of(inner);
  }
  return summary;
}

class Reader {
 public:
  explicit Reader(RowWriter& writer) : writer_(writer), rows_(writer, "gungraun") {}

  void benchmark(const Value& summary) {
    const std::string module(summary.find_string("module_path")), id(summary.find_string("id"));
    std::string point = module.empty() ? std::string(summary.find_string("function_name")) : module;
    if (!id.empty()) point += " " + id;
    dims_ = rows_.dims({{"benchmark", module}, {"id", id}});
    rows_.context("stack.gungraun_summary", summary.find("version").text());
    const std::size_t before = writer_.out.rows().size();
    error_tools_ = 0;
    for (const std::string_view list : {"profiles", "tool_summaries"}) {
      for (const Value profile : summary.find(list).elements())
        error_tools_ += counts_errors(profile.find_string("tool")) ? 1 : 0;
    }
    for (const Value profile : summary.find("profiles").elements()) total(profile, point);        // version 6 on
    for (const Value profile : summary.find("tool_summaries").elements()) total(profile, point);  // 2 to 5
    const Value callgrind = summary.find("callgrind_summary");
    if (const Value run = callgrind.is_object() ? callgrind.find("callgrind_run") : Value(); run) {  // 3 to 5
      take(metrics_of(run.find("total").find("summary")), point);
      regressions(run.find("total"));
    } else if (callgrind.is_object()) {  // 1 and 2: one list of events a process
      sums(callgrind.find("summaries"), point);
    }
    if (writer_.out.rows().size() == before) {
      rows_.add(point, "Instructions", dims_, gungraun_metric("Ir")->declared,
                Leaf{core::ValueState::failed, 0, false, "no metric of this benchmark in the summary"});
    }
  }
  void end() {
    if (regressions_ > 0) rows_.add({}, "regressed_by_own_comparison", 0, for_context(), static_cast<double>(regressions_));
  }

 private:
  void total(const Value& profile, const std::string& point) {
    for (const std::string_view place : {"summaries", "data"}) {
      const Value data = profile.find(place);
      const Value total = data.is_object() ? data.find("total") : Value();
      if (!total) continue;
      const Value summary = total.find("summary");
      // Several of them count the same things: each has its own.
      const std::string_view tool = profile.find_string("tool");
      prefix_ = error_tools_ > 1 && counts_errors(tool) ? core::to_lower(tool) + " " : std::string();
      for (char& c : prefix_) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
      take(metrics_of(summary ? summary : total), point);
      prefix_.clear();
      regressions(total);
      return;
    }
  }
  void regressions(const Value& total) { regressions_ += total.find("regressions").size(); }

  void take(const Value& metrics, const std::string& point) {
    for (const auto [name, valid, value] : metrics.members()) {
      if (!value.is_object() && !value.is_number()) continue;
      const auto metric = gungraun_metric(name);
      const Value fresh = new_value(value);
      Leaf leaf{core::ValueState::null, 0, false, "only the run before has this value"};
      if (fresh) leaf = leaf_of(fresh);
      rows_.add(point, prefix_ + std::string(metric ? metric->name : name), dims_, metric ? metric->declared : for_context(),
                leaf);
    }
  }
  void sums(const Value& summaries, const std::string& point) {
    std::vector<std::pair<std::string, double>> totals;
    for (const Value summary : summaries.elements()) {
      for (const auto [name, valid, value] : summary.find("events").members()) {
        const Value fresh = new_value(value);
        if (!fresh.is_number()) continue;
        auto at = std::find_if(totals.begin(), totals.end(), [&, name = name](const auto& one) { return one.first == name; });
        if (at == totals.end()) at = totals.insert(totals.end(), {std::string(name), 0.0});
        at->second += fresh.number();
      }
      regressions_ += summary.find("regressions").size();
    }
    for (const auto& [name, total] : totals) {
      const auto metric = gungraun_metric(name);
      rows_.add(point, metric ? metric->name : std::string_view(name), dims_, metric ? metric->declared : for_context(), total);
    }
  }

  static bool counts_errors(std::string_view tool) {
    const std::string lower = core::to_lower(tool);
    return lower == "memcheck" || lower == "helgrind" || lower == "drd";
  }

  RowWriter& writer_;
  DeclaredRows rows_;
  std::uint32_t dims_ = 0;
  std::uint64_t regressions_ = 0;
  int error_tools_ = 0;
  std::string prefix_;
};

bool is_summary(const Value& value) {
  return value.is_object() && value.find("module_path") &&
         (value.find("profiles") || value.find("callgrind_summary") || value.find("tool_summaries"));
}

core::Status read_gungraun_json(const json::Value& root, RowWriter& writer) {
  Reader reader(writer);
  std::uint64_t others = 0;
  if (is_summary(root)) {
    reader.benchmark(root);
  } else {
    for (const Value one : root.elements()) {
      if (writer.halted()) break;
      if (is_summary(one)) {
        reader.benchmark(one);
      } else {
        ++others;
      }
    }
  }
  if (writer.out.rows().empty()) {
    return core::fail(kOtherStructure, "no object with \"module_path\" and \"profiles\" or \"callgrind_summary\"",
                      "gungraun writes one a benchmark: --save-summary=json or --output-format=json");
  }
  if (others > 0) {
    writer.out.warn("unread_values",
                    core::counted(others, "value is", "values are") + " no summary of a benchmark, and left out");
  }
  reader.end();
  writer.out.declared.headlines = {"*.Instructions"};
  // Valgrind counts the same every time: a change of a thousandth is a change.
  writer.out.declared.tolerances = {{"*.Instructions", "0.1%"}, {"*.Estimated Cycles", "0.1%"}};
  return {};
}

}  // namespace

extern const Format gungraun_json_format = {
    .name = "gungraun-json",
    .title = "gungraun and iai-callgrind (Rust)",
    .replication = core::Replication::run,
    .signs = {{{Sign::In::json, 0.96, {"module_path", "function_name", "benchmark_exe"}},
               {Sign::In::json, 0.96, {"module_path", "callgrind_summary"}},
               {Sign::In::json, 0.96, {"module_path", "profiles/tool"}}}},
    .read = read_document<read_gungraun_json>,
    .about = {.group = Group::harness,
              .file = "JSON, JSON lines",
              .produce = "cargo bench -- --output-format=json > result.jsonl\n"
                         "cargo bench -- --save-summary=json  # writes a summary.json a benchmark",
              .judged = "the metrics of gungraun's text, by the same names: exact counts (lower), errors as gates",
              .key = "module path and id of the benchmark",
              .trials = "one value a key: Valgrind counts",
              .context = "version of the summary's schema",
              .limits = "totals only; old values, percentages and factors are left out; paths and details are not read",
              .recognised = "`module_path` with `profiles` or `callgrind_summary`"},
};

}  // namespace plumbline::formats
