// JMeter's results (JTL): a line or an element a sample, as CSV with a heading or as XML. The samples of one run are no trials:
// they are summed up as JMeter's own report does, by label and together. A transaction's row stands beside its parts and is a
// label of its own, but not added to all together.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/citing.hpp"
#include "core/text.hpp"
#include "formats/csv_cells.hpp"
#include "formats/declared_rows.hpp"
#include "formats/line_reader.hpp"
#include "formats/xml_text.hpp"

namespace plumbline::formats {
namespace {

struct Sample {
  std::string_view label;
  double elapsed = 0;
  std::optional<double> begin, latency, connect;  // points in time and spans, in ms
  bool good = false, transaction = false;
};

// The figure that JMeter's report gives: commons-math's estimate, at p * (n + 1) of the sorted values.
double percentile_of(const std::vector<double>& sorted, double p) {
  const double at = p * static_cast<double>(sorted.size() + 1);
  if (at < 1) return sorted.front();
  if (at >= static_cast<double>(sorted.size())) return sorted.back();
  const auto below = static_cast<std::size_t>(at);
  return sorted[below - 1] + (at - std::floor(at)) * (sorted[below] - sorted[below - 1]);
}

class Summary {
 public:
  void take(const Sample& sample) {
    elapsed_.push_back(sample.elapsed);
    sum_ += sample.elapsed;
    if (!sample.good) ++errors_;
    if (sample.begin) {
      first_ = std::min(first_.value_or(*sample.begin), *sample.begin);
      last_ = std::max(last_.value_or(0), *sample.begin + sample.elapsed);
    }
    latency_ += sample.latency.value_or(0);
    connect_ += sample.connect.value_or(0);
  }
  void write(DeclaredRows& rows, std::string_view label) {
    std::sort(elapsed_.begin(), elapsed_.end());
    const auto count = static_cast<double>(elapsed_.size());
    const std::uint32_t dims = rows.dims({{"label", std::string(label)}});
    const auto judged = [&](std::string_view name, const Declared& declared, double value) {
      const Leaf number{core::ValueState::number, value, true, {}};
      const Leaf failed{core::ValueState::failed, 0, false, "every request failed"};
      rows.add(label, name, dims, declared, errors_ == elapsed_.size() ? failed : number);
    };
    rows.add(label, "requests", dims, for_context(), count);
    rows.add(label, "errors", dims, gate(), static_cast<double>(errors_));
    rows.add(label, "error_rate", dims, for_context("%"), 100 * static_cast<double>(errors_) / count);
    judged("response_time.mean", lower_is_better("ms"), sum_ / count);
    judged("response_time.median", lower_is_better("ms"), percentile_of(elapsed_, 0.5));
    judged("response_time.p90", lower_is_better("ms"), percentile_of(elapsed_, 0.9));
    judged("response_time.p95", lower_is_better("ms"), percentile_of(elapsed_, 0.95));
    judged("response_time.p99", lower_is_better("ms"), percentile_of(elapsed_, 0.99));
    rows.add(label, "response_time.min", dims, for_context("ms"), elapsed_.front());
    rows.add(label, "response_time.max", dims, for_context("ms"), elapsed_.back());
    if (latency_ > 0) judged("latency.mean", lower_is_better("ms"), latency_ / count);
    if (connect_ > 0) judged("connect.mean", lower_is_better("ms"), connect_ / count);
    if (first_ && *last_ > *first_) judged("requests_per_second", higher_is_better("req/s"), count / (*last_ - *first_) * 1e3);
  }

 private:
  std::vector<double> elapsed_;
  std::size_t errors_ = 0;
  double sum_ = 0, latency_ = 0, connect_ = 0;
  std::optional<double> first_, last_;
};

class Summaries {
 public:
  void take(const Sample& sample) {
    auto known = by_label_.find(sample.label);
    if (known == by_label_.end()) {
      known = by_label_.emplace(std::string(sample.label), Summary()).first;
      order_.push_back(known);
    }
    known->second.take(sample);
    (sample.transaction ? transactions_ : together_).take(sample);
    any_ = any_ || !sample.transaction;
  }
  // The rows of a run; what comes then is another.
  void end_run(RowWriter& writer) {
    if (order_.empty()) return;
    DeclaredRows rows(writer, "JMeter", ++runs_);
    (any_ ? together_ : transactions_).write(rows, {});
    for (const auto& one : order_) one->second.write(rows, one->first);
    by_label_.clear();
    order_.clear();
    together_ = transactions_ = {};
    any_ = false;
  }
  core::Expected<core::Measurement> finish(RowWriter& writer, const Input& input) {
    end_run(writer);
    if (runs_ == 0) {
      return core::fail(core::ErrorCode::invalid_input, "no sample of JMeter with an elapsed time",
                        "jmeter.save.saveservice.time=true saves the times", input.name);
    }
    if (runs_ > 1) {
      writer.out.warn("repeated_sections", "the file holds " + std::to_string(runs_) +
                                               " runs: those behind the first have rows of their own (section=2, …)");
    }
    writer.out.declared.headlines = {"response_time.mean", "response_time.p95", "requests_per_second"};
    return writer.finish(input.name);
  }

