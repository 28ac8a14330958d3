#include "formats/stated/mapping.hpp"

#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <array>
#include <deque>
#include <optional>
#include <set>
#include <utility>

#include "core/citing.hpp"
#include "core/text.hpp"
#include "core/units.hpp"
#include "formats/stated/stated.hpp"

namespace plumbline::formats::stated {

// The texts that a statement looks into, and the statement.
struct OwnFormats::Own {
  std::deque<std::string> texts;
  std::deque<std::vector<std::string_view>> recognised_lines;
  std::deque<std::vector<Column>> columns;
  std::vector<Recognised> recognised;
  std::vector<Field> fields;
  std::vector<Line> lines;
  std::vector<Table> tables;
  std::vector<Records> records;
  std::string yaml;
  Statement statement;
  Format format;

  std::string_view keep(std::string text) { return texts.emplace_back(std::move(text)); }
};

OwnFormats::OwnFormats() = default;
OwnFormats::OwnFormats(OwnFormats&&) noexcept = default;
OwnFormats& OwnFormats::operator=(OwnFormats&&) noexcept = default;
OwnFormats::~OwnFormats() = default;

std::string OwnFormats::text_of(std::string_view name) const {
  for (const auto& own : own_) {
    if (own->format.name == name) return own->yaml;
  }
  return {};
}

namespace {

constexpr double kOwnScore = 0.99;  // a team knows its files better than our readers do
using Words = std::span<const std::string_view>;
constexpr std::array<std::string_view, 8> kFormatWords = {"name",    "recognise", "lines",   "table",
                                                          "records", "values",    "subject", "trials"};
constexpr std::array<std::string_view, 4> kLineWords = {"line", "point", "turn", "within"};
constexpr std::array<std::string_view, 3> kTableWords = {"separator", "columns", "point"};
constexpr std::array<std::string_view, 3> kRecordsWords = {"at", "columns", "point"};
constexpr std::array<std::string_view, 7> kValueWords = {"is", "unit", "as", "headline", "load", "times", "prefixes"};
constexpr std::array<std::string_view, 8> kKinds = {"dimension", "context", "higher", "lower", "shown", "noise", "gate", "check"};
constexpr std::array<std::string_view, 5> kTurns = {"begins", "ends", "fails", "paces", "none"};

std::string list_of(Words words) {
  std::string out;
  for (const std::string_view word : words) out += (out.empty() ? "" : ", ") + std::string(word);
  return out;
}

}  // namespace

class MappingReader {
 public:
  explicit MappingReader(std::vector<core::ConfigProblem>& problems) : problems_(problems) {}

  OwnFormats read(const YAML::Node& list) {
    OwnFormats out;
    if (!list.IsSequence()) {
      problem(list, "formats is a list", "each has a name, `recognise` and `values`");
      return out;
    }
    for (const auto& node : list) {
      auto own = std::make_unique<OwnFormats::Own>();
      const std::size_t before = problems_.size();
      read_format(node, *own);
      if (problems_.size() != before) continue;
      if (std::any_of(out.own_.begin(), out.own_.end(), [&](const auto& one) { return one->format.name == own->format.name; })) {
        problem(node, "two formats are called " + core::cited(own->format.name), "a name says which one is meant");
        continue;
      }
      out.formats_.push_back(&own->format);
      out.own_.push_back(std::move(own));
    }
    return out;
  }

 private:
  using Own = OwnFormats::Own;

