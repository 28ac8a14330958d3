#include "formats/stated/draft.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "base/characters.hpp"
#include "core/text.hpp"
#include "core/units.hpp"
#include "formats/generic/measured_text.hpp"
#include "formats/readers.hpp"
#include "formats/stated/mapping.hpp"
#include "formats/stated/pattern.hpp"
#include "formats/stated/table_lines.hpp"
#include "formats/tool_rows.hpp"

namespace plumbline::formats::stated {
namespace {

using namespace std::string_view_literals;

constexpr std::size_t kMostLines = 12, kMostValues = 40, kLookedAt = 4 * kHead;

using base::is_digit;
using base::is_letter;

// A text as a YAML scalar in double quotes.
std::string quoted(std::string_view text) {
  std::string made = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') made.push_back('\\');
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) {
      constexpr std::string_view kDigits = "0123456789abcdef";
      const auto byte = static_cast<unsigned char>(c);
      made.append("\\x").append({kDigits[byte / 16], kDigits[byte % 16]});
    } else {
      made.push_back(c);
    }
  }
  return made + "\"";
}

// As it is where YAML takes it for that text.
std::string as_scalar(const std::string& text) {
  constexpr std::array kNoTexts = {""sv, "null"sv, "true"sv, "false"sv, "yes"sv, "no"sv, "on"sv, "off"sv, "y"sv, "n"sv};
  const bool plain =
      std::find(kNoTexts.begin(), kNoTexts.end(), core::to_lower(text)) == kNoTexts.end() &&
      text.find_first_of(":#{}[]\"',&*!|>%@`\\") == std::string::npos &&
      std::none_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; });
  return plain ? text : quoted(text);
}

// "lower ms", "dimension": what a value of this name and unit seems to be.
std::string kind_of(std::string_view name, std::string_view unit, const configs::MetricNames& names) {
  if (unit.empty() && names.is_dimension(name)) return "dimension";
  const configs::MetricGuess guess = names.guess(name, unit);
  const std::string shown_unit(unit.empty() ? std::string_view(guess.unit) : unit);
  const std::string with_unit = shown_unit.empty() ? "" : " " + shown_unit;
  if (guess.role == core::Role::gate) return "gate";
  if (guess.role == core::Role::noise) return "noise" + with_unit;
  if (guess.role == core::Role::context) return "shown" + with_unit;
  if (guess.direction == core::Direction::lower) return "lower" + with_unit;
  if (guess.direction == core::Direction::higher) return "higher" + with_unit;
  return "shown" + with_unit;
}

// Values of a draft in their order; a name that comes again for another unit gets a number.
class Values {
 public:
  explicit Values(const configs::MetricNames& names) : names_(names) {}
  void add(const std::string& name, const std::string& kind) {
    if (std::none_of(all_.begin(), all_.end(), [&](const auto& one) { return one.first == name; })) all_.emplace_back(name, kind);
  }
  void add_metric(const std::string& name, std::string_view unit) { add(name, kind_of(name, unit, names_)); }
  [[nodiscard]] bool any_number() const {
    return std::any_of(all_.begin(), all_.end(), [](const auto& one) { return one.second != "dimension"; });
  }
  [[nodiscard]] std::string yaml() const {
    std::string out = "  values:\n";
    for (const auto& [name, kind] : all_) {
      const bool plain = !name.empty() && is_letter(name.front()) && name.find_first_of(" /") == std::string::npos;
      out += "    " + (plain ? as_scalar(name) : quoted(name)) + ": " + (kind.front() == '{' ? kind : as_scalar(kind)) + "\n";
    }
    return out;
  }

 private:
  const configs::MetricNames& names_;
  std::vector<std::pair<std::string, std::string>> all_;
};

// ---- logs -----------------------------------------------------------------------------------------------------------------

// A word of a line, cut into literals and numbers: "batch=8:" is "batch=", a number and ":".
struct Piece {
  bool number = false;
  std::string text;
};
constexpr char kHole = '\0';  // no text has it: of binary data there is no draft
struct Word {
  std::vector<Piece> pieces;  // none: a date
  std::string general;        // with kHole for numbers and for dates: what words of two lines have in common
  [[nodiscard]] bool has_number() const {
    return std::any_of(pieces.begin(), pieces.end(), [](const Piece& one) { return one.number; });
  }
  [[nodiscard]] bool is_literal() const { return !pieces.empty() && !has_number(); }
};

// A date, a time, an address, a version: nothing to be named.
bool is_stamp(std::string_view word) {
  const auto signs = std::count_if(word.begin(), word.end(), [](char c) { return c == ':' || c == '-' || c == '/'; });
  const auto digits = std::count_if(word.begin(), word.end(), is_digit);
  const auto dots = std::count(word.begin(), word.end(), '.');
  return digits >= 3 && (signs >= 2 || dots >= 2) && word.find_first_not_of("0123456789:-/.,TZ+[]()vV") == std::string_view::npos;
}

