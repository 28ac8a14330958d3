// Names and values line by line: "name: value unit", "name = value", "name ....... value". What scripts print at their end when
// nobody gave them a format. Lines under a line "name:" that stand further in belong to it, and lines under a heading "[name]",
// as INI and TOML files have them, to that. An item of a list that begins with a name and a word, as YAML has them ("- stressor:
// cpu"), is a record of that name, and what stands further in belongs to it. A name that comes again is another trial. Lines of
// another kind are counted, not guessed at.
#include <algorithm>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/privacy.hpp"
#include "core/text.hpp"
#include "core/units.hpp"
#include "formats/declared_rows.hpp"
#include "formats/generic/measured_text.hpp"
#include "formats/generic/understood.hpp"
#include "formats/moments.hpp"
#include "formats/readers.hpp"
#include "formats/tool_rows.hpp"

namespace plumbline::formats {
namespace {

using core::ValueState;

struct Pair {
  std::size_t indent = 0;
  std::string_view name, value;
  bool item = false;  // of a list: a dash stands before the name
};

bool is_name(std::string_view name) {
  constexpr std::size_t kLongest = 60;
  if (name.empty() || name.size() > kLongest) return false;
  const auto is_letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (static_cast<unsigned char>(c) & 0x80U) != 0;
  };
  if (!is_letter(name.front()) && name.front() != '"' && name.front() != '_') {
    // "99th percentile", "p50"; never "- item" or "12:30"
    if (name.front() < '0' || name.front() > '9' || !std::any_of(name.begin(), name.end(), is_letter)) return false;
  }
  if (holds_time_of_day(name)) return false;  // a line of a log: no other run has one of this name
  return name.find_first_of("{}<>|;?!\\") == std::string_view::npos && std::count(name.begin(), name.end(), ' ') < 8;
}

std::string_view unquoted(std::string_view text) {
  if (text.size() >= 2 && text.front() == text.back() && (text.front() == '"' || text.front() == '\''))
    return text.substr(1, text.size() - 2);
  return text;
}

// The line as a pair. An empty value is that of a line which only names what follows.
bool pair_of(std::string_view line, Pair& pair) {
  constexpr std::string_view kLeaders = "...";
  if (line.ends_with('\r')) line.remove_suffix(1);
  pair.indent = std::min(line.find_first_not_of(" \t"), line.size());
  line = core::trim(line);
  pair.item = line.starts_with("- ");
  if (pair.item) {
    const std::size_t name = std::min(line.find_first_not_of(' ', 1), line.size());
    pair.indent += name;
    line.remove_prefix(name);
  }
  if (line.empty() || line.front() == '#') return false;
  std::size_t cut = std::string_view::npos, after = 0;
  if (const std::size_t dots = line.find(kLeaders); dots != std::string_view::npos && dots > 0) {
    cut = dots;
    after = std::min(line.find_first_not_of(" .:=", dots), line.size());
    if (after > 0 && after < line.size() && line[after - 1] == '.' && line[after] >= '0' && line[after] <= '9' &&
        line.substr(0, after).ends_with(" .")) {
      --after;  // "..... .5"
    }
    if (after == line.size()) return false;  // "loading..."
  } else {
    for (std::size_t i = 1; i < line.size(); ++i) {
      const bool colon = line[i] == ':' && (i + 1 == line.size() || line[i + 1] == ' ' || line[i + 1] == '\t');
      const bool equals = line[i] == '=' && i + 1 < line.size() && line[i + 1] != '=' && line[i - 1] != '=' &&
                          line[i - 1] != '<' && line[i - 1] != '>' && line[i - 1] != '!';
      if (!colon && !equals) continue;
      cut = i;
      after = i + 1;
      break;
    }
    if (cut == std::string_view::npos) return false;
  }
  pair.name = unquoted(core::trim(line.substr(0, cut)));
  pair.value = unquoted(core::trim(line.substr(after)));
  return is_name(pair.name);
}

bool is_comment(std::string_view text) { return text.starts_with('#') || text.starts_with(';'); }

// A rule ("-----") or a heading between rules ("=== run ===").
bool is_ornament(std::string_view text) {
  if (text.find_first_not_of("-=*_") == std::string_view::npos) return true;
  return text.starts_with("==") || text.starts_with("--") || text.starts_with("**");
}

// "[section]", "[[records]]" of INI and TOML: what the next lines belong to. `repeats`: one of several records.
struct Heading {
  std::string_view name;
  bool repeats = false;
};
std::optional<Heading> heading_of(std::string_view line) {
  line = core::trim(line.substr(0, line.find(" #")));
  Heading heading;
  heading.repeats = line.starts_with("[[") && line.ends_with("]]");
  const std::size_t brackets = heading.repeats ? 2 : 1;
  if (line.size() <= 2 * brackets || !line.starts_with('[') || !line.ends_with(']')) return std::nullopt;
  heading.name = unquoted(core::trim(line.substr(brackets, line.size() - 2 * brackets)));
  if (!is_name(heading.name) || heading.name.find_first_of("[]=,:") != std::string_view::npos) return std::nullopt;
  return heading;
}

// The value without what a comment says behind it; quotes may hold such signs.
std::string_view without_comment(std::string_view value) {
  if (value.starts_with('"') || value.starts_with('\'')) return value;
  const std::size_t comment = std::min(value.find(" #"), value.find(" ;"));
  return core::trim(value.substr(0, comment));
}

// What may call a record: no number, and no sentence.
bool is_word(std::string_view value) {
  constexpr std::size_t kLongest = 60;
  return !value.empty() && value.size() <= kLongest && !measured_text(value, true) && value.find_first_of("[]{}") == value.npos;
}

// "GPU 0: NVIDIA H100 (UUID: …)": the name counts, the value names.
bool is_one_of_several(const Pair& pair) {
  const char last = pair.name.empty() ? ' ' : pair.name.back();
  return last >= '0' && last <= '9' && pair.name.find(' ') != std::string_view::npos && !pair.value.empty() &&
         !measured_text(pair.value, true);
}

class Reader {
 public:
  explicit Reader(RowWriter& writer) : writer_(writer), rows_(writer, "key-value") {}