  void problem(const YAML::Node& node, std::string message, std::string hint = {}) {
    const YAML::Mark mark = node.Mark();
    problems_.push_back({true, mark.line + 1, mark.column + 1, std::move(message), std::move(hint)});
  }
  bool check_words(const YAML::Node& map, Words words, const std::string& what) {
    const std::size_t before = problems_.size();
    if (!map.IsMap()) {
      problem(map, what + " is a map", "known words are: " + list_of(words));
      return false;
    }
    for (const auto& item : map) {
      const std::string word = item.first.IsScalar() ? item.first.Scalar() : std::string();
      if (std::find(words.begin(), words.end(), word) != words.end()) continue;
      const std::string_view near = core::nearest(word, words);
      problem(item.first, "unknown word " + core::cited(word) + " in " + what,
              near.empty() ? "known are: " + list_of(words) : "did you mean " + core::cited(near) + "?");
    }
    return problems_.size() == before;
  }
  std::string text_of(const YAML::Node& map, const char* name) {
    const YAML::Node node = map[name];
    if (!node) return {};
    if (node.IsScalar() && !node.Scalar().empty()) return node.Scalar();
    problem(node, std::string(name) + " is a text");
    return {};
  }
  template <class T>
  T value_of(const YAML::Node& map, const char* name, T otherwise, const char* what) {
    const YAML::Node node = map[name];
    if (!node) return otherwise;
    T value{};
    if (node.IsScalar() && YAML::convert<T>::decode(node, value)) return value;
    problem(node, std::string(name) + " is " + what);
    return otherwise;
  }

  void read_format(const YAML::Node& node, Own& own) {
    const std::size_t before = problems_.size();
    if (!check_words(node, kFormatWords, "a format")) return;
    const std::string name = text_of(node, "name");
    const bool plain = !name.empty() && name.size() <= 64 &&
                       name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789._-") == std::string::npos;
    if (!plain) {
      problem(node, name.empty() ? "a format has no name" : "the name " + core::cited(name) + " is not a plain word",
              "lower-case letters, digits, '.', '_' and '-'");
      return;
    }
    const auto known = table();
    if (std::any_of(known.begin(), known.end(), [&](const Format* one) { return one->name == name; })) {
      problem(node["name"], core::cited(name) + " is a format of plumbline already", "give yours another name");
      return;
    }
    read_values(node["values"], node, own);
    read_lines(node["lines"], own);
    if (const YAML::Node one = node["table"]) read_table(one, own);
    if (const YAML::Node one = node["records"]) read_records(one, own);
    const int ways = (own.lines.empty() ? 0 : 1) + (own.records.empty() ? 0 : 1);
    if (own.lines.empty() && own.tables.empty() && own.records.empty()) {
      problem(node, "the format says nothing of what is in the file", "give `lines`, a `table` or `records`");
    } else if (ways == 2 || (!own.records.empty() && !own.tables.empty())) {
      problem(node["records"], "`records` are of JSON, `lines` and `table` of other text", "state two formats");
    }
    read_recognised(node["recognise"], node, own);
    finish(node, name, before, own);
  }

  void read_values(const YAML::Node& values, const YAML::Node& format, Own& own) {
    if (!values || !values.IsMap() || values.size() == 0) {
      problem(values ? values : format, "a format needs a map `values`",
              "a line a value: `p99: lower ms`, `batch: dimension`, `errors: gate`");
      return;
    }
    for (const auto& item : values) {
      if (!item.first.IsScalar()) continue;
      Field field;
      field.name = own.keep(item.first.Scalar());
      if (item.second.IsScalar()) {
        read_kind(item.second, item.second.Scalar(), own, field);
      } else if (check_words(item.second, kValueWords, "a value")) {
        read_long(item.second, own, field);
      }
      own.fields.push_back(field);
    }
  }