// The number that begins at `at`: its end, or `at` where none does. "fp16" and "H100" hold none.
std::size_t number_end(std::string_view word, std::size_t at) {
  if (at > 0 && (is_letter(word[at - 1]) || is_digit(word[at - 1]) || word[at - 1] == '_' || word[at - 1] == '.')) return at;
  std::size_t end = at;
  if (word[end] == '-' || word[end] == '+') ++end;
  const std::size_t digits = end;
  while (end < word.size() && (is_digit(word[end]) || word[end] == '.' || word[end] == ',')) ++end;
  while (end > digits && !is_digit(word[end - 1])) --end;
  if (end == digits || !is_digit(word[digits])) return at;
  if (end < word.size() && (word[end] == 'e' || word[end] == 'E')) {
    std::size_t exponent = end + 1;
    if (exponent < word.size() && (word[exponent] == '-' || word[exponent] == '+')) ++exponent;
    const std::size_t first = exponent;
    while (exponent < word.size() && is_digit(word[exponent])) ++exponent;
    if (exponent > first) end = exponent;
  }
  return end;
}

Word word_of(std::string_view text) {
  Word made;
  if (is_stamp(text)) {
    made.general = kHole;
    return made;
  }
  std::string literal;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = number_end(text, at);
    if (end == at) {
      literal.push_back(text[at++]);
      continue;
    }
    if (!literal.empty()) made.pieces.push_back({false, std::exchange(literal, {})});
    made.pieces.push_back({true, std::string(text.substr(at, end - at))});
    at = end;
  }
  if (!literal.empty()) made.pieces.push_back({false, std::move(literal)});
  for (const Piece& one : made.pieces) made.general += one.number ? std::string(1, kHole) : one.text;
  return made;
}

std::string letters_of(std::string_view text) {
  std::string made;
  for (const char c : text) {
    if (is_letter(c) || c == '_' || (is_digit(c) && !made.empty())) made.push_back(c);
  }
  return as_name(made);
}
// "12.5 ms", "99%": what is beside a number, where it is a unit.
std::string unit_of(std::string_view text) {
  text = text.substr(0, text.find_first_of(",;)]"));
  if (text.empty() || text.size() > 12) return {};
  const bool rate = text.find('/') != std::string_view::npos && is_letter(text.front());
  return rate || core::parse_unit(text).quantity != core::Quantity::unknown ? std::string(text) : std::string();
}

// "tok/s" -> "tok_per_second", "requests" -> "requests".
std::string name_of_unit(std::string_view text) {
  const std::size_t slash = text.find("/s");
  return slash == std::string_view::npos ? letters_of(text) : letters_of(text.substr(0, slash)) + "_per_second";
}

// Lines that differ in numbers alone, or in one word besides: that word is a dimension.
struct Group {
  std::vector<Word> words;
  std::optional<std::size_t> varying;
};

class LogDraft {
 public:
  explicit LogDraft(const configs::MetricNames& names) : values_(names) {}

  std::string write(const Input& input, const std::string& name) {
    LogLines lines(input.bytes.substr(0, kLookedAt));
    std::string_view line;
    while (lines.next(line)) take(core::trim(line));
    std::string stated;
    for (std::size_t i = 0; i < std::min(groups_.size(), kMostLines); ++i)
      stated += "    - " + quoted(line_of(groups_[i])) + "\n";
    if (!values_.any_number()) return {};
    return "- name: " + name + "\n  recognise: " + quoted(banner_) + "\n  lines:\n" + stated + values_.yaml();
  }

 private:
  void take(std::string_view line) {
    if (line.empty() || is_rule(line) || line.find_first_of("{}") != std::string_view::npos) return;
    std::vector<std::string_view> texts;
    split_blanks(line, texts);
    Group made;
    for (const std::string_view text : texts) made.words.push_back(word_of(text));
    // What a file begins with says what it is; a line that is all numbers does not.
    if (banner_.empty() && std::count_if(line.begin(), line.end(), is_letter) > 3) banner_ = general_of(made);
    if (std::none_of(made.words.begin(), made.words.end(), [](const Word& one) { return one.has_number(); })) return;
    for (Group& known : groups_) {
      if (joins(known, made)) return;
    }
    if (groups_.size() < 400) groups_.push_back(std::move(made));
  }
  static std::string general_of(const Group& group) {
    std::string out;
    for (const Word& word : group.words) {
      if (!out.empty()) out.push_back(' ');
      for (const char c : word.general) out += c == kHole ? std::string("{}") : std::string(1, c);
    }
    return out;
  }
  static bool joins(Group& known, const Group& made) {
    if (known.words.size() != made.words.size()) return false;
    std::optional<std::size_t> differs = known.varying;
    for (std::size_t i = 0; i < made.words.size(); ++i) {
      if (known.words[i].general == made.words[i].general || differs == i) continue;
      // A word without numbers, and one line is not enough to say so of a line of two words.
      if (differs || !known.words[i].is_literal() || !made.words[i].is_literal() || made.words.size() < 3) return false;
      differs = i;
    }
    known.varying = differs;
    return true;
  }

