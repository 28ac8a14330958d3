// `nsys stats --format json`: each report an array of objects whose keys are the CSV's headers; several reports in one output
// stand one after another, with the lines between them that nsys prints. The rows go the way of the CSV's.
#include <algorithm>
#include <filesystem>

#include "core/text.hpp"
#include "profiles/readers/bytes/json_text.hpp"
#include "profiles/readers/bytes/json_values.hpp"
#include "profiles/readers/form.hpp"
#include "profiles/readers/readers.hpp"
#include "profiles/readers/tables/table_capture.hpp"

namespace plumbline::profiles {
namespace {

constexpr std::uint64_t kLargestFile = std::uint64_t{1} << 28;
constexpr std::size_t kMostColumns = 256;

std::uint64_t line_of(std::string_view text, std::size_t at, std::size_t& counted_to, std::uint64_t& line) {
  for (; counted_to < at && counted_to < text.size(); ++counted_to) line += text[counted_to] == '\n' ? 1 : 0;
  return line;
}

// One array of objects as a header and rows; the keys of the first object are the header.
class Rows {
 public:
  Rows(ReportReader& reader, const JsonText& json, std::string_view text, std::string where)
      : reader_(reader), json_(json), text_(text), where_(std::move(where)) {}
  core::Status array(std::size_t at) {
    keys_.clear();
    raw_keys_.clear();
    core::Status status;
    const JsonWalk walk = json_elements(json_, at, [&](const JsonValue& element) {
      status = object(element);
      return status.has_value();
    });
    if (!status) return status;
    if (walk != JsonWalk::done) return broken(at);
    return reader_.record({std::string_view()}, line(at));  // a blank line ends a table
  }
  core::Status broken(std::size_t at) {
    return core::fail(cell_error(where_, line(at), "the JSON is not whole from here on: the file is cut short or damaged",
                                 "export the report again"));
  }
  std::uint64_t line(std::size_t at) { return line_of(text_, at, counted_to_, line_); }

 private:
  core::Status object(const JsonValue& element) {
    if (element.kind != JsonKind::object)
      return core::fail(cell_error(where_, line(element.at), "an element of the report is no object of columns"));
    const bool first = keys_.empty();
    cells_.assign(keys_.size(), std::string());
    std::size_t next = 0;
    const JsonWalk walk = json_members(json_, element.at, [&](std::string_view raw, const JsonValue& value) {
      std::size_t place = next;
      if (first) {
        if (keys_.size() == kMostColumns) return false;
        keys_.push_back(json_name(raw));
        raw_keys_.emplace_back(raw);
        cells_.emplace_back();
      } else {
        // Rows repeat the order of the first; where one does not, the column is looked for.
        while (place < raw_keys_.size() && raw_keys_[place] != raw) ++place;
        if (place == raw_keys_.size())
          place = static_cast<std::size_t>(std::find(raw_keys_.begin(), raw_keys_.end(), raw) - raw_keys_.begin());
        if (place == raw_keys_.size()) return true;  // a column that the first row does not have
      }
      next = place + 1;
      if (value.kind == JsonKind::string) {
        cells_[place] = json_name(value.text);
      } else if (value.kind == JsonKind::scalar && value.text != "null") {
        cells_[place] = value.text;
      }
      return true;
    });
    if (walk == JsonWalk::stopped)
      return core::fail(cell_error(where_, line(element.at), "a row has more than 256 columns, the most that a report has"));
    if (walk != JsonWalk::done) return broken(element.at);
    const std::uint64_t at = line(element.at);
    if (first) {
      if (keys_.empty()) return core::Status();
      if (core::Status status = send(keys_, at); !status) return status;
    }
    return send(cells_, at);
  }
  core::Status send(const std::vector<std::string>& cells, std::uint64_t at) {
    fields_.assign(cells.begin(), cells.end());
    return reader_.record(fields_, at);
  }

