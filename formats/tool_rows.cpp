#include "formats/tool_rows.hpp"

#include <algorithm>
#include <cmath>

#include "core/text.hpp"

namespace plumbline::formats {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// "[1,0]<stdout>:" of mpirun, "0: " of srun -l, "2026-01-31T10:00:00.123456789Z " of Kubernetes.
std::string_view without_launcher(std::string_view line) {
  std::string_view rest = line.substr(std::min(line.find_first_not_of(' '), line.size()));
  if (rest.starts_with('[')) {
    const std::size_t end = rest.substr(0, 48).find(">:");
    if (end != std::string_view::npos && rest.substr(0, end).find("]<std") != std::string_view::npos) return rest.substr(end + 2);
    return line;
  }
  const std::size_t digits = std::min(rest.find_first_not_of("0123456789"), rest.size());
  if (digits > 0 && digits < 7 && rest.substr(digits).starts_with(": ")) return rest.substr(digits + 2);
  if (digits == 4 && rest.size() > 20 && rest[4] == '-' && rest[7] == '-' && rest[10] == 'T') {
    const std::size_t end = rest.substr(0, 40).find("Z ");
    if (end != std::string_view::npos && is_digit(rest[end - 1])) return rest.substr(end + 2);
  }
  return line;
}

}  // namespace

LogLines::LogLines(std::string_view text) : text_(text) {
  if (text_.starts_with("\xEF\xBB\xBF")) at_ = 3;
}

bool LogLines::next(std::string_view& line) {
  if (at_ >= text_.size()) return false;
  ++number_;
  const std::size_t end = text_.find('\n', at_);
  cut_ = end == std::string_view::npos;
  line = text_.substr(at_, cut_ ? std::string_view::npos : end - at_);
  at_ = cut_ ? text_.size() : end + 1;
  if (line.ends_with('\r')) line.remove_suffix(1);
  if (line.find('\x1B') != std::string_view::npos) {
    std::string& plain = plain_.emplace_back();
    for (std::size_t i = 0; i < line.size(); ++i) {
      if (line[i] == '\x1B' && i + 1 < line.size() && line[i + 1] == '[') {
        i = std::min(line.find_first_not_of("0123456789;", i + 2), line.size());
      } else {
        plain.push_back(line[i]);
      }
    }
    line = plain;
  }
  line = without_launcher(line);
  return true;
}

void split_blanks(std::string_view line, std::vector<std::string_view>& fields) {
  fields.clear();
  for (std::size_t at = line.find_first_not_of(" \t"); at != std::string_view::npos; at = line.find_first_not_of(" \t", at)) {
    const std::size_t end = std::min(line.find_first_of(" \t", at), line.size());
    fields.push_back(line.substr(at, end - at));
    at = end;
  }
}

std::optional<Leaf> cell(std::string_view text) {
  text = core::trim(text);
  if (text == "N/A" || text == "n/a") return Leaf{core::ValueState::null, 0, false, text};
  const auto value = core::parse_double(text);
  if (!value) return std::nullopt;
  if (!std::isfinite(*value)) return Leaf{core::ValueState::not_finite, 0, false, text};
  return Leaf{core::ValueState::number, *value, true, {}};
}

ToolRows::ToolRows(const Input& input, const ReadOptions& options, std::string_view tool)
    : writer(options), input_(input), tool_(tool) {}

void ToolRows::point(std::string_view subject, std::span<const Dim> dims) {
  ids_.clear();
  prefix_.assign(subject);
  char before = '[';
  const auto put = [&](std::string_view name, std::string_view value) {
    prefix_.push_back(before);
    prefix_.append(name).push_back('=');
    prefix_.append(value.substr(0, 200));
    before = ',';
    ids_.emplace_back(writer.pool().intern(name), writer.pool().intern(value.substr(0, 200)));
  };
  for (const auto& [name, value] : dims) {
    if (!value.empty()) put(name, value);
  }
  Use& use = uses_[prefix_];
  if (use.times == 0 || use.section != section_) {
    use.section = section_;
    ++use.times;
  }
  if (use.times > 1) {
    if (repeated_++ == 0) repeated_example_ = prefix_ + (before == ',' ? "]" : "");
    put("section", std::to_string(use.times));
  }
  if (before == ',') prefix_.push_back(']');
  dims_ = writer.out.add_dims(ids_);
}

std::string ToolRows::key(std::string_view metric) const {
  return prefix_.empty() ? std::string(metric) : prefix_ + "." + std::string(metric);
}