  // "lower ms", "context hardware.gpu", "dimension": the kind, then the unit or the path.
  void read_kind(const YAML::Node& node, const std::string& text, Own& own, Field& field) {
    const std::size_t blank = text.find(' ');
    const std::string kind = text.substr(0, blank);
    const std::string rest(blank == std::string::npos ? std::string_view() : core::trim(std::string_view(text).substr(blank)));
    if (std::find(kKinds.begin(), kKinds.end(), kind) == kKinds.end()) {
      const std::string_view near = core::nearest(kind, kKinds);
      problem(node, core::cited(kind) + " is not what a value can be",
              near.empty() ? "it is one of " + list_of(kKinds) : "did you mean " + core::cited(near) + "?");
      return;
    }
    if (kind == "dimension") {
      field.holds = Holds::dimension;
      if (!rest.empty()) field.as = own.keep(rest);
    } else if (kind == "context") {
      field.holds = Holds::context;
      field.as = own.keep(rest);
      if (rest.find('.') == std::string::npos)
        problem(node, "context needs a path, group.field", "for instance `context hardware.gpu`");
    } else {
      field.declared = declared_of(kind);
      field.declared.unit = own.keep(rest);
      if (!rest.empty() && core::parse_unit(rest).quantity == core::Quantity::unknown && rest.find('/') == std::string::npos)
        problem(node, "the unit " + core::cited(rest) + " is not known", "for instance ms, GB/s, tok/s, %");
    }
  }
  static Declared declared_of(std::string_view kind) {
    if (kind == "higher") return higher({}, {}).declared;
    if (kind == "lower") return lower({}, {}).declared;
    if (kind == "noise") return noise({}).declared;
    if (kind == "gate") return gate({}).declared;
    if (kind == "check") return gate({}, {}, core::Direction::higher).declared;
    return shown({}).declared;
  }
  void read_long(const YAML::Node& node, Own& own, Field& field) {
    std::string kind = text_of(node, "is");
    if (const std::string unit = text_of(node, "unit"); !unit.empty()) kind += " " + unit;
    read_kind(node["is"] ? node["is"] : node, kind, own, field);
    if (const std::string as = text_of(node, "as"); !as.empty()) field.as = own.keep(as);
    field.headline = value_of(node, "headline", false, "true or false");
    field.load = value_of(node, "load", false, "true or false");
    field.times = value_of(node, "times", 1.0, "a number");
    const std::string prefixes = text_of(node, "prefixes");
    if (prefixes == "binary") field.prefixes = Prefixes::binary;
    if (prefixes == "decimal") field.prefixes = Prefixes::decimal;
    if (!prefixes.empty() && field.prefixes == Prefixes::none)
      problem(node["prefixes"], "prefixes are decimal (k is 1000) or binary (k is 1024)");
  }

  void read_lines(const YAML::Node& lines, Own& own) {
    if (!lines) return;
    if (!lines.IsSequence())
      return problem(lines, "lines is a list", "each as the tool prints it, with {name} where something varies");
    for (const auto& node : lines) {
      Line line;
      if (node.IsScalar()) {
        line.text = own.keep(node.Scalar());
      } else if (check_words(node, kLineWords, "a line")) {
        line.text = own.keep(text_of(node, "line"));
        line.point = own.keep(text_of(node, "point"));
        line.within = own.keep(text_of(node, "within"));
        line.turn = turn_of(node);
      }
      if (line.text.empty()) problem(node, "a line is empty");
      own.lines.push_back(line);
    }
  }
  Turn turn_of(const YAML::Node& node) {
    const std::string text = text_of(node, "turn");
    if (text == "begins") return Turn::begins;
    if (text == "ends") return Turn::ends;
    if (text == "fails") return Turn::fails;
    if (text == "paces") return Turn::paces;
    if (!text.empty() && text != "none")
      problem(node["turn"], "turn " + core::cited(text) + " is not one", "they are " + list_of(kTurns));
    return Turn::none;
  }

  // Headings or paths and the values that they hold; none: the values are called as the headings are.
  std::span<const Column> read_columns(const YAML::Node& map, Own& own) {
    auto& columns = own.columns.emplace_back();
    if (const YAML::Node given = map["columns"]) {
      if (!given.IsMap()) {
        problem(given, "columns is a map", "a heading or a path, and the value that it holds");
        return {};
      }
      for (const auto& item : given) {
        if (!item.first.IsScalar() || !item.second.IsScalar()) {
          problem(item.second, "a column is a heading or a path, and the name of a value");
          continue;
        }
        columns.push_back({own.keep(item.first.Scalar()), own.keep(item.second.Scalar())});
        check_field(item.second, columns.back().field, own);
      }
    } else {
      for (const Field& field : own.fields) columns.push_back({field.name, field.name});
    }
    return columns;
  }
  void check_field(const YAML::Node& node, std::string_view name, const Own& own) {
    std::vector<std::string_view> names;
    for (const Field& one : own.fields) names.push_back(one.name);
    if (std::find(names.begin(), names.end(), name) != names.end()) return;
    const std::string_view near = core::nearest(name, names);
    problem(node, "no value is called " + core::cited(name),
            near.empty() ? "state it under `values`" : "did you mean " + core::cited(near) + "?");
  }
  void read_table(const YAML::Node& node, Own& own) {
    if (!check_words(node, kTableWords, "a table")) return;
    Table table;
    std::string separator = node["separator"] && node["separator"].IsScalar() ? node["separator"].Scalar() : " ";
    if (separator == "tab" || separator == "\\t") separator = "\t";
    if (separator.size() != 1) problem(node["separator"], "separator is one character", "',', '|', ';', tab or ' '");
    table.separator = separator.front();
    table.point = own.keep(text_of(node, "point"));
    table.columns = read_columns(node, own);
    own.tables.push_back(table);
  }
  void read_records(const YAML::Node& node, Own& own) {
    Records records;
    if (node.IsScalar()) {
      records.at = own.keep(node.Scalar());
      records.columns = read_columns(YAML::Node(YAML::NodeType::Map), own);
    } else {
      if (!check_words(node, kRecordsWords, "records")) return;
      records.at = own.keep(text_of(node, "at"));
      records.point = own.keep(text_of(node, "point"));
      records.columns = read_columns(node, own);
    }
    own.records.push_back(records);
  }

