// inferencebench's `diff`, reproduced (facts: baseline-systems section 2): names decide the direction, one relative tolerance for
// all metrics, six fields of context that only warn. Exit 1 is --strict with at least one regression; a metric that vanished
// never counts. What it does not see is said beside it.
#include <algorithm>
#include <cmath>
#include <map>

#include "core/citing.hpp"
#include "core/text.hpp"
#include "systems/inferencebench/model.hpp"
#include "systems/inferencebench/system.hpp"

namespace plumbline::systems::inferencebench {

namespace {

constexpr double kDefaultTolerance = 0.02;

bool applies(const core::Measurement& baseline, const core::Measurement& current) {
  return core::native_file<Envelope>(baseline) != nullptr && core::native_file<Envelope>(current) != nullptr;
}

Row classify(std::string name, std::optional<double> baseline, std::optional<double> candidate, double tolerance) {
  Row row;
  const Direction direction = direction_of(name);
  row.name = std::move(name);
  row.baseline = baseline;
  row.candidate = candidate;
  if (!baseline || !candidate) {
    row.verdict = baseline ? RowVerdict::missing : candidate ? RowVerdict::unknown : RowVerdict::no_change;
    return row;
  }
  const double change = *candidate - *baseline;
  row.delta_abs = change;
  if (*baseline != 0) row.delta_rel = change / std::fabs(*baseline);
  if (direction == Direction::unknown) {
    row.verdict = RowVerdict::unknown;
  } else if (row.delta_rel ? std::fabs(*row.delta_rel) <= tolerance : change == 0) {
    row.verdict = RowVerdict::no_change;
  } else {
    // A difference of two infinities is no number: neither better, and so a regression.
    const bool better = direction == Direction::lower ? change < 0 : change > 0;
    row.verdict = better ? RowVerdict::improvement : RowVerdict::regression;
  }
  return row;
}

std::vector<Row> rows_of(const Envelope& baseline, const Envelope& candidate, double tolerance) {
  // std::map orders by bytes, which for UTF-8 is the order of code points.
  std::map<std::string, std::pair<std::optional<double>, std::optional<double>>> both;
  for (const Metric& metric : baseline.metrics) both[metric.name].first = metric.value;
  for (const Metric& metric : candidate.metrics) both[metric.name].second = metric.value;
  std::vector<Row> rows;
  rows.reserve(both.size());
  for (const auto& [name, values] : both) rows.push_back(classify(name, values.first, values.second, tolerance));
  return rows;
}

void compare_context(const Envelope& baseline, const Envelope& candidate, Report& report) {
  const auto field = [&](const char* name, std::optional<std::string> a, std::optional<std::string> b) {
    const bool match = a == b;
    report.context.push_back({name, std::move(a), std::move(b), match});
  };
  field("suite_id", baseline.suite_id, candidate.suite_id);
  field("model_id", baseline.model_id, candidate.model_id);
  field("engine_name", baseline.engine_name, candidate.engine_name);
  field("engine_version", baseline.engine_version, candidate.engine_version);
  field("quantization_format", baseline.quantization_format, candidate.quantization_format);
  field("hardware_fingerprint", baseline.hardware_fingerprint, candidate.hardware_fingerprint);
  report.all_match = std::all_of(report.context.begin(), report.context.end(), [](const auto& one) { return one.match; });
}

// Collects the rows that one miss is about.
class Miss {
 public:
  explicit Miss(core::ReasonCode code) : reason_{code} {}
  void add(const std::string& key) {
    if (reason_.keys.size() < 20) reason_.keys.push_back(key);
    ++reason_.keys_count;
  }
  [[nodiscard]] std::uint64_t count() const { return reason_.keys_count; }
  void say(std::string message, std::vector<core::Reason>& out) {
    reason_.message = std::move(message);
    out.push_back(std::move(reason_));
  }