  void heading(const Heading& heading) {
    interrupt();
    base_ = std::string(heading.name);
    if (!heading.repeats) return;
    base_ += "[" + std::to_string(records_[base_]++) + "]";
    writer_.find(Finding::index_keyed_records, base_);
  }

  void line(const Pair& pair, bool section) {
    constexpr std::size_t kDash = 2;  // "- ": what the list belongs to may stand as far in as the dash
    while (!sections_.empty() && sections_.back().indent + (pair.item ? kDash - 1 : 0) >= pair.indent) sections_.pop_back();
    if (pair.item && is_word(pair.value)) {
      std::string path = prefix();
      if (path.ends_with('.')) path.pop_back();
      path.append("[").append(pair.name).append("=").append(pair.value).append("]");
      sections_.push_back({pair.indent - 1, std::move(path)});
    }
    if (section) {
      std::string path = prefix();
      path.append(pair.name);
      sections_.push_back({pair.indent, std::move(path)});
      return;
    }
    Name name;
    split_unit(pair.name, name.name, name.unit);
    name.shape = shape();
    name.key = prefix() + name.name;
    const bool secret = core::sounds_secret(name.name) || core::names_environment(name.name) || core::names_environment(base_) ||
                        (!sections_.empty() && core::names_environment(sections_.back().path));
    if (secret) {
      writer_.find(Finding::environment_in_source, name.name);
      return;
    }
    const auto [known, fresh] = index_.try_emplace(name.key, names_.size());
    if (fresh) names_.push_back(std::move(name));
    std::vector<std::string_view>& values = names_[known->second].values;
    const std::string_view value = base_.empty() ? pair.value : without_comment(pair.value);
    if (value.size() < 2 || !value.starts_with('[') || !value.ends_with(']')) {
      values.push_back(value);
      return;
    }
    for (const std::string_view one : core::split(value.substr(1, value.size() - 2), ',')) {  // "[1.5, 1.6]" are trials
      if (!core::trim(one).empty()) values.push_back(core::trim(one));
    }
    if (values.empty()) values.push_back(value);
  }
  // What stands further in behind "GPU 0: NVIDIA H100" is of that one of several.
  void member(const Pair& pair) {
    std::string path = prefix();
    path.append(pair.name);
    sections_.push_back({pair.indent, std::move(path)});
  }
  // Ends all sections: a blank line, or one that is no pair.
  void interrupt() { sections_.clear(); }

