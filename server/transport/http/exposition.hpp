// A page of metrics as it is written: Prometheus' text format (version 0.0.4) or OpenMetrics 1.0, which differ in how counters,
// facts and the end of the page are said.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace plumbline::server::transport::http {

enum class Exposition : std::uint8_t { prometheus, openmetrics };

[[nodiscard]] std::string_view media_type(Exposition form);

class MetricsPage {
 public:
  using Labels = std::vector<std::pair<std::string_view, std::string_view>>;

  explicit MetricsPage(Exposition form) : form_(form) {}

  // The samples that follow are the family's. A counter's name ends in _total, that of a fact (whose value is 1) in _info. `unit`
  // is the end of the name that says it, but for _total: "seconds", "bytes" or "".
  void counter(std::string_view name, std::string_view help, std::string_view unit = {});
  void gauge(std::string_view name, std::string_view help, std::string_view unit = {});
  void info(std::string_view name, std::string_view help);
  void histogram(std::string_view name, std::string_view help, std::string_view unit);

  void sample(std::string_view value, const Labels& labels = {});
  // `counts`: of each bucket alone, one more than bounds; the last is of what exceeds them all.
  void buckets(const std::vector<double>& bounds, const std::vector<std::uint64_t>& counts, double sum, const Labels& labels);

  [[nodiscard]] std::string finished() &&;

 private:
  void family(std::string_view name, std::string_view suffix, std::string_view type, std::string_view help,
              std::string_view unit);
  void line(std::string_view suffix, const Labels& labels, std::string_view value);

  const Exposition form_;
  std::string page_;
  std::string name_;
};

}  // namespace plumbline::server::transport::http
