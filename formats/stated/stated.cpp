#include "formats/stated/stated.hpp"

#include <algorithm>
#include <string>

#include "core/citing.hpp"
#include "core/text.hpp"
#include "formats/readers.hpp"
#include "formats/stated/log.hpp"
#include "formats/stated/pattern.hpp"
#include "formats/tool_rows.hpp"

namespace plumbline::formats::stated {
namespace {

bool is_json(const Statement& statement) { return !statement.records.empty(); }

// "{op}" is any key: "*" of the outline.
std::string outline_path(std::string_view path) {
  std::string made;
  for (const std::string_view segment : core::split(path, '/')) {
    if (!made.empty()) made.push_back('/');
    made.append(segment.ends_with('}') ? "*" : segment);
  }
  return made;
}

Detection detect_json(const Statement& statement, const Input& input) {
  Detection detection;
  const std::string_view head = JsonBody::head(input);
  if (head.empty() && !json_head(input).starts_with('[')) return detection;
  std::vector<JsonOutline> own;
  Input body = input;
  if (!head.empty() && head.data() != json_head(input).data()) {
    body.bytes = input.bytes.substr(static_cast<std::size_t>(head.data() - input.bytes.data()));
    body.outline = nullptr;
  }
  const JsonOutline& outline = outline_of(body, own);
  for (const Recognised& one : statement.recognised) {
    const bool all =
        std::all_of(one.all.begin(), one.all.end(), [&](std::string_view path) { return outline.has(outline_path(path)); });
    if (!all || one.score <= detection.score) continue;
    detection.score = one.score;
    detection.evidence.clear();
    for (const std::string_view path : one.all) detection.evidence.push_back("has " + std::string(path));
  }
  return detection;
}

Detection detect_lines(const Statement& statement, const Input& input) {
  struct Wanted {
    const Recognised* rule;
    std::vector<Pattern> patterns;
    std::vector<std::string> evidence;  // by pattern
  };
  std::vector<Wanted> wanted;
  for (const Recognised& one : statement.recognised) {
    Wanted made{&one, {}, std::vector<std::string>(one.all.size())};
    for (const std::string_view text : one.all) {
      auto pattern = Pattern::parse(text);
      if (!pattern) return {};
      made.patterns.push_back(std::move(*pattern));
    }
    wanted.push_back(std::move(made));
  }
  constexpr std::size_t kShown = 60;
  std::vector<std::string_view> values;
  const auto look_at = [&](std::string_view part) {
    LogLines lines(part);
    std::string_view line;
    while (lines.next(line)) {
      const std::string_view text = core::trim(line);
      if (text.empty()) continue;
      for (Wanted& one : wanted) {
        for (std::size_t i = 0; i < one.patterns.size(); ++i) {
          const char first = one.patterns[i].first();
          if (!one.evidence[i].empty() || (first != '\0' && first != text.front())) continue;
          if (one.patterns[i].match(text, values)) one.evidence[i] = "has the line " + core::cited(text.substr(0, kShown));
        }
      }
    }
  };
  // What a tool prints while it works may fill the head; its results stand at the end.
  look_at(head_of(input));
  if (input.bytes.size() > kHead) look_at(input.bytes.substr(std::max(kHead, input.bytes.size() - kHead)));
  Detection detection;
  for (const Wanted& one : wanted) {
    const bool all =
        std::none_of(one.evidence.begin(), one.evidence.end(), [](const std::string& found) { return found.empty(); });
    if (!all || one.rule->score <= detection.score) continue;
    detection.score = one.rule->score;
    detection.evidence = one.evidence;
  }
  return detection;
}

class Faults {
 public:
  explicit Faults(const Statement& statement) : statement_(statement) {}
  std::string find() {
    for (const Line& one : statement_.lines) {
      line(one.text);
      if (!one.within.empty()) line(one.within);
      holes_of(one.point, {});
    }
    for (const Recognised& one : statement_.recognised) {
      if (one.all.empty()) say("a rule of `recognise` is empty");
      for (const std::string_view text : one.all) {
        if (!is_json(statement_)) line(text);
      }
    }
    for (const Matrix& one : statement_.matrices) {
      line(one.heading);
      for (const std::string_view name : {one.row, one.column, one.field}) field(name);
    }
    for (const Table& one : statement_.tables) {
      columns(one.columns);
      line(one.within);
    }
    for (const Field& one : statement_.fields) {
      if (!one.beside.empty()) field(one.beside);
    }
    for (const Records& one : statement_.records) columns(one.columns);
    if (statement_.recognised.empty()) say("nothing says how such a file is recognised");
    return fault_;
  }

 private:
  void say(std::string text) {
    if (fault_.empty()) fault_ = std::move(text);
  }
  void line(std::string_view text) {
    const auto pattern = Pattern::parse(text);
    if (!pattern) say(pattern.error().message);
  }
  void holes_of(std::string_view text, std::string_view) {
    if (std::count(text.begin(), text.end(), '{') != std::count(text.begin(), text.end(), '}'))
      say("a hole has no end in " + core::cited(text));
  }
  void field(std::string_view name) {
    const bool known =
        std::any_of(statement_.fields.begin(), statement_.fields.end(), [&](const Field& one) { return one.name == name; });
    if (!known) say("no field is called " + core::cited(name));
  }
  void columns(std::span<const Column> all) {
    for (const Column& one : all) field(one.field);
  }

  const Statement& statement_;
  std::string fault_;
};

}  // namespace

Detection detect(const Statement& statement, const Input& input) {
  if (input.is_directory || !input.files.empty()) return {};
  return is_json(statement) ? detect_json(statement, input) : detect_lines(statement, input);
}

core::Expected<core::Measurement> read(const Statement& statement, const Input& input, const ReadOptions& options,
                                       Account* account) {
  return is_json(statement) ? read_records(statement, input, options, account) : read_log(statement, input, options, account);
}

std::string fault_of(const Statement& statement) { return Faults(statement).find(); }

}  // namespace plumbline::formats::stated