  ReportReader& reader_;
  const JsonText& json_;
  std::string_view text_;
  std::string where_;
  std::vector<std::string> keys_, raw_keys_, cells_;
  std::vector<std::string_view> fields_;
  std::size_t counted_to_ = 0;
  std::uint64_t line_ = 1;
};

// `text` has JsonText::kPadding readable bytes behind it.
core::Status read_documents(ReportReader& reader, std::string_view text, const std::string& where, Report expected) {
  JsonText json;
  json.mark(text);
  reader.begin(where, expected);
  Rows rows(reader, json, text, where);
  for (std::size_t at = 0; at < text.size();) {
    if (is_json_space(text[at])) {
      ++at;
    } else if (text[at] == '[') {
      const std::size_t end = json_end(json, at);
      if (end == kJsonCut) return rows.broken(at);
      if (core::Status status = rows.array(at); !status) return status;
      at = end;
    } else {
      const std::size_t end = std::min(text.find('\n', at), text.size());
      if (core::Status status = reader.record({text.substr(at, end - at)}, rows.line(at)); !status) return status;
      at = end;
    }
  }
  return reader.end();
}

Report report_named(const std::string& path) { return report_of(std::filesystem::path(path).stem().string()).report; }

}  // namespace

core::Status read_json_tables(TableCapture& tables, const std::string& path, const ReadOptions& options, Report expected) {
  const OpenFile file(path, options.open);
  if (file.size() > kLargestFile) {
    return core::fail(core::ErrorCode::limit_exceeded, "the file is larger than 256 MiB, the most that is read of a JSON report",
                      "export the report as CSV, or give the SQLite export of the capture", path);
  }
  auto text = file.head(kLargestFile);
  if (!text) return core::fail(core::ErrorCode::environment, "the file cannot be read", {}, path);
  const std::size_t size = text->size();
  text->append(JsonText::kPadding, ' ');
  return read_documents(tables.reader(), std::string_view(*text).substr(0, size), path, expected);
}

core::Expected<Profile> read_nsys_stats_json_text(std::string_view text, const std::string& name) {
  const ReadOptions options;
  TableCapture tables(options);
  std::string padded(text);
  padded.append(JsonText::kPadding, ' ');
  if (core::Status status =
          read_documents(tables.reader(), std::string_view(padded).substr(0, text.size()), name, report_named(name));
      !status)
    return core::fail(status.error());
  return tables.finish(name, true);
}

namespace {

core::Expected<Profile> read_nsys_stats_json(const std::string& path, const ReadOptions& options) {
  TableCapture tables(options);
  if (core::Status status = read_json_tables(tables, path, options, report_named(path)); !status)
    return core::fail(status.error());
  return tables.finish(path, true);
}

}  // namespace

bool is_nsys_stats_json(std::string_view head) {
  // Past the lines that nsys prints; then an array whose first object has a column of a report.
  std::size_t at = 0;
  for (;;) {
    while (at < head.size() && is_json_space(head[at])) ++at;
    if (at >= head.size()) return false;
    if (head[at] == '[') break;
    const std::string_view rest = head.substr(at);
    bool noise = false;
    for (const std::string_view start : {"Processing [", "Generating ", "NOTICE:", "SKIPPED:", "**"})
      noise = noise || rest.starts_with(start);
    if (!noise) return false;
    at = std::min(head.find('\n', at), head.size());
  }
  const std::size_t close = head.find('}', at);
  std::vector<std::string_view> keys;
  bool key = true;  // quoted texts take turns: keys, and values after a colon
  for (std::size_t i = at; i < std::min(close, head.size()) && keys.size() < kMostColumns; ++i) {
    if (head[i] == ':') key = false;
    if (head[i] == ',') key = true;
    if (head[i] != '"') continue;
    const std::size_t begin = i + 1;
    for (++i; i < head.size() && head[i] != '"'; ++i) i += head[i] == '\\' ? 1 : 0;
    if (i >= head.size()) break;
    if (key) keys.push_back(head.substr(begin, i - begin));
  }
  return !keys.empty() && (sum_columns(keys, Report::unknown).has_value() || event_columns(keys).has_value());
}

extern const Form nsys_stats_json_form = {
    .name = "nsys-stats-json",
    .captures = {{{"nsys-stats-json", "the tables of `nsys stats --format json`: one file of one report or several",
                   "an array of objects with the tables' headers as keys", "JSON",
                   "nsys stats --format json --output report \\\n"
                   "  --report cuda_gpu_kern_sum,cuda_api_sum,nvtx_sum report.nsys-rep"}}},
    .recognises = [](const OpenFile& file,
                     std::string_view) { return is_nsys_stats_json(file.head(kTableHead).value_or(std::string())); },
    .read = &read_nsys_stats_json,
};

}  // namespace plumbline::profiles