  void write() {
    for (const Name& name : names_) {
      if (writer_.halted()) return;
      row(name);
    }
  }

 private:
  // Of the keys of the next lines.
  [[nodiscard]] std::string prefix() const {
    if (!sections_.empty()) return sections_.back().path + ".";
    return base_.empty() ? std::string() : base_ + ".";
  }
  // Of what the next lines belong to: what a section says of them, their names leave open.
  [[nodiscard]] std::uint32_t shape() {
    const std::uint32_t base = base_.empty() ? RowWriter::kRootShape : writer_.shape(RowWriter::kRootShape, base_);
    return sections_.empty() ? base : writer_.shape(RowWriter::kRootShape, sections_.back().path);
  }
  struct Section {
    std::size_t indent;
    std::string path;
  };
  struct Name {
    std::string key, name, unit;
    std::uint32_t shape = RowWriter::kRootShape;
    std::vector<std::string_view> values;
  };

  void row(const Name& name) {
    std::vector<double> values, spreads;
    std::string unit = name.unit;
    std::uint64_t absent = 0;
    Leaf odd{ValueState::number, 0, true, {}};
    for (const std::string_view text : name.values) {
      if (is_absent(text)) {
        ++absent;
        continue;
      }
      const auto measured = measured_text(text, true);
      if (!measured) {
        // A word among numbers is a measurement that failed; alone it is what the file says.
        odd = {name.values.size() > 1 && !values.empty() ? ValueState::failed : ValueState::text, 0, false, text.substr(0, 400)};
        if (text == "true" || text == "false") odd = {ValueState::boolean, text == "true" ? 1.0 : 0.0, true, text};
        break;
      }
      if (unit.empty()) unit = std::string(measured->unit);
      const auto factor = measured->unit.empty() || measured->unit == unit ? 1.0 : core::conversion_factor(measured->unit, unit);
      if (!factor || !measured->leaf.has_value) {
        if (!factor) writer_.find(Finding::mixed_units, name.key);
        odd = {factor ? ValueState::not_finite : ValueState::failed, 0, false, text};
        break;
      }
      if (name.values.size() == 1 && measured->leaf.state == ValueState::big_integer) odd = measured->leaf;
      values.push_back(measured->leaf.value * *factor);
      if (measured->spread) spreads.push_back(*measured->spread * *factor);
    }
    Explicit said;
    said.unit = unit;
    if (odd.state == ValueState::text) {
      const std::string_view context = writer_.names().context_key(name.name);
      if (!context.empty() && sections_.empty()) writer_.out.context.emplace(context, odd.text);
    }
    if (odd.state != ValueState::number) {
      writer_.add(name.key, name.name, name.shape, 0, odd, odd.state == ValueState::text ? Explicit{} : said);
    } else if (values.empty()) {
      writer_.add(name.key, name.name, name.shape, 0, {ValueState::null, 0, false, {}}, said);
    } else {
      if (absent > 0) writer_.find(Finding::nulls_in_trials, name.key, absent);
      writer_.add_trials(name.key, name.name, name.shape, 0, values, ValueState::number, {}, said);
      if (!spreads.empty()) rows_.add({}, name.key + ".spread", 0, own_noise(unit), spreads);
    }
  }

  RowWriter& writer_;
  DeclaredRows rows_;
  std::string base_;  // the heading that the lines stand under
  std::unordered_map<std::string, std::size_t> records_;
  std::vector<Section> sections_;
  std::vector<Name> names_;
  std::unordered_map<std::string, std::size_t> index_;
};

}  // namespace