  std::string line_of(const Group& group) {
    std::string text, before;
    std::set<std::string> used;
    if (group.varying) used.insert("case");
    bool behind_its_number = false;  // a unit is not the name of the number behind it
    for (std::size_t i = 0; i < group.words.size(); ++i) {
      const Word& word = group.words[i];
      if (i > 0) text.push_back(' ');
      if (word.pieces.empty()) text += "{}";
      if (group.varying == i) {
        std::string_view literal = word.general;
        std::string_view tail = literal;
        while (!literal.empty() && !is_letter(literal.back()) && !is_digit(literal.back())) literal.remove_suffix(1);
        tail.remove_prefix(literal.size());
        values_.add("case", "dimension");
        text += "{case}" + std::string(tail);
        continue;
      }
      for (std::size_t p = 0; p < word.pieces.size(); ++p) {
        const Piece& piece = word.pieces[p];
        if (!piece.number) {
          text += piece.text;
          if (std::string letters = letters_of(piece.text); !letters.empty() && !behind_its_number) before = std::move(letters);
          behind_its_number = false;
          continue;
        }
        const bool joined = p + 1 < word.pieces.size();
        const std::string_view behind = joined                       ? std::string_view(word.pieces[p + 1].text)
                                        : i + 1 < group.words.size() ? std::string_view(group.words[i + 1].general)
                                                                     : std::string_view();
        const std::string unit = unit_of(behind);
        const bool is_named = !before.empty() && !(group.varying && before == "case");
        std::string name = is_named ? before : name_of_unit(behind);
        if (name.empty()) name = "value";
        std::string fresh = name;
        for (std::size_t n = 2; !used.insert(fresh).second; ++n) fresh = name + "_" + std::to_string(n);
        values_.add_metric(fresh, unit);
        text += "{" + fresh + "}";
        before.clear();
        behind_its_number = !unit.empty();
      }
    }
    return text;
  }

  Values values_;
  std::vector<Group> groups_;
  std::string banner_;
};

// ---- tables ---------------------------------------------------------------------------------------------------------------

std::string table_draft(const Input& input, char separator, const configs::MetricNames& names, const std::string& name) {
  LogLines lines(input.bytes.substr(0, kLookedAt));
  std::string_view line;
  std::vector<std::string_view> headings, cells;
  std::vector<std::string> kept_headings, kept;
  if (!lines.next(line)) return {};
  const std::string heading(core::trim(line));
  if (heading.find_first_of("{}") != std::string::npos) return {};  // they would be holes
  split_cells(line, separator, headings, kept_headings);
  do {
    if (!lines.next(line)) return {};
  } while (is_rule(line));
  split_cells(line, separator, cells, kept);
  if (cells.size() != headings.size() || cells.size() < 2) return {};
  Values values(names);
  for (std::size_t i = 0; i < headings.size(); ++i) {
    if (headings[i].empty() || names.is_volatile(headings[i])) continue;
    if (!cell(cells[i]) && !leaf_of_text(cells[i]).has_value) {
      values.add(std::string(headings[i]), "dimension");
      continue;
    }
    std::string plain, unit;
    split_unit(headings[i], plain, unit);
    const bool known = core::parse_unit(unit).quantity != core::Quantity::unknown;
    if (!known && unit.find('/') == std::string::npos) unit.clear();  // a remark, and no unit
    if (plain == headings[i]) {
      values.add_metric(plain, unit);
    } else {
      std::string kind = kind_of(plain, unit, names);
      const std::size_t blank = kind.find(' ');
      values.add(std::string(headings[i]),
                 "{is: " + kind.substr(0, blank) +
                     (blank == std::string::npos ? "" : ", unit: " + as_scalar(kind.substr(blank + 1))) +
                     ", as: " + as_scalar(as_name(plain)) + "}");
    }
  }
  if (!values.any_number()) return {};
  const std::string sign = separator == '\t' ? "tab" : quoted(std::string(1, separator));
  return "- name: " + name + "\n  recognise: " + quoted(heading) + "\n  table: {separator: " + sign + "}\n" + values.yaml();
}

// ---- JSON -----------------------------------------------------------------------------------------------------------------

// The paths of a document, arrays passed through, and the arrays of objects on the way with how many numbers are under each.
class Paths {
  struct Found {
    bool number = false, truth = false;
    std::size_t count = 0;
  };