  // One line or path, or several that have to be there together.
  void read_recognised(const YAML::Node& given, const YAML::Node& format, Own& own) {
    auto& all = own.recognised_lines.emplace_back();
    if (given && given.IsScalar()) all.push_back(own.keep(given.Scalar()));
    if (given && given.IsSequence()) {
      for (const auto& one : given) {
        if (one.IsScalar()) all.push_back(own.keep(one.Scalar()));
      }
    }
    if (all.empty()) {
      problem(given ? given : format, "nothing says how such a file is recognised",
              own.records.empty() ? "`recognise` is a line, or a list of lines, that no other tool writes"
                                  : "`recognise` is a path, or a list of paths, that no other tool writes");
      return;
    }
    own.recognised.push_back({all, kOwnScore});
  }

  // `before`: problems that were there before this format.
  void finish(const YAML::Node& node, const std::string& name, std::size_t before, Own& own) {
    own.statement = {.tool = own.keep(name),
                     .subject = own.keep(node["subject"] ? text_of(node, "subject") : name),
                     .recognised = own.recognised,
                     .fields = own.fields,
                     .lines = own.lines,
                     .tables = own.tables,
                     .records = own.records,
                     .nothing = own.keep("no value of the format " + name + ", as the project file states it"),
                     .hint = "`plumbline inspect --explain FILE` shows line by line what was taken"};
    if (problems_.size() == before) {
      if (const std::string fault = fault_of(own.statement); !fault.empty()) problem(node, fault);
    }
    own.format = {.name = own.statement.tool,
                  .title = own.statement.tool,
                  .replication = replication_of(node),
                  .about = {},
                  .statement = &own.statement};
    YAML::Node list(YAML::NodeType::Sequence);
    list.push_back(node);
    own.yaml = YAML::Dump(list) + "\n";
  }
  // What its repetitions are: separate runs (the default), or iterations within one.
  core::Replication replication_of(const YAML::Node& node) {
    const std::string text = text_of(node, "trials");
    if (text == "iterations") return core::Replication::in_process;
    if (!text.empty() && text != "runs") problem(node["trials"], "trials are runs, or iterations within one run");
    return core::Replication::run;
  }

  std::vector<core::ConfigProblem>& problems_;
};

OwnFormats read_formats(const YAML::Node& list, std::vector<core::ConfigProblem>& problems) {
  return MappingReader(problems).read(list);
}

core::Expected<std::shared_ptr<const OwnFormats>> parse_formats(const std::string& text, std::string_view where) {
  std::vector<core::ConfigProblem> problems;
  OwnFormats read;
  try {
    read = read_formats(YAML::Load(text), problems);
  } catch (const YAML::Exception& e) {
    problems.push_back({true, e.mark.line + 1, e.mark.column + 1, e.msg, {}});
  }
  if (!problems.empty()) {
    const core::ConfigProblem& first = problems.front();
    return core::fail(core::ErrorCode::invalid_input, first.message, first.hint,
                      std::string(where) + ":" + std::to_string(first.line) + ":" + std::to_string(first.column));
  }
  return std::make_shared<const OwnFormats>(std::move(read));
}

}  // namespace plumbline::formats::stated