 private:
  core::Reason reason_;
};

std::string percent_text(const Row& row) {
  return row.delta_rel ? core::signed_number(100 * *row.delta_rel, 3) + " %" : std::string("from 0");
}

// "c16-b91875fdf860.json": the number of concurrent clients stands in the file's name and nowhere else.
std::string concurrency_in_name(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  if (slash != std::string_view::npos) path.remove_prefix(slash + 1);
  if (!path.starts_with("c")) return {};
  const std::size_t digits = path.substr(1).find_first_not_of("0123456789");
  if (digits == std::string_view::npos || digits == 0 || digits > 6 || path[1 + digits] != '-') return {};
  return std::string(path.substr(1, digits));
}

void hidden_context(const core::NativeFile& a, const core::NativeFile& b, const Report& report, std::vector<core::Reason>& out) {
  const auto& baseline = *std::any_cast<Envelope>(&a.content);
  const auto& candidate = *std::any_cast<Envelope>(&b.content);
  std::map<std::string, std::pair<std::string, std::string>> both;
  for (const auto& [name, value] : baseline.unchecked) both[name].first = value;
  for (const auto& [name, value] : candidate.unchecked) both[name].second = value;
  std::vector<std::string> differ;
  Miss miss("native_hidden_context");
  const auto shown = [](const std::string& text) {
    if (text.empty()) return std::string("absent");
    return core::cited_word(text.size() > 40 ? text.substr(0, 12) + "…" : text);
  };
  for (const auto& [name, values] : both) {
    if (values.first == values.second) continue;
    miss.add(name);
    differ.push_back(core::cited_word(name) + " (" + shown(values.first) + " -> " + shown(values.second) + ")");
  }
  const std::string from = concurrency_in_name(a.path), to = concurrency_in_name(b.path);
  if (from != to && !from.empty() && !to.empty()) {
    miss.add("concurrency");
    differ.push_back("concurrency (" + from + " -> " + to + ", guessed from the file names: the envelopes do not hold it)");
  }
  // Throughput by a factor between envelopes that look alike: somebody asked for another load.
  const Row* factor = nullptr;
  for (const Row& row : report.rows) {
    if (row.name != "throughput_tok_per_s" && row.name != "req_per_s_all") continue;
    if (!row.baseline || !row.candidate || !(*row.baseline > 0) || !(*row.candidate > 0)) continue;
    const double ratio = *row.candidate / *row.baseline;
    if (ratio >= 2 || ratio <= 0.5) factor = factor == nullptr ? &row : factor;
  }
  std::string text;
  if (!differ.empty()) text = "inferencebench's context check does not look at " + core::listed(differ, 8);
  if (factor != nullptr && report.all_match) {
    if (miss.count() == 0) miss.add(factor->name);
    text += std::string(text.empty() ? "" : "; ") + factor->name + " changed by a factor of " +
            core::short_number(*factor->candidate / *factor->baseline, 3) +
            " between envelopes of one context: a setting that the files do not hold, such as concurrency, is likelier than a "
            "change of speed";
  }
  if (!text.empty()) miss.say(std::move(text), out);
}

void unseen_rows(const Envelope& baseline, const Envelope& candidate, const Report& report, std::vector<core::Reason>& out) {
  Miss vanished("native_vanished_passes"), unjust("native_unjust_failure"), unchecked("native_unchecked"),
      noise("native_noise_unknown");
  std::vector<std::string> unknown, texts;
  for (const Row& row : report.rows) {
    if (row.verdict == RowVerdict::missing) vanished.add(row.name);
    if (row.verdict == RowVerdict::regression) {
      if (std::isnan(*row.delta_abs)) {
        unjust.add(row.name);
      } else {
        noise.add(row.name);
      }
    }
    if (row.verdict == RowVerdict::unknown && row.delta_abs &&
        !(row.delta_rel ? std::fabs(*row.delta_rel) <= report.tolerance : *row.delta_abs == 0)) {
      unchecked.add(row.name);
      unknown.push_back(core::cited_word(row.name) + " " + percent_text(row));
    }
  }
  for (const Metric& before : baseline.metrics) {
    const auto after = std::find_if(candidate.metrics.begin(), candidate.metrics.end(),
                                    [&](const Metric& metric) { return metric.name == before.name; });
    if (after == candidate.metrics.end() || before.text == after->text) continue;
    unchecked.add(before.name);
    texts.push_back(core::cited_word(before.name) + " " + (before.text ? core::cited(*before.text) : "no text") + " -> " +
                    (after->text ? core::cited(*after->text) : "no text"));
  }
  if (vanished.count() > 0) {
    const std::string count = core::counted(vanished.count(), "metric"), them = vanished.count() == 1 ? "it" : "them";
    vanished.say(count + " of the baseline vanished; inferencebench marks " + them + " missing and passes, with --strict too",
                 out);
  }
  if (unjust.count() > 0) {
    const std::string count = core::counted(unjust.count(), "metric");
    unjust.say(count + " infinite on both sides: the difference is no number, which inferencebench calls a regression", out);
  }
  if (unchecked.count() > 0) {
    std::string text;
    if (!unknown.empty()) {
      text = core::counted(unknown.size(), "metric") +
             " that its table of names does not hold changed by more than the tolerance and cannot fail: " +
             core::listed(unknown, 5);
    }
    if (!texts.empty()) {
      text += std::string(text.empty() ? "" : "; ") + core::counted(texts.size(), "text") +
              (texts.size() == 1 ? " differs and counts as no_change: " : " differ and count as no_change: ") +
              core::listed(texts, 5);
    }
    unchecked.say(std::move(text), out);
  }
  if (noise.count() > 0) {
    const std::string count = core::counted(noise.count(), "regression");
    noise.say(count + " of single values: an envelope holds no trials and inferencebench has no noise model", out);
  }
}

core::Expected<core::NativeReport> judge(const core::Measurement& base, const core::Measurement& current,
                                         const Options& options) {
  const Envelope& baseline = *core::native_file<Envelope>(base);
  const Envelope& candidate = *core::native_file<Envelope>(current);
  Report report;
  report.baseline_path = base.native->path;
  report.candidate_path = current.native->path;
  report.tolerance = options.tolerance_percent ? *options.tolerance_percent / 100 : kDefaultTolerance;
  compare_context(baseline, candidate, report);
  report.rows = rows_of(baseline, candidate, report.tolerance);

  core::NativeReport out;
  out.system = "inferencebench";
  const auto rows_with = [&](RowVerdict verdict) {
    return static_cast<std::uint64_t>(
        std::count_if(report.rows.begin(), report.rows.end(), [&](const Row& row) { return row.verdict == verdict; }));
  };
  const std::uint64_t regressions = rows_with(RowVerdict::regression), improvements = rows_with(RowVerdict::improvement);
  out.verdict = regressions > 0 ? "regression" : improvements > 0 ? "improvement" : "no_change";
  out.summary = core::counted(regressions, "regression") + ", " + core::counted(improvements, "improvement") + ", " +
                std::to_string(rows_with(RowVerdict::no_change)) + " no_change, " +
                std::to_string(rows_with(RowVerdict::unknown)) + " unknown, " + std::to_string(rows_with(RowVerdict::missing)) +
                " missing";
  out.outcome = regressions > 0    ? core::NativeOutcome::fail
                : report.all_match ? core::NativeOutcome::pass
                                   : core::NativeOutcome::warn;
  out.exit_code = options.strict && regressions > 0 ? 1 : 0;
  for (const Row* row : in_table_order(report)) {
    if (row->verdict != RowVerdict::regression) continue;
    out.said.push_back(core::cited_word(row->name) + " " + percent_text(*row));
    out.said_keys.push_back(row->name);
  }
  for (const ContextField& field : report.context) {
    if (field.match) continue;
    out.said.push_back(core::cited_word(field.name) + " " + core::cited_word(field.baseline.value_or("null")) + " -> " +
                       core::cited_word(field.candidate.value_or("null")));
  }
  unseen_rows(baseline, candidate, report, out.misses);
  hidden_context(*base.native, *current.native, report, out.misses);
  out.detail = std::move(report);
  return out;
}

core::Comparison decide_rows(const core::NativeReport& native, core::Comparison comparison) {
  const auto& report = *core::native_detail<Report>(native);
  core::Tolerance tolerance;
  tolerance.kind = core::ToleranceKind::percent;
  tolerance.value = 100 * report.tolerance;
  tolerance.source = core::Source::format;
  tolerance.note = "inferencebench";
  comparison.tolerances.push_back(tolerance);
  const auto index = static_cast<std::uint32_t>(comparison.tolerances.size() - 1);
  for (core::Delta& delta : comparison.deltas) {
    const std::string_view key = comparison.baseline->pool().view(delta.key);
    const auto row = std::lower_bound(report.rows.begin(), report.rows.end(), key,
                                      [](const Row& one, std::string_view name) { return one.name < name; });
    if (row == report.rows.end() || row->name != key) continue;
    if (!row->baseline && !row->candidate) continue;  // texts and nulls: context, as they are
    delta.tolerance = index;
    const Direction direction = direction_of(key);
    delta.direction = direction == Direction::lower    ? core::Direction::lower
                      : direction == Direction::higher ? core::Direction::higher
                                                       : core::Direction::unknown;
    if (row->delta_abs) {
      delta.baseline = *row->baseline;
      delta.current = *row->candidate;
      delta.delta = *row->delta_abs;
      delta.delta_pct = row->delta_rel ? 100 * *row->delta_rel : (*row->delta_abs == 0 ? 0 : std::nan(""));
      delta.exceeds = !(row->delta_rel ? std::fabs(*row->delta_rel) <= report.tolerance : *row->delta_abs == 0);
      delta.used = !row->delta_rel || !(report.tolerance > 0) ? (delta.exceeds ? HUGE_VAL : 0)
                                                              : std::fabs(*row->delta_rel) / report.tolerance;
      if (std::isnan(delta.used)) delta.used = HUGE_VAL;
    }
    delta.adverse = row->verdict == RowVerdict::regression;
    switch (row->verdict) {
      case RowVerdict::regression:
        delta.state = core::State::regressed;
        break;
      case RowVerdict::improvement:
        delta.state = core::State::improved;
        break;
      case RowVerdict::no_change:
        delta.state = core::State::unchanged;
        break;
      case RowVerdict::missing:
        delta.state = core::State::missing;
        break;
      case RowVerdict::unknown:
        delta.state = row->baseline ? core::State::unclassified : core::State::added;
        break;
    }
  }
  return comparison;
}

}  // namespace

const System kSystem = {.name = "inferencebench",
                        .title = "inferencebench's diff: directions by name, one relative tolerance",
                        .needs = "two envelope files (envelope_version v1)",
                        .applies = &applies,
                        .judge = &judge,
                        .decide_rows = &decide_rows,
                        .printer = &kPrinter};

}  // namespace plumbline::systems::inferencebench
