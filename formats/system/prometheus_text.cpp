#include <algorithm>
#include <cmath>
#include <unordered_set>

#include "core/text.hpp"
#include "formats/system/prometheus.hpp"

namespace plumbline::formats::prometheus {
namespace {

// They say where a sample was taken, not what it is of. The capitals are those of DCGM's exporter and of Ray.
constexpr std::string_view kPlaces[] = {
    "pod",        "pod_name", "instance",   "exported_instance",      "pid",      "container_id", "Hostname",
    "hostname",   "UUID",     "pci_bus_id", "DCGM_FI_DRIVER_VERSION", "WorkerId", "NodeAddress",  "ReplicaId",
    "SessionName"};

bool is_name(char c, bool first) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == ':' || (!first && c >= '0' && c <= '9');
}

struct Label {
  std::string name, value;
};
struct Sample {
  std::string name;
  std::vector<Label> labels;
  double value = 0;
  std::optional<double> time;  // as written
};

// A text in quotation marks from its first one, over which `at` moves; false where it does not end.
bool quoted_of(std::string_view text, std::size_t& at, std::string& out) {
  for (++at; at < text.size() && text[at] != '"'; ++at) {
    if (text[at] == '\\' && at + 1 < text.size()) {
      ++at;
      out.push_back(text[at] == 'n' ? '\n' : text[at]);
    } else {
      out.push_back(text[at]);
    }
  }
  return at++ < text.size();
}

// `{a="x",b="y\"z"}` from its brace; where it ends, or nothing. Names that are no identifiers stand in quotation marks, and so
// does the metric's own, alone in front: `{"http.duration","a.b"="x"}`.
std::optional<std::size_t> labels_of(std::string_view text, std::size_t at, Sample& sample) {
  std::vector<Label>& labels = sample.labels;
  ++at;
  const auto blanks = [&] {
    while (at < text.size() && (text[at] == ' ' || text[at] == '\t' || text[at] == ',')) ++at;
  };
  for (;;) {
    blanks();
    if (at >= text.size()) return std::nullopt;
    if (text[at] == '}') return at + 1;
    Label label;
    if (text[at] == '"') {
      if (!quoted_of(text, at, label.name)) return std::nullopt;
    } else {
      while (at < text.size() && is_name(text[at], label.name.empty())) label.name.push_back(text[at++]);
    }
    while (at < text.size() && text[at] == ' ') ++at;
    if (label.name.empty() || at >= text.size()) return std::nullopt;
    if (text[at] != '=') {
      if (!sample.name.empty() || (text[at] != ',' && text[at] != '}')) return std::nullopt;
      sample.name = label.name;
      continue;
    }
    ++at;
    while (at < text.size() && text[at] == ' ') ++at;
    if (at >= text.size() || text[at] != '"' || !quoted_of(text, at, label.value)) return std::nullopt;
    labels.push_back(std::move(label));
  }
}

std::optional<double> number(std::string_view text) {
  if (text == "+Inf" || text == "Inf") return HUGE_VAL;
  if (text == "-Inf") return -HUGE_VAL;
  return core::parse_double(text);
}

std::optional<Sample> sample_of(std::string_view line) {
  Sample sample;
  std::size_t at = 0;
  while (at < line.size() && is_name(line[at], at == 0)) ++at;
  sample.name = line.substr(0, at);
  while (at < line.size() && line[at] == ' ') ++at;
  if (at < line.size() && line[at] == '{') {
    const auto end = labels_of(line, at, sample);
    if (!end || sample.name.empty()) return std::nullopt;
    at = *end;
  } else if (sample.name.empty()) {
    return std::nullopt;
  }
  std::string_view rest = line.substr(at);
  rest = core::trim(rest.substr(0, rest.find(" # ")));  // an exemplar
  const std::size_t blank = std::min(rest.find_first_of(" \t"), rest.size());
  const auto value = number(rest.substr(0, blank));
  if (!value) return std::nullopt;
  sample.value = *value;
  if (const std::string_view time = core::trim(rest.substr(blank)); !time.empty()) {
    sample.time = core::parse_double(time);
    if (!sample.time) return std::nullopt;
  }
  return sample;
}

class Reader {
 public:
  explicit Reader(bool open_metrics) : open_metrics_(open_metrics) { snapshots_.emplace_back(); }

  void comment(std::string_view line) {
    if (line == "# EOF") {
      fresh();
      return;
    }
    if (!line.starts_with("# TYPE ")) return;
    const std::string_view rest = core::trim(line.substr(7));
    std::string name;
    std::size_t blank = 0;
    if (rest.starts_with('"')) {
      if (!quoted_of(rest, blank, name)) return;
    } else {
      blank = rest.find(' ');
      if (blank == std::string_view::npos) return;
      name = rest.substr(0, blank);
    }
    const std::string_view type = core::trim(rest.substr(blank));
    types_[name] = type == "counter"                        ? Type::counter
                   : type == "gauge"                        ? Type::gauge
                   : type == "histogram"                    ? Type::histogram
                   : type == "summary"                      ? Type::summary
                   : type == "untyped" || type == "unknown" ? Type::untyped
                                                            : Type::other;
  }
  void sample(std::string_view line, std::size_t number) {
    const auto found = sample_of(line);
    if (!found) {
      Snapshot& now = snapshots_.back();
      if (now.unreadable++ == 0) now.first_unreadable = number;
      return;
    }
    // The whole text before the value tells one series of one place.
    std::string identity(found->name);
    for (const Label& label : found->labels) identity += "\n" + label.name + "\t" + label.value;
    if (!seen_.insert(identity).second) {
      fresh();
      seen_.insert(std::move(identity));
    }
    take(*found);
  }
  std::vector<Snapshot> end() {
    std::erase_if(snapshots_, [](const Snapshot& one) { return one.samples == 0 && one.timestamps == 0; });
    return std::move(snapshots_);
  }

