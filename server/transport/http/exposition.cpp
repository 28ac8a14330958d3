#include "server/transport/http/exposition.hpp"

#include <fmt/core.h>

#include "core/text.hpp"

namespace plumbline::server::transport::http {
namespace {

constexpr std::string_view kTotal = "_total", kInfo = "_info";

// Of a label's value, and of a help text, where a quotation mark stands for itself in Prometheus' format.
std::string escaped(std::string_view text, bool quotes) {
  std::string out;
  for (const char c : text) {
    if (c == '\n') {
      out += "\\n";
    } else if (c == '\\' || (c == '"' && quotes)) {
      out.append("\\").append(1, c);
    } else {
      out += c;
    }
  }
  return out;
}

// OpenMetrics wants bounds of buckets to look like floating point.
std::string bound_text(double bound) {
  std::string text = core::number_text(bound);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

}  // namespace

std::string_view media_type(Exposition form) {
  return form == Exposition::openmetrics ? "application/openmetrics-text; version=1.0.0; charset=utf-8"
                                         : "text/plain; version=0.0.4; charset=utf-8";
}

void MetricsPage::family(std::string_view name, std::string_view suffix, std::string_view type, std::string_view help,
                         std::string_view unit) {
  name_ = name;
  const bool open = form_ == Exposition::openmetrics;
  // OpenMetrics names the family, and the suffix belongs to its samples.
  const std::string_view said = open ? name.substr(0, name.size() - suffix.size()) : name;
  page_ += fmt::format("# HELP {} {}\n", said, escaped(help, open));
  page_ += fmt::format("# TYPE {} {}\n", said, type == "info" && !open ? "gauge" : type);
  if (open && !unit.empty()) page_ += fmt::format("# UNIT {} {}\n", said, unit);
}

void MetricsPage::counter(std::string_view name, std::string_view help, std::string_view unit) {
  family(name, kTotal, "counter", help, unit);
}
void MetricsPage::gauge(std::string_view name, std::string_view help, std::string_view unit) {
  family(name, "", "gauge", help, unit);
}
void MetricsPage::info(std::string_view name, std::string_view help) { family(name, kInfo, "info", help, ""); }
void MetricsPage::histogram(std::string_view name, std::string_view help, std::string_view unit) {
  family(name, "", "histogram", help, unit);
}

void MetricsPage::line(std::string_view suffix, const Labels& labels, std::string_view value) {
  page_.append(name_).append(suffix);
  char before = '{';
  for (const auto& [name, text] : labels) {
    page_ += fmt::format("{}{}=\"{}\"", before, name, escaped(text, true));
    before = ',';
  }
  page_.append(labels.empty() ? " " : "} ").append(value).append("\n");
}

void MetricsPage::sample(std::string_view value, const Labels& labels) { line("", labels, value); }

void MetricsPage::buckets(const std::vector<double>& bounds, const std::vector<std::uint64_t>& counts, double sum,
                          const Labels& labels) {
  Labels with_bound = labels;
  with_bound.emplace_back("le", "");
  std::uint64_t so_far = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    so_far += counts[i];
    const std::string bound = i < bounds.size() ? bound_text(bounds[i]) : "+Inf";
    with_bound.back().second = bound;
    line("_bucket", with_bound, std::to_string(so_far));
  }
  line("_sum", labels, core::number_text(sum));
  line("_count", labels, std::to_string(so_far));
}

std::string MetricsPage::finished() && {
  if (form_ == Exposition::openmetrics) page_ += "# EOF\n";
  return std::move(page_);
}

}  // namespace plumbline::server::transport::http
