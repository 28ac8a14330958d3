#include <algorithm>
#include <array>
#include <cstdio>

#include "core/citing.hpp"
#include "core/text.hpp"
#include "formats/binary.hpp"
#include "formats/format.hpp"
#include "formats/generic/known_tools.hpp"
#include "formats/plain_text.hpp"
#include "formats/readers.hpp"
#include "formats/screen.hpp"
#include "formats/stated/stated.hpp"
#include "formats/tail.hpp"
#include "formats/unpack.hpp"

namespace plumbline::formats {

#define FORMAT(stem) extern const Format stem##_format;
#include "formats/list.inc"
#undef FORMAT

namespace {

#define FORMAT(stem) &stem##_format,
constexpr const Format* kTable[] = {
#include "formats/list.inc"
};
#undef FORMAT

constexpr std::string_view kUnderstood =
    "understood are what the tools of docs/formats.md write, a bare number, JSON, JSON lines, CSV or TSV with a header, Markdown "
    "tables, lines of a name and a value, and folders and archives of these";

std::string scored(const Format& format, double score) {
  std::array<char, 16> text{};
  std::snprintf(text.data(), text.size(), " (%.2f)", score);
  return std::string(format.name) + text.data();
}

// What a file is when it is certainly no measurement text. Empty when nothing of the kind is seen.
struct Unreadable {
  std::string message, hint;
};
std::optional<Unreadable> unreadable(std::string_view bytes) {
  if (bytes.empty()) return Unreadable{"the file is empty", "its writer wrote nothing, or the copy is incomplete"};
  if (bytes.starts_with("version https://git-lfs")) {
    return Unreadable{"a Git LFS pointer, not the file it points to", "fetch the content first: git lfs pull"};
  }
  if (bytes.starts_with("-----BEGIN ")) {
    return Unreadable{"a key, a certificate or a signature (PEM), no measurement",
                      "`plumbline verify --trust` takes public keys; a measurement is what a tool wrote"};
  }
  using namespace std::string_view_literals;
  static constexpr std::pair<std::string_view, std::string_view> kOtherPackings[] = {
      {"7z\xBC\xAF\x27\x1C"sv, "a 7-Zip archive"},
      {"Rar!\x1A\x07"sv, "a RAR archive"},
      {"\x04\x22\x4D\x18"sv, "lz4-compressed data"},
      {"\x1F\x9D"sv, "data compressed with compress"},
      {"LZIP"sv, "lzip-compressed data"}};
  for (const auto& [magic, name] : kOtherPackings) {
    if (bytes.starts_with(magic))
      return Unreadable{std::string(name), "read through are gzip, zstd, xz, bzip2, tar and zip; unpack it first"};
  }
  if (bytes.starts_with("SQLite format 3\0"sv))
    return Unreadable{"an SQLite database that is no capture of Nsight Systems or ROCm",
                      "export what was measured as JSON or CSV"};
  if (bytes.starts_with("\xFF\xFE\0\0"sv) || bytes.starts_with("\0\0\xFE\xFF"sv))
    return Unreadable{"text in UTF-32", "write it as UTF-8: iconv -f UTF-32 -t UTF-8"};
  const std::string_view head = bytes.substr(0, kHead);
  const auto zeros = static_cast<std::size_t>(std::count(head.begin(), head.end(), '\0'));
  if (zeros > 0) {
    std::string hex;
    for (const char c : bytes.substr(0, 4)) {
      std::array<char, 4> text{};
      std::snprintf(text.data(), text.size(), "%02x", static_cast<unsigned>(static_cast<unsigned char>(c)));
      if (!hex.empty()) hex.push_back(' ');
      hex.append(text.data());
    }
    return Unreadable{"binary data (it starts with " + hex + ")", std::string(kUnderstood)};
  }
  if (core::trim(bytes).empty()) return Unreadable{"nothing but blanks", "its writer wrote nothing, or the copy is incomplete"};
  return std::nullopt;
}

}  // namespace

std::span<const Format* const> table() { return kTable; }

std::vector<const Format*> joined(std::span<const Format* const> table, std::span<const Format* const> more) {
  std::vector<const Format*> out(table.begin(), table.end());
  out.insert(out.end(), more.begin(), more.end());
  return out;
}

namespace {

bool holds(const Sign& sign, const Input& input, Detection& detection) {
  const auto end = std::find(sign.all.begin(), sign.all.end(), std::string_view());
  const std::span<const std::string_view> all(sign.all.begin(), end);
  switch (sign.in) {
    case Sign::In::head:
      return has_all(head_of(input), all, detection);
    case Sign::In::tail:
      return has_all(tail_of(input), all, detection);
    case Sign::In::object:
      return json_head(input).starts_with('{') && has_keys(input, all, detection);
    case Sign::In::array:
      return json_head(input).starts_with('[') && has_keys(input, all, detection);
    case Sign::In::json:
      return has_keys(input, all, detection);
    case Sign::In::body:
      return body_has_keys(input, all, detection);
  }
  return false;
}

}  // namespace

Detection detect_as(const Format& format, const Input& input) {
  if (format.statement != nullptr) return stated::detect(*format.statement, input);
  if (format.detect != nullptr) return format.detect(input);
  Detection detection;
  for (const Sign& sign : format.signs) {
    if (sign.score == 0 || !holds(sign, input, detection)) continue;
    detection.score = sign.score;
    break;
  }
  return detection;
}

core::Expected<core::Measurement> read_as(const Format& format, const Input& input, const ReadOptions& options) {
  auto measurement = format.statement == nullptr ? format.read(input, options) : stated::read(*format.statement, input, options);
  if (measurement && measurement->replication == core::Replication::unknown) measurement->replication = format.replication;
  return measurement;
}

namespace {

bool is_folder(const Input& input) { return input.is_directory || !input.files.empty(); }

// An input as the readers are given it: unpacked, without what stands between a text and its reader. Keeps what its views need.
struct Prepared {
  Input input;
  std::vector<std::string> evidence;
  std::vector<core::Warning> warnings;
  Unpacked unpacked;
  PlainText plain;
};

using CaptureForm = std::function<std::string(std::string_view)>;

core::Error packed_capture(const std::string& form, const Prepared& prepared, const std::string& name) {
  return {core::ErrorCode::invalid_input,
          "a profiler capture (" + form + ") inside packed data: captures are read where they lie",
          "unpack it first: " + prepared.unpacked.command + ", then compare captures with profile-diff", name};
}

// What was packed is told apart as what lies on disk is: a capture is not read here, and captures among other files are left
// out, which is said.
core::Status leave_out_captures(const CaptureForm& form_of, const std::string& name, Prepared& out) {
  if (!is_folder(out.input)) {
    const std::string form = form_of(out.input.bytes);
    return form.empty() ? core::Status() : core::fail(packed_capture(form, out, name));
  }
  std::vector<Input::File> measured;
  std::vector<std::string> captures;
  std::string first;
  for (Input::File& file : out.input.files) {
    const std::string form = form_of(file.bytes);
    if (form.empty()) {
      measured.push_back(std::move(file));
      continue;
    }
    if (captures.empty()) first = form;
    captures.push_back(std::move(file.name));
  }
  if (captures.empty()) {
    out.input.files = std::move(measured);
    return {};
  }
  if (measured.empty()) return core::fail(packed_capture(first, out, name));
  const std::size_t all = captures.size() + measured.size();
  out.warnings.push_back({"unread_file", core::counted(captures.size(), "file") + " of " + std::to_string(all) + " not read: " +
                                             core::cited_list(captures) + " (profiler captures, not measurements)"});
  out.input.files = std::move(measured);
  return {};
}

// The format of bytes that are no text.
const Format* binary_format(const Input& input, std::span<const Format* const> formats) {
  const auto found = std::find_if(formats.begin(), formats.end(),
                                  [&](const Format* one) { return is_binary(*one) && detect_as(*one, input).score > 0; });
  return found == formats.end() ? nullptr : *found;
}

core::Status prepare(const Input& given, std::span<const Format* const> formats, const CaptureForm& capture_form,
                     const std::function<bool()>& stop, Prepared& out) {
  out.input = given;
  if (is_folder(out.input)) return {};
  if (is_packed(given.bytes)) {
    UnpackBounds bounds;
    bounds.stop = stop;
    auto unpacked = unpack(given, bounds);
    if (!unpacked) return core::fail(unpacked.error());
    out.unpacked = std::move(*unpacked);
    out.input = out.unpacked.input;
    out.evidence = out.unpacked.evidence;
    out.warnings = out.unpacked.warnings;
    if (capture_form) {
      if (auto ok = leave_out_captures(capture_form, given.name, out); !ok) return ok;
    }
    if (is_folder(out.input)) return {};
  }
  if (binary_format(out.input, formats) != nullptr) return {};
  if (auto plain = plain_text(out.input.bytes)) {
    out.plain = std::move(*plain);
    out.input.bytes = out.plain.of(out.input.bytes);
    out.evidence.insert(out.evidence.end(), out.plain.evidence.begin(), out.plain.evidence.end());
    out.warnings.insert(out.warnings.end(), out.plain.warnings.begin(), out.plain.warnings.end());
  }
  if (auto seen = unreadable(out.input.bytes))
    return core::fail(core::ErrorCode::invalid_input, std::move(seen->message), std::move(seen->hint), given.name);
  return {};
}

struct Candidate {
  const Format* format = nullptr;
  Detection detection;
};
using Ranking = std::vector<Candidate>;  // the best first; of equals the one that stands first in the table
using Formats = std::span<const Format* const>;

Ranking rank(const Input& given, Formats formats) {
  Input input = given;
  if (const Format* binary = is_folder(input) ? nullptr : binary_format(input, formats))
    return {{binary, detect_as(*binary, input)}};
  std::vector<JsonOutline> own;
  if (!is_folder(input)) input.outline = &outline_of(input, own);
  Ranking ranking;
  for (const Format* format : formats) {
    Detection detection = detect_as(*format, input);
    if (detection.score > 0) ranking.push_back({format, std::move(detection)});
  }
  std::stable_sort(ranking.begin(), ranking.end(),
                   [](const Candidate& a, const Candidate& b) { return a.detection.score > b.detection.score; });
  return ranking;
}

// A format that takes any text of its shape: what a tool's own output inside a log is stronger than.
bool is_loose(const Format* format) {
  static constexpr std::string_view kLoose[] = {"csv", "key-value", "markdown-table", "scalar-text"};
  return format == nullptr || std::find(std::begin(kLoose), std::end(kLoose), format->name) != std::end(kLoose);
}
const Format* best_of(const Ranking& ranking) { return ranking.empty() ? nullptr : ranking.front().format; }
bool is_any_tools(const Format* format) { return is_loose(format) || format == &generic_json_format; }
bool knows_tool(const Ranking& ranking) { return !is_any_tools(best_of(ranking)); }

// Not "[INFO] …", which starts a log.
bool starts_as_json(const Input& input) { return generic_json_format.detect(input).score > 0.5; }

std::string no_reader_for(const KnownTool& tool) {
  if (tool.compares) return "this is a comparison that " + std::string(tool.name) + " printed, not a measurement";
  return "this is what " + std::string(tool.name) + " prints, for which there is no reader";
}

core::Error nothing_fits(const Input& input) {
  if (const KnownTool* tool = is_folder(input) ? nullptr : known_tool(head_of(input))) {
    return {core::ErrorCode::invalid_input, no_reader_for(*tool), std::string(tool->instead), input.name};
  }
  std::string_view line = core::trim(input.bytes);
  line = line.substr(0, std::min<std::size_t>(line.find('\n'), 60));
  return {core::ErrorCode::invalid_input, "no format fits: the text starts with " + core::cited(line), std::string(kUnderstood),
          input.name};
}

Detected detected_of(Candidate candidate) {
  Detected detected;
  detected.format = candidate.format;
  detected.info.name = std::string(candidate.format->name);
  detected.info.confidence = std::min(candidate.detection.score, 1.0);
  detected.info.evidence = std::move(candidate.detection.evidence);
  return detected;
}

// The part of a text from the first line that begins at or behind `from`, as an input of its own.
Input part_of(const Input& input, std::size_t from) {
  const std::size_t line = input.bytes.find('\n', from);
  Input part = input;
  part.bytes = line == std::string_view::npos ? std::string_view() : input.bytes.substr(line + 1, kHead);
  return part;
}
Input end_of(const Input& input) { return part_of(input, input.bytes.size() - kHead); }

// A long log may begin with anything and name its tool only where that begins to speak: its end is looked at first, because
// most tools sum up there, then the parts before it in their order, as far as that is cheap.
Ranking rank_behind_head(const Input& input, Formats formats) {
  constexpr std::size_t kLookedAt = std::size_t{16} * 1024 * 1024, kOverlap = 4096;
  if (input.bytes.size() <= kHead) return {};
  const auto look = [&](const Input& part, const std::string& where) {
    if (part.bytes.empty() || starts_as_json(part)) return Ranking();
    Ranking ranking = rank(part, formats);
    if (!knows_tool(ranking)) return Ranking();
    ranking.front().detection.evidence.push_back(where);
    return ranking;
  };
  if (Ranking ranking = look(end_of(input), "recognised by the end of a long text"); !ranking.empty()) return ranking;
  const std::size_t until = std::min(input.bytes.size(), kLookedAt);
  for (std::size_t at = kHead - kOverlap; at < until; at += kHead - kOverlap) {
    Ranking ranking = look(part_of(input, at), "recognised " + std::to_string(at / 1024) + " KiB into the text");
    if (!ranking.empty()) return ranking;
  }
  return {};
}

// Where one text holds what two tools print, each is as sure of it as the other: to read one of them would be to drop the other
// without a word.
std::optional<core::Error> two_tools(const Input& input, const Ranking& ranking, Formats formats) {
  constexpr double kSure = 0.9, kNear = 0.05;
  if (!knows_tool(ranking) || is_binary(*best_of(ranking)) || starts_as_json(input) || ranking.front().detection.score < kSure)
    return std::nullopt;
  const Candidate& best = ranking.front();
  Ranking end;
  if (input.bytes.size() > kHead) end = rank(end_of(input), formats);
  const Candidate* other = nullptr;
  for (const Ranking* const of : {&ranking, &std::as_const(end)}) {
    for (const Candidate& one : *of) {
      const bool sure = one.detection.score >= kSure && one.detection.score > best.detection.score - kNear;
      if (other == nullptr && sure && one.format != best.format && !is_loose(one.format)) other = &one;
    }
  }
  if (other == nullptr) return std::nullopt;
  const std::string first(best.format->name), second(other->format->name);
  return core::Error{core::ErrorCode::invalid_input,
                     "the text holds what two tools print: " + scored(*best.format, best.detection.score) + " and " +
                         scored(*other->format, other->detection.score),
                     "one file, one tool: split it, or say which one is meant: --format " + first + " or --format " + second,
                     input.name};
}

// Named a table, and all the lines that were looked at agree: nothing else is looked for in the megabytes behind them.
bool is_long_table(const Input& input, const Ranking& ranking) {
  constexpr double kNamedAndEven = 0.89;
  return input.bytes.size() > kHead && best_of(ranking) != nullptr && best_of(ranking)->name == "csv" &&
         ranking.front().detection.score > kNamedAndEven;
}

// The formats for the input, the best first, or for the JSON that stands between other lines of it: then `json` holds that and
// the input is given its text.
core::Expected<Ranking> choose(Input& input, Formats formats, EmbeddedJson& json, std::vector<core::Warning>& warnings) {
  Ranking ranking = rank(input, formats);
  if (!is_folder(input) && is_loose(best_of(ranking)) && !is_long_table(input, ranking)) {
    auto embedded = embedded_json(input.bytes);
    Ranking inside;
    if (embedded) {
      Input inner = input;
      inner.bytes = embedded->text;
      inside = rank(inner, formats);
    }
    Ranking behind;
    if (!knows_tool(inside)) behind = rank_behind_head(input, formats);
    const bool table = best_of(ranking) != nullptr && best_of(ranking)->name != "key-value";
    if (!behind.empty()) {
      ranking = std::move(behind);
    } else if (!is_loose(best_of(inside)) && !(table && best_of(inside) == &generic_json_format)) {
      json = std::move(*embedded);
      input.bytes = json.text;
      inside.front().detection.evidence.push_back("JSON inside a text, lines " + std::to_string(json.first_line) + " to " +
                                                  std::to_string(json.last_line));
      warnings.push_back({"text_around_json", core::counted(json.other_lines, "line") + " around the JSON of the text " +
                                                  (json.other_lines == 1 ? "was" : "were") + " not read"});
      return inside;
    }
  }
  if (ranking.empty()) return core::fail(nothing_fits(input));
  if (!is_folder(input)) {
    if (auto both = two_tools(input, ranking, formats)) return core::fail(std::move(*both));
  }
  return ranking;
}

// Reads in the best format, and where the text turns out to be JSON of another structure than that tool's, in the next one.
core::Expected<core::Measurement> read_ranked(const Input& input, const ReadOptions& options, Ranking ranking,
                                              Detected& detected) {
  std::optional<core::Error> first;
  std::vector<std::string> refused;
  for (std::size_t i = 0; i < ranking.size(); ++i) {
    const bool has_next = i + 1 < ranking.size();
    const std::string next = has_next ? scored(*ranking[i + 1].format, ranking[i + 1].detection.score) : std::string();
    const std::string tried = scored(*ranking[i].format, ranking[i].detection.score);
    detected = detected_of(std::move(ranking[i]));
    detected.info.runner_up = next;
    auto measurement = read_as(*detected.format, input, options);
    if (measurement || measurement.error().code != kOtherStructure) {
      if (!measurement && first) break;
      detected.info.evidence.insert(detected.info.evidence.end(), refused.begin(), refused.end());
      return measurement;
    }
    if (!first) first = measurement.error();
    refused.push_back(tried + " was tried before and refused: " + measurement.error().message);
  }
  return core::fail(std::move(*first));
}

// What a reader of any text made of the output of a tool that it does not know: some settings may be all that it understood.
core::Error refused_as(const KnownTool& tool, const core::Expected<core::Measurement>& read, const Format& format,
                       const std::string& name) {
  const std::string as(format.name);
  std::string message = no_reader_for(tool);
  // Half of a comparison's numbers are of the other run: whoever understands them has not read a measurement.
  if (tool.compares) return {core::ErrorCode::invalid_input, std::move(message), std::string(tool.instead), name};
  if (read) {
    std::vector<std::string> numbers;
    for (const core::Row& row : read->rows()) {
      if (!read->values(row).empty()) numbers.emplace_back(read->key(row));
    }
    constexpr std::size_t kNamed = 3;
    message += "; as " + as + " it would be " + core::counted(numbers.size(), "number") +
               (numbers.empty() ? "" : ": " + core::cited_list(numbers, kNamed));
    for (const core::Warning& warning : read->warnings) {
      if (warning.code.text() == "unread_lines") message += "; " + warning.message;
    }
  } else {
    message += "; as " + as + ": " + read.error().message;
  }
  std::string hint(tool.instead);
  hint += std::string(hint.empty() ? "" : "; ") + "to compare what is understood and nothing else: --format " + as;
  return {core::ErrorCode::invalid_input, std::move(message), std::move(hint), name};
}

core::Expected<core::Measurement> read_detected(const Input& input, const ReadOptions& options, Ranking ranking,
                                                Detected& detected) {
  auto measurement = read_ranked(input, options, std::move(ranking), detected);
  if (is_folder(input) || !is_any_tools(detected.format)) return measurement;
  if (!measurement && measurement.error().code != core::ErrorCode::invalid_input) return measurement;
  const KnownTool* tool = known_tool(head_of(input));
  if (tool == nullptr) return measurement;
  return core::fail(refused_as(*tool, measurement, *detected.format, input.name));
}

// What leaves the room of a reader's "another structure". Documents one after another are not what a reader of one says they are.
core::Error outward(core::Error error, const Input& input, const Format& format) {
  if (error.code != kOtherStructure) return error;
  error.code = core::ErrorCode::invalid_input;
  std::vector<JsonOutline> own;
  if (is_folder(input) || outline_of(input, own).root() != '{' || outline_of(input, own).values() < 2) return error;
  error.message = "several JSON documents follow one another, and " + std::string(format.name) + " is one document";
  error.hint = "split them, one document a file; runs of one thing can be given as trials";
  return error;
}

}  // namespace

core::Expected<Detected> detect(const Input& input, Formats formats) {
  Prepared prepared;
  if (auto ready = prepare(input, formats, {}, {}, prepared); !ready) return core::fail(ready.error());
  EmbeddedJson json;
  auto ranking = choose(prepared.input, formats, json, prepared.warnings);
  if (!ranking) return core::fail(ranking.error());
  const std::string next = ranking->size() > 1 ? scored(*(*ranking)[1].format, (*ranking)[1].detection.score) : std::string();
  Detected detected = detected_of(std::move(ranking->front()));
  detected.info.runner_up = next;
  detected.info.evidence.insert(detected.info.evidence.begin(), prepared.evidence.begin(), prepared.evidence.end());
  return detected;
}

core::Expected<core::Measurement> read(const Input& given, const ReadOptions& options) {
  const Format* named = nullptr;
  if (!options.format.empty()) {
    const auto found = std::find_if(options.formats.begin(), options.formats.end(),
                                    [&](const Format* one) { return one->name == options.format; });
    if (found == options.formats.end()) {
      std::vector<std::string_view> names;
      std::vector<std::string> all;
      for (const Format* one : options.formats) {
        names.push_back(one->name);
        all.emplace_back(one->name);
      }
      const std::string_view near = core::nearest(options.format, names);
      return core::fail(core::ErrorCode::usage, "unknown format " + core::cited(options.format),
                        near.empty() ? "known are " + core::listed(all, all.size()) : "did you mean " + std::string(near) + "?");
    }
    named = *found;
  }
  Prepared prepared;
  // A caller who names the format may have a capture's tables read as tables.
  const CaptureForm captures = named != nullptr ? CaptureForm() : options.capture_form;
  if (auto ready = prepare(given, options.formats, captures, options.stop, prepared); !ready) return core::fail(ready.error());
  Input& input = prepared.input;
  EmbeddedJson json;
  Detected detected;
  auto measurement = [&]() -> core::Expected<core::Measurement> {
    if (named == nullptr) {
      auto ranking = choose(input, options.formats, json, prepared.warnings);
      if (!ranking) return core::fail(ranking.error());
      return read_detected(input, options, std::move(*ranking), detected);
    }
    if (!is_folder(input) && named->name == "directory")
      return core::fail(core::ErrorCode::usage, "the format directory is for folders; this is a file", {}, input.name);
    // The folder's files are read in the format named, unless that is one of whole folders.
    if (is_folder(input) && detect_as(*named, input).score <= 0) named = &directory_format;
    detected = {named, {}};
    detected.info.name = std::string(named->name);
    detected.info.confidence = 1;
    detected.info.evidence = {"named by the caller"};
    return read_as(*named, input, options);
  }();
  if (!measurement) {
    core::Error error = measurement.error();
    if (detected.format != nullptr) error = outward(std::move(error), input, *detected.format);
    return core::fail(screened(std::move(error)));
  }
  if (options.retell != nullptr) options.retell(*measurement, *detected.format, input);
  if (!is_folder(input) && !detected.format->doubts_tail) doubt_tail(*measurement, *detected.format, input, options);
  if (!measurement->format.version.empty()) detected.info.version = measurement->format.version;
  measurement->format = std::move(detected.info);
  std::vector<std::string>& evidence = measurement->format.evidence;
  evidence.insert(evidence.begin(), prepared.evidence.begin(), prepared.evidence.end());
  measurement->warnings.insert(measurement->warnings.begin(), prepared.warnings.begin(), prepared.warnings.end());
  screen(*measurement);
  return measurement;
}

}  // namespace plumbline::formats