 private:
  void fresh() {
    if (snapshots_.back().samples == 0) return;
    snapshots_.emplace_back();
    seen_.clear();
  }
  // "http_requests_total" belongs to the family that TYPE names "http_requests" (OpenMetrics) or by its whole name.
  Type type_of(std::string_view name, std::string& family, std::string_view& suffix) {
    if (const auto known = types_.find(name); known != types_.end()) {
      family = std::string(name);
      suffix = {};
      return known->second;
    }
    for (const std::string_view one : {"_bucket", "_sum", "_count", "_total", "_created", "_info", "_gsum", "_gcount"}) {
      if (!name.ends_with(one)) continue;
      const auto known = types_.find(name.substr(0, name.size() - one.size()));
      if (known == types_.end()) continue;
      family = known->first;
      suffix = one;
      return known->second;
    }
    family = std::string(name);
    suffix = {};
    return name.ends_with("_total") ? Type::counter : Type::untyped;
  }
  // Where no `# TYPE` was written, only buckets and quantiles are told by their label.
  void guess_type(const Sample& sample) {
    const auto has = [&](std::string_view label) {
      return std::any_of(sample.labels.begin(), sample.labels.end(), [&](const Label& one) { return one.name == label; });
    };
    if (sample.name.ends_with("_bucket") && has("le")) {
      types_.try_emplace(sample.name.substr(0, sample.name.size() - 7), Type::histogram);
    } else if (has("quantile")) {
      types_.try_emplace(sample.name, Type::summary);
    }
  }
  void take(const Sample& sample) {
    Snapshot& now = snapshots_.back();
    if (sample.time) {
      // Prometheus counts milliseconds, OpenMetrics seconds; in this millennium they cannot be mistaken for each other.
      const double seconds = open_metrics_ || *sample.time < 1e11 ? *sample.time : *sample.time / 1000;
      now.time = std::max(now.time.value_or(seconds), seconds);
    }
    if (sample.name == "node_time_seconds") now.time = now.time.value_or(sample.value);
    if (sample.name.ends_with("_created") || sample.name.find("start_time") != std::string_view::npos) {
      ++now.timestamps;
      if (sample.name == "process_start_time_seconds") {
        std::string labels;
        for (const Label& label : sample.labels) labels += label.name + "=" + label.value + ",";
        now.starts[labels] = sample.value;
      }
      return;
    }
    ++now.samples;
    guess_type(sample);
    std::string name;
    std::string_view suffix;
    const Type type = type_of(sample.name, name, suffix);
    Family& family = now.families[name];
    family.name = name;
    family.type = type;
    std::optional<double> bound, quantile;
    std::vector<Label> kept;
    for (const Label& label : sample.labels) {
      if (label.name == "le" && type == Type::histogram) {
        bound = number(label.value);
      } else if (label.name == "quantile" && type == Type::summary) {
        quantile = number(label.value);
      } else if (!label.value.empty() &&  // an empty one is as good as none
                 std::find(std::begin(kPlaces), std::end(kPlaces), label.name) == std::end(kPlaces)) {
        kept.push_back(label);
      }
    }
    std::sort(kept.begin(), kept.end(), [](const Label& a, const Label& b) { return a.name < b.name; });
    std::string labels;
    for (const Label& label : kept) labels += (labels.empty() ? "" : ",") + label.name + "=" + label.value;
    Series& series = family.series[labels];
    series.labels = labels;
    if (!std::isfinite(sample.value) && !quantile) series.finite = false;
    if (bound) {
      series.buckets[*bound] += sample.value;
    } else if (quantile) {
      series.quantiles[*quantile].push_back(sample.value);
    } else if (suffix == "_sum") {
      series.sum += sample.value;
      series.has_sum = true;
    } else if (suffix == "_count") {
      series.count += sample.value;
      series.has_count = true;
    } else {
      series.value += sample.value;
      series.has_value = true;
      if (type != Type::counter) series.values.push_back(sample.value);
    }
  }

  bool open_metrics_;
  std::vector<Snapshot> snapshots_;
  std::map<std::string, Type, std::less<>> types_;
  std::unordered_set<std::string> seen_;
};

}  // namespace

bool is_labelled_sample(std::string_view line) {
  const auto sample = sample_of(core::trim(line));
  return sample && !sample->labels.empty();
}

core::Expected<std::vector<Snapshot>> snapshots(const Input& input, const ReadOptions& options) {
  std::string_view text = input.bytes;
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  Reader reader(text.find("# EOF") != std::string_view::npos);
  std::size_t number = 0;
  while (!text.empty()) {
    if (++number % 65536 == 0 && options.stop && options.stop()) {
      return core::fail(core::ErrorCode::cancelled, "stopped while reading", {}, input.name);
    }
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = core::trim(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.empty()) continue;
    if (line.front() == '#') {
      reader.comment(line);
    } else {
      reader.sample(line, number);
    }
  }
  return reader.end();
}

}  // namespace plumbline::formats::prometheus