 public:
  void walk(const json::Value& value, const std::string& path, std::size_t depth) {  // NOLINT(misc-no-recursion): bounded
    if (depth > 8 || leaves_.size() > 2000) return;
    if (value.is_array()) {
      bool objects = false;
      std::size_t looked = 0;
      for (const json::Value& element : value.elements()) {
        if (++looked > 50) break;
        objects = objects || element.is_object();
        walk(element, path, depth + 1);
      }
      if (objects) records_.insert(path);
      return;
    }
    if (value.is_object()) {
      for (const auto& member : value.members()) {
        if (member.key.empty() || member.key.find_first_of("/{}") != std::string_view::npos) continue;  // a path cannot say these
        walk(member.value, path.empty() ? std::string(member.key) : path + "/" + std::string(member.key), depth + 1);
      }
      return;
    }
    if (value.is_null()) return;
    Found& found = leaves_[path];
    if (found.count++ == 0) order_.push_back(path);
    found.number = found.number || (!value.is_boolean() && (value.is_number() || leaf_of(value).has_value));
    found.truth = found.truth || value.is_boolean();
  }
  [[nodiscard]] std::string write(const configs::MetricNames& names, const std::string& name) const {
    const std::string at = busiest();
    Values values(names);
    std::string recognised;
    std::size_t written = 0;
    for (const std::string& path : order_) {
      if (!at.empty() && !path.starts_with(at + "/")) continue;
      if (written++ == kMostValues) break;
      const std::string inner = at.empty() ? path : path.substr(at.size() + 1);
      const Found& found = leaves_.at(path);
      const std::string last = inner.substr(inner.rfind('/') + 1);
      if (found.number) {
        values.add(inner, kind_of(inner.find('/') == std::string::npos ? last : dotted(inner), {}, names));
        if (recognised.find(',') == std::string::npos) recognised += (recognised.empty() ? "" : ", ") + quoted(path);
      } else if (found.truth) {
        values.add(inner, is_check(last) ? "check" : "dimension");
      } else if (!names.is_volatile(last)) {
        values.add(inner, "dimension");
      }
    }
    if (!values.any_number()) return {};
    return "- name: " + name + "\n  recognise: [" + recognised + "]\n  records: " + quoted(at) + "\n" + values.yaml();
  }

 private:
  static std::string dotted(std::string path) {
    std::replace(path.begin(), path.end(), '/', '.');
    return path;
  }
  // Of the arrays of objects the one with most numbers in it, the deepest of equals.
  [[nodiscard]] std::string busiest() const {
    std::string best;
    std::size_t most = 0;
    for (const std::string& at : records_) {
      std::size_t numbers = 0;
      for (const auto& [path, found] : leaves_) numbers += path.starts_with(at + "/") && found.number ? found.count : 0;
      if (numbers > 0 && numbers >= most && !at.empty()) {
        most = numbers;
        best = at;
      }
    }
    return best;
  }

  std::map<std::string, Found> leaves_;
  std::vector<std::string> order_;
  std::set<std::string> records_;
};

// YAML is UTF-8: a line that is not cannot be written into it.
std::string valid_lines(std::string_view text) {
  std::string kept;
  for (const std::string_view line : core::split(text, '\n')) {
    if (core::is_valid_utf8(line)) kept.append(line).push_back('\n');
  }
  return kept;
}

std::string json_draft(const Input& input, const configs::MetricNames& names, const std::string& name) {
  const JsonBody body(input);
  const auto document = body.parse({});
  if (!document) return {};
  Paths paths;
  paths.walk(document->root(), "", 0);
  return paths.write(names, name);
}

// The draft, where it is a statement: a name may be longer than a key of YAML.
std::string readable(std::string draft) {
  return draft.empty() || parse_formats(draft, "the draft") ? std::move(draft) : std::string();
}

}  // namespace

std::string draft_of(const Input& given, const configs::MetricNames& names, const std::string& name) {
  Input input = given;
  if (input.is_directory || !input.files.empty() || input.bytes.empty()) return {};
  if (input.bytes.substr(0, kLookedAt).find('\0') != std::string_view::npos) return {};  // binary data
  std::string valid;
  if (!core::is_valid_utf8(input.bytes)) {
    valid = valid_lines(input.bytes);
    input.bytes = valid;
    input.outline = nullptr;
  }
  const std::string_view head = json_head(input);
  if (head.starts_with('{') || head.starts_with('[')) {
    if (std::string made = readable(json_draft(input, names, name)); !made.empty()) return made;
  }
  for (const char separator : {'\t', '|', ';', ','}) {
    if (std::string made = readable(table_draft(input, separator, names, name)); !made.empty()) return made;
  }
  return readable(LogDraft(names).write(input, name));
}

}  // namespace plumbline::formats::stated