 private:
  using ByLabel = std::map<std::string, Summary, std::less<>>;
  ByLabel by_label_;
  std::vector<ByLabel::iterator> order_;
  Summary together_, transactions_;
  bool any_ = false;  // besides transactions
  std::uint32_t runs_ = 0;
};

bool is_transaction(std::string_view message) { return message.starts_with("Number of samples in transaction"); }

std::optional<double> time_of(std::string_view text) {
  const auto value = core::parse_double(core::trim(text));
  return value && *value >= 0 ? value : std::nullopt;
}

bool is_heading(std::string_view line) {
  const auto cells = core::split(line, ',');
  const auto has = [&](std::string_view name) { return std::find(cells.begin(), cells.end(), name) != cells.end(); };
  return has("elapsed") && has("label") && has("success") && (has("timeStamp") || has("threadName"));
}

// The columns, by the heading: their order is free.
class Columns {
 public:
  explicit Columns(std::string_view heading) : names_(csv_cells(heading)) {}
  [[nodiscard]] std::size_t size() const { return names_.size(); }
  [[nodiscard]] std::string_view of(const std::vector<std::string>& cells, std::string_view name) const {
    const auto at = std::find(names_.begin(), names_.end(), name);
    return at == names_.end() ? std::string_view() : std::string_view(cells[static_cast<std::size_t>(at - names_.begin())]);
  }

 private:
  std::vector<std::string> names_;
};

void read_csv(std::string_view text, Summaries& summaries, RowWriter& writer) {
  std::optional<Columns> columns;
  std::uint64_t unread = 0;
  std::string record;
  for (const std::string_view part : core::split(text, '\n')) {
    if (writer.halted()) return;
    record.append(part);
    if (ends_in_quotes(record)) {  // a message of several lines
      record.push_back('\n');
      continue;
    }
    const std::string whole = std::exchange(record, {});
    const std::string_view line = core::trim(whole);
    if (line.empty()) continue;
    if (is_heading(line)) {  // again where a run was appended
      summaries.end_run(writer);
      columns.emplace(line);
      continue;
    }
    const std::vector<std::string> cells = csv_cells(line);
    const auto elapsed = columns && cells.size() == columns->size() ? time_of(columns->of(cells, "elapsed")) : std::nullopt;
    if (!elapsed) {
      ++unread;
      continue;
    }
    summaries.take({columns->of(cells, "label"), *elapsed, time_of(columns->of(cells, "timeStamp")),
                    time_of(columns->of(cells, "Latency")), time_of(columns->of(cells, "Connect")),
                    columns->of(cells, "success") == "true", is_transaction(columns->of(cells, "responseMessage"))});
  }
  if (unread > 0) writer.out.warn("unread_lines", core::counted(unread, "line is", "lines are") + " no sample and left out");
}

std::string attribute(std::string_view element, std::string_view name) {
  const std::string wanted = " " + std::string(name) + "=\"";
  const std::size_t at = element.find(wanted);
  if (at == std::string_view::npos) return {};
  element.remove_prefix(at + wanted.size());
  return without_entities(element.substr(0, element.find('"')));
}

// Samples directly below <testResults>: those within another are its parts.
void read_xml(std::string_view text, Summaries& summaries, RowWriter& writer) {
  std::size_t depth = 0;
  for (std::size_t at = text.find('<'); at != std::string_view::npos && !writer.halted(); at = text.find('<', at + 1)) {
    std::string_view element = text.substr(at);
    if (element.starts_with("</sample>") || element.starts_with("</httpSample>")) {
      if (depth > 0) --depth;
    } else if (element.starts_with("<sample ") || element.starts_with("<httpSample ")) {
      element = element.substr(0, element.find('>'));
      const auto elapsed = time_of(attribute(element, "t"));
      if (depth == 0 && elapsed) {
        const std::string label = attribute(element, "lb");
        summaries.take({label, *elapsed, time_of(attribute(element, "ts")), time_of(attribute(element, "lt")),
                        time_of(attribute(element, "ct")), attribute(element, "s") == "true",
                        is_transaction(attribute(element, "rm"))});
      }
      if (!element.ends_with('/')) ++depth;
    }
  }
}

}  // namespace

Detection detect_jmeter_samples(const Input& input) {
  Detection detection = detect_line(input, 0.97, is_heading);
  const std::string_view head = head_of(input);
  if (detection.score == 0 && head.find("<testResults version=") != std::string_view::npos) {
    detection.evidence.emplace_back("has <testResults version=…>");
    detection.score = 0.97;
  }
  return detection;
}

core::Expected<core::Measurement> read_jmeter_samples(const Input& input, const ReadOptions& options) {
  RowWriter writer(options);
  Summaries summaries;
  if (head_of(input).find("<testResults version=") != std::string_view::npos) {
    read_xml(input.bytes, summaries, writer);
  } else {
    read_csv(input.bytes, summaries, writer);
  }
  return summaries.finish(writer, input);
}

extern const Format jmeter_samples_format = {
    .name = "jmeter-samples",
    .title = "JMeter results (JTL), a sample a line",
    .replication = core::Replication::run,
    .detect = detect_jmeter_samples,
    .read = read_jmeter_samples,
    .about = {.group = Group::system,
              .file = "CSV, XML",
              .produce = "jmeter -n -t plan.jmx -l results.jtl",
              .judged = "mean, median, p90, p95 and p99 of the response time, means of latency and connect time in ms (lower), "
                        "requests per second (higher); errors are a gate",
              .key = "the label; all together have no point; of a run that was appended its section",
              .trials = "one value a key: the samples of a run are no repetitions",
              .context = "none",
              .limits =
                  "percentiles are those of JMeter's report; samples within a sample of the XML are its parts and left out; "
                  "a CSV without its heading is not recognised",
              .recognised = "a heading with `elapsed`, `label` and `success`, or `<testResults version=…>`"},
};

}  // namespace plumbline::formats