ToolRows::Pending& ToolRows::pending(const ToolMetric& metric, bool& again) {
  std::string full = key(metric.name);
  const auto [found, fresh] = index_.try_emplace(full, pending_.size());
  again = !fresh;
  if (fresh) {
    Pending& made = pending_.emplace_back();
    made.key = std::move(full);
    made.metric = &metric;
    made.dims = dims_;
  }
  return pending_[found->second];
}

void ToolRows::add(const ToolMetric& metric, const Leaf& leaf) {
  bool again = false;
  Pending& row = pending(metric, again);
  if (!again || leaf.state != core::ValueState::number) {
    // One trial without a number spoils the row: fewer trials than were run would flatter it.
    row.leaf = leaf;
    if (again) row.values.clear();
  }
  if (row.leaf.state == core::ValueState::number && leaf.has_value) row.values.push_back(leaf.value);
}

bool ToolRows::add(const ToolMetric& metric, std::string_view printed) {
  const auto leaf = cell(printed);
  if (leaf) add(metric, *leaf);
  return leaf.has_value();
}

void ToolRows::add_trials(const ToolMetric& metric, std::vector<double> values) {
  bool again = false;
  Pending& row = pending(metric, again);
  row.values.insert(row.values.end(), values.begin(), values.end());
}

void ToolRows::note(std::string_view context_key, std::string_view value) {
  value = core::trim(value).substr(0, 500);
  if (value.empty()) return;
  const auto [known, fresh] = notes_.try_emplace(std::string(context_key), value);
  if (!fresh && known->second != value) known->second.clear();
}

void ToolRows::incomplete(std::string what) { incomplete_.push_back(std::move(what)); }

bool ToolRows::halted() {
  if (pending_.size() >= 65536) write();
  return writer.halted();
}

void ToolRows::write() {
  for (Pending& row : pending_) {
    const std::size_t before = writer.out.rows().size();
    if (row.values.size() == 1 || row.values.empty()) {
      if (!row.values.empty()) row.leaf.value = row.values.front();
      writer.add(row.key, row.metric->name, RowWriter::kRootShape, row.dims, row.leaf);
    } else {
      writer.add_trials(row.key, row.metric->name, RowWriter::kRootShape, row.dims, row.values, core::ValueState::number, {});
    }
    if (writer.out.rows().size() == before || row.leaf.state == core::ValueState::text) continue;
    const auto [known, fresh] = classes_.try_emplace(row.metric, 0);
    if (fresh) {
      core::MetricClass declared;
      declared.unit = row.metric->unit.empty() ? 0 : writer.pool().intern(row.metric->unit);
      declared.unit_source = row.metric->unit.empty() ? core::Source::defaulted : core::Source::format;
      declared.direction = row.metric->direction;
      declared.direction_source = core::Source::format;
      declared.direction_note = writer.pool().intern(tool_);
      declared.role = row.metric->role;
      declared.exact = row.metric->exact || row.metric->role == core::Role::gate;
      known->second = writer.out.intern_class(declared);
    }
    writer.out.rows().back().metric_class = known->second;
  }
  pending_.clear();
  index_.clear();
}

core::Expected<core::Measurement> ToolRows::finish() {
  write();
  if (repeated_ > 0) {
    writer.out.warn("repeated_sections",
                    core::counted(repeated_, "point was", "points were") +
                        " measured again in a later section of the file, which has rows of its own (section=2, …): " +
                        core::quoted(repeated_example_));
  }
  if (!incomplete_.empty()) {
    writer.out.warn("run_incomplete",
                    core::counted(incomplete_.size(), "run has", "runs have") + " no end: " + incomplete_.front());
  }
  for (const auto& [name, value] : notes_) {
    if (!value.empty()) writer.out.context.emplace(name, value);
  }
  return writer.finish(input_.name);
}

core::Error ToolRows::error(std::string message, std::string hint, std::size_t line) const {
  core::Error made;
  made.code = core::ErrorCode::invalid_input;
  made.message = std::move(message);
  made.hint = std::move(hint);
  made.where = line == 0 ? input_.name : input_.name + ":" + std::to_string(line);
  return made;
}

std::string_view JsonBody::head(const Input& input) {
  const std::string_view head = json_head(input);
  if (head.starts_with('{')) return head;
  const std::size_t start = head.find("\n{");
  return start == std::string_view::npos ? std::string_view() : head.substr(start + 1);
}

JsonBody::JsonBody(const Input& input) : input_(input) {
  const std::string_view from = head(input);
  if (from.empty() || from.data() == json_head(input).data()) return;
  own_ = std::string(input.bytes);
  for (std::size_t i = 0; i < static_cast<std::size_t>(from.data() - input.bytes.data()); ++i) {
    if (own_[i] != '\n') own_[i] = ' ';
  }
  input_.bytes = own_;
}

}  // namespace plumbline::formats