Detection detect_key_value(const Input& input) {
  Detection detection;
  if (input.is_directory) return detection;
  const std::string_view head = json_head(input);
  if (head.empty() || head.front() == '{') return detection;
  std::size_t lines = 0, pairs = 0, numbers = 0;
  LogLines log(head);
  Pair pair;
  for (std::string_view line; log.next(line);) {
    const std::string_view text = core::trim(line);
    if (text.empty() || is_comment(text) || is_ornament(text) || heading_of(text)) continue;
    ++lines;
    if (!pair_of(line, pair)) continue;
    ++pairs;
    const auto measured = measured_text(pair.value, true);
    if (measured && measured->leaf.has_value) ++numbers;
  }
  // Prose has colons too: most lines must be pairs, and some of them numbers.
  if (numbers == 0 || pairs * 3 < lines * 2 || numbers * 8 < pairs) return detection;
  detection.score = 0.3 + 0.2 * static_cast<double>(pairs) / static_cast<double>(lines);
  detection.evidence.push_back(core::counted(pairs, "line") + " of " + std::to_string(lines) + " a name and a value, " +
                               core::counted(numbers, "number") + " among them");
  return detection;
}

core::Expected<core::Measurement> read_key_value(const Input& input, const ReadOptions& options) {
  RowWriter writer(options);
  Reader reader(writer);
  LogLines log(input.bytes);
  Pair pair, held;  // a line that only names: whether it is a section shows in the next one
  bool holding = false, named = false;
  std::uint64_t pairs = 0;
  Understood understood;
  for (std::string_view line; log.next(line);) {
    if (options.stop && log.number() % 65536 == 0 && options.stop())
      return core::fail(core::ErrorCode::cancelled, "stopped while reading", {}, input.name);
    if (pairs > options.max_rows) break;
    const std::string_view text = core::trim(line);
    if (text.empty() || is_comment(text) || is_ornament(text)) continue;
    if (const auto heading = heading_of(text)) {
      if (holding) reader.line(held, false);
      holding = false;
      reader.heading(*heading);
      continue;
    }
    const bool is_pair = pair_of(line, pair);
    if (holding) reader.line(held, is_pair && pair.indent > held.indent);
    holding = false;
    if (named && is_pair && pair.indent > held.indent) reader.member(held);
    named = is_pair && is_one_of_several(pair);
    if (named) held = pair;
    if (!is_pair) {
      understood.left(text, log.number());
      reader.interrupt();
      continue;
    }
    ++pairs;
    understood.pair(pair.value, text, log.number());
    if (pair.value.empty()) {
      held = pair;
      holding = true;
    } else {
      reader.line(pair, false);
    }
  }
  if (holding) reader.line(held, false);
  if (pairs == 0) {
    return core::fail(core::ErrorCode::invalid_input, "no line is a name and a value",
                      "lines are read as \"name: value unit\", \"name = value\" or \"name ..... value\"", input.name);
  }
  reader.write();
  if (options.format.empty() && !understood.enough(writer.out)) {
    return core::fail(core::ErrorCode::invalid_input, understood.what_was_not(),
                      "write the results as \"name: value unit\", JSON or CSV; to compare what was understood and nothing else: "
                      "--format key-value",
                      input.name);
  }
  if (const std::string unread = understood.unread(); !unread.empty()) writer.out.warn("unread_lines", unread);
  return writer.finish(input.name);
}

extern const Format key_value_format = {
    .name = "key-value",
    .title = "lines of a name and a value",
    .replication = core::Replication::unknown,
    .detect = detect_key_value,
    .read = read_key_value,
    .about = {.group = Group::generic,
              .file = "text",
              .produce = "./my_benchmark > result.txt  # prints lines such as `throughput: 12.5 GB/s`",
              .judged = "every number, unit and direction by its name, or the unit beside it; `± x` is noise",
              .key = "the name, behind the names of the lines and of the heading above it",
              .trials = "a name that comes again",
              .context = "lines that name a field of the context: model, GPU, driver",
              .limits = "lines of another kind are counted; where they hold most numbers or all results the text is refused",
              .recognised = "most lines are `name: value`, `name = value` or `name ..... value`, also under `[headings]`"},
};

}  // namespace plumbline::formats
