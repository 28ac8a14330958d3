// What the tool's model does to an envelope: fields are checked, texts lose the blanks around them, what is absent gets its
// default, times are written in one way. The result is printed once more as that model prints it, since that text is signed.
#include "systems/inferencebench/envelope.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "core/text.hpp"
#include "systems/inferencebench/python_values.hpp"
#include "systems/python_text.hpp"

namespace plumbline::systems::inferencebench {

namespace {

using namespace formats;  // the readers' kit
using json::Value;

// Blanks as Unicode has them, from both ends.
std::string_view stripped(std::string_view text) {
  static constexpr std::array<std::string_view, 25> kBlanks = {" ",
                                                               "\t",
                                                               "\n",
                                                               "\r",
                                                               "\v",
                                                               "\f",
                                                               "\xC2\x85",
                                                               "\xC2\xA0",
                                                               "\xE1\x9A\x80",
                                                               "\xE2\x80\x80",
                                                               "\xE2\x80\x81",
                                                               "\xE2\x80\x82",
                                                               "\xE2\x80\x83",
                                                               "\xE2\x80\x84",
                                                               "\xE2\x80\x85",
                                                               "\xE2\x80\x86",
                                                               "\xE2\x80\x87",
                                                               "\xE2\x80\x88",
                                                               "\xE2\x80\x89",
                                                               "\xE2\x80\x8A",
                                                               "\xE2\x80\xA8",
                                                               "\xE2\x80\xA9",
                                                               "\xE2\x80\xAF",
                                                               "\xE2\x81\x9F",
                                                               "\xE3\x80\x80"};
  for (bool more = true; more;) {
    more = false;
    for (const std::string_view blank : kBlanks) {
      if (text.starts_with(blank)) {
        text.remove_prefix(blank.size());
        more = true;
      }
      if (text.ends_with(blank)) {
        text.remove_suffix(blank.size());
        more = true;
      }
    }
  }
  return text;
}

std::size_t characters(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80; }));
}

bool is_hex64(std::string_view text) {
  return text.size() == 64 && text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

bool is_version(std::string_view text) {
  const std::size_t dash = text.find('-');
  const std::string_view numbers = text.substr(0, dash);
  const auto parts = core::split(numbers, '.');
  const auto digits = [](std::string_view part) {
    return !part.empty() && part.find_first_not_of("0123456789") == std::string_view::npos;
  };
  if (parts.size() != 3 || !std::all_of(parts.begin(), parts.end(), digits)) return false;
  if (dash == std::string_view::npos) return true;
  const std::string_view rest = text.substr(dash + 1);
  return !rest.empty() && std::all_of(rest.begin(), rest.end(), [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.' || static_cast<unsigned char>(c) >= 0x80;
  });
}

// "2026-06-13T05:29:11.0225+00:00" -> "2026-06-13T05:29:11.022500Z". Empty when it is no time; `zone` says whether it has one.
std::string normal_time(std::string_view text, bool& zone) {
  zone = true;
  const auto number = [&](std::size_t at, std::size_t count) {
    int value = 0;
    for (std::size_t i = at; i < at + count; ++i) {
      if (i >= text.size() || text[i] < '0' || text[i] > '9') return -1;
      value = 10 * value + (text[i] - '0');
    }
    return value;
  };
  const auto is = [&](std::size_t at, std::string_view any) {
    return at < text.size() && any.find(text[at]) != std::string_view::npos;
  };
  const int year = number(0, 4), month = number(5, 2), day = number(8, 2), hour = number(11, 2), minute = number(14, 2);
  if (year < 1 || month < 1 || month > 12 || day < 1 || hour < 0 || hour > 23 || minute < 0 || minute > 59) return {};
  if (!is(4, "-") || !is(7, "-") || !is(10, "Tt _") || !is(13, ":")) return {};
  static constexpr std::array<int, 12> kDays = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  const bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
  if (day > kDays[static_cast<std::size_t>(month - 1)] + (leap && month == 2 ? 1 : 0)) return {};
  std::size_t at = 16;
  int second = 0;
  std::string fraction;
  if (is(at, ":")) {
    second = number(at + 1, 2);
    if (second < 0 || second > 59) return {};
    at += 3;
    if (is(at, ".,")) {
      const std::size_t end = std::min(text.find_first_not_of("0123456789", at + 1), text.size());
      if (end == at + 1 || end > at + 10) return {};
      fraction = std::string(text.substr(at + 1, std::min<std::size_t>(end - at - 1, 6)));
      fraction.resize(6, '0');
      if (fraction == "000000") fraction.clear();
      at = end;
    }
  }
  std::string out(40, '\0');
  out.resize(static_cast<std::size_t>(
      std::snprintf(out.data(), out.size(), "%04d-%02d-%02dT%02d:%02d:%02d", year, month, day, hour, minute, second)));
  if (!fraction.empty()) out += "." + fraction;
  if (at == text.size()) {
    zone = false;
    return out;
  }
  if (is(at, "Zz") && at + 1 == text.size()) return out + "Z";
  if (!is(at, "+-")) return {};
  const bool colon = is(at + 3, ":");
  const int hours = number(at + 1, 2), minutes = number(at + (colon ? 4 : 3), 2);
  if (hours < 0 || hours > 23 || minutes < 0 || minutes > 59 || text.size() != at + (colon ? 6U : 5U)) return {};
  if (hours == 0 && minutes == 0) return out + "Z";
  std::array<char, 16> offset{};
  std::snprintf(offset.data(), offset.size(), "%c%02d:%02d", text[at], hours, minutes);
  return out + offset.data();
}

// One object of the envelope: its fields as they are asked for, the others as they stand.
class Part {
 public:
  Part(const Value& value, std::string path, std::string_view name, std::optional<core::Error>& error)
      : value_(value), path_(std::move(path)), name_(name), error_(error) {
    if (!value_.is_object()) return;
    // Of a name that stands twice the last one counts, as Python reads it.
    for (const auto member : value_.members()) fields_[std::string(member.key)] = member.value;
  }
  struct Limits {
    std::size_t least = 0, most = 0;  // characters; most 0 = any number
    bool hex64 = false;
  };
  std::string text(const std::string& field, Limits limits, const char* otherwise = nullptr) {
    const Value value = take(field, otherwise != nullptr);
    if (!value) return keep(field, otherwise == nullptr ? "" : otherwise);
    if (!value.is_string()) return wrong(field, value, "must be a text");
    const std::string text(stripped(value.string()));
    if (limits.hex64 && !is_hex64(text)) return wrong(field, value, "must be 64 lower-case hex digits");
    const std::size_t length = characters(text);
    if (length < limits.least || (limits.most > 0 && length > limits.most)) {
      return wrong(field, value,
                   limits.most > 0
                       ? "must have " + std::to_string(limits.least) + " to " + std::to_string(limits.most) + " characters"
                       : std::string("must not be empty"));
    }
    return keep(field, text);
  }
  std::int64_t integer(const std::string& field, std::int64_t least, std::int64_t most) {
    const Value value = take(field, false);
    if (!value) return 0;
    const bool whole = value.is_number() && std::isfinite(value.number()) && std::floor(value.number()) == value.number() &&
                       std::fabs(value.number()) < 9.2e18;
    if (!whole) {
      wrong(field, value, "must be a whole number");
      return 0;
    }
    const auto number = value.kind() == json::Kind::integer ? value.node().i : static_cast<std::int64_t>(value.number());
    if (number < least || number > most) {
      wrong(field, value,
            "must be a whole number from " + std::to_string(least) +
                (most == INT64_MAX ? std::string(" on") : " to " + std::to_string(most)));
      return 0;
    }
    rendered_[field] = std::to_string(number);
    return number;
  }
  void boolean(const std::string& field, bool required) {
    const Value value = take(field, !required);
    if (!value) {
      rendered_[field] = "false";
      return;
    }
    if (!value.is_boolean()) {
      wrong(field, value, "must be true or false");
      return;
    }
    rendered_[field] = value.boolean() ? "true" : "false";
  }
  // A container as it stands; `empty` is its text when it is absent.
  Value container(const std::string& field, json::Kind kind, bool required, const char* empty) {
    const Value value = take(field, !required);
    if (!value) {
      rendered_[field] = empty;
      return {};
    }
    if (value.kind() != kind) {
      wrong(field, value, kind == json::Kind::object ? "must be an object" : "must be an array");
      return {};
    }
    rendered_[field] = python_canonical(value);
    return value;
  }
  // The same where null is allowed.
  Value optional_object(const std::string& field) {
    const auto found = fields_.find(field);
    if (found == fields_.end() || found->second.is_null()) {
      if (found != fields_.end()) fields_.erase(found);
      rendered_[field] = "null";
      return {};
    }
    return container(field, json::Kind::object, true, "null");
  }
  void put(const std::string& field, std::string rendered) { rendered_[field] = std::move(rendered); }
  void drop(const std::string& field) {
    fields_.erase(field);
    rendered_.erase(field);
  }
  Part part(const std::string& field, bool required = true) {
    const Value value = container(field, json::Kind::object, required, "{}");
    return Part(value, path_of(field), name_, error_);
  }
  [[nodiscard]] Part inside(const Value& value, const std::string& field) const {
    return Part(value, path_of(field), name_, error_);
  }
  // All of it, in the model's words.
  [[nodiscard]] std::string render() const {
    PythonObject all = rendered_;
    for (const auto& [field, value] : fields_) all.emplace(field, python_canonical(value));
    return python_object(all);
  }
  [[nodiscard]] const std::string& rendered(const std::string& field) const {
    static const std::string kNone;
    const auto found = rendered_.find(field);
    return found == rendered_.end() ? kNone : found->second;
  }
  // Fields that nobody asked for.
  [[nodiscard]] const std::map<std::string, Value>& others() const { return fields_; }
  std::string wrong(const std::string& field, const Value& value, const std::string& what) {
    if (!error_) {
      const std::string found = value.is_container() ? (value.is_array() ? "an array" : "an object")
                                : value.is_string()  ? core::quoted(value.string().substr(0, 80))
                                                     : std::string(value.text().substr(0, 80));
      const json::Place place = value.place();
      error_ = core::Error{core::ErrorCode::invalid_input, "envelope v1: " + path_of(field) + " " + what + ", not " + found,
                           "`schema envelope.v1` of inferencebench says what an envelope holds",
                           std::string(name_) + ":" + std::to_string(place.line) + ":" + std::to_string(place.column)};
    }
    return {};
  }
  [[nodiscard]] std::string path_of(const std::string& field) const { return path_.empty() ? field : path_ + "." + field; }

 private:
  Value take(const std::string& field, bool has_default) {
    const auto found = fields_.find(field);
    if (found == fields_.end()) {
      if (!has_default && !error_) {
        error_ = core::Error{core::ErrorCode::invalid_input, "envelope v1: " + path_of(field) + " is missing",
                             "every envelope of inferencebench has it: the file is cut, edited or of another tool",
                             std::string(name_)};
      }
      return {};
    }
    const Value value = found->second;
    fields_.erase(found);
    return value;
  }
  std::string keep(const std::string& field, std::string text) {
    rendered_[field] = python_text(text);
    return text;
  }

  Value value_;
  std::string path_;
  std::string_view name_;
  std::optional<core::Error>& error_;
  std::map<std::string, Value> fields_;  // not asked for yet
  PythonObject rendered_;
};

constexpr Part::Limits kNotEmpty{.least = 1, .most = 0, .hex64 = false};
constexpr Part::Limits kAny{};
constexpr Part::Limits kCommit{.least = 7, .most = 40, .hex64 = false};
constexpr Part::Limits kHash{.least = 0, .most = 0, .hex64 = true};

// Objects whose names are texts of the model: the names lose their blanks too.
std::string named(const Value& object, bool texts) {
  PythonObject members;
  if (object) {
    for (const auto member : object.members()) {
      members[std::string(stripped(member.key))] =
          texts && member.value.is_string() ? python_text(stripped(member.value.string())) : python_canonical(member.value);
    }
  }
  return python_object(members);
}

void read_fingerprint(Part& root, Envelope& out) {
  Part hardware = root.part("hardware_fingerprint");
  out.hardware_fingerprint = hardware.text("fingerprint_sha256", kHash);
  hardware.text("dmi_uuid", kNotEmpty);
  std::vector<std::pair<std::string, std::string>> gpus;  // pci_id, the four fields
  std::string all_gpus = "[";
  if (const Value list = hardware.container("gpus", json::Kind::array, false, "[]")) {
    std::size_t index = 0;
    for (const Value element : list.elements()) {
      const std::string field = "gpus[" + std::to_string(index++) + "]";
      if (!element.is_object()) {
        hardware.wrong(field, element, "must be an object");
        break;
      }
      Part gpu = hardware.inside(element, field);
      const std::string model = gpu.text("model", kNotEmpty), pci = gpu.text("pci_id", kNotEmpty),
                        serial = gpu.text("serial", kNotEmpty), vbios = gpu.text("vbios", kNotEmpty);
      out.gpus.push_back(model);
      gpus.emplace_back(pci, python_object({{"model", python_text(model)},
                                            {"pci_id", python_text(pci)},
                                            {"serial", python_text(serial)},
                                            {"vbios", python_text(vbios)}}));
      all_gpus += (all_gpus.size() > 1 ? "," : "") + gpu.render();
    }
  }
  hardware.put("gpus", all_gpus + "]");
  std::stable_sort(gpus.begin(), gpus.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::string sorted_gpus = "[";
  for (const auto& [pci, text] : gpus) sorted_gpus += (sorted_gpus.size() > 1 ? "," : "") + text;
  sorted_gpus += "]";

  Part cpu = hardware.part("cpu");
  out.cpu = cpu.text("model", kNotEmpty);
  cpu.text("microcode", kNotEmpty);
  Part memory = hardware.part("memory");
  memory.integer("channels", 1, 16);
  memory.integer("speed_mts", 1, INT64_MAX);
  memory.boolean("ecc", false);
  Part bios = hardware.part("bios");
  bios.text("version", kNotEmpty);
  bios.boolean("resizable_bar", true);
  bios.boolean("above_4g", true);
  hardware.put("cpu", cpu.render());
  hardware.put("memory", memory.render());
  hardware.put("bios", bios.render());
  hardware.put("numa", named(hardware.container("numa", json::Kind::object, false, "{}"), false));
  out.driver = hardware.text("driver", kNotEmpty);
  out.cuda = hardware.text("cuda", kNotEmpty);
  out.nccl = hardware.text("nccl", kAny, "");
  const auto some = [](const Part& part, std::initializer_list<const char*> names) {
    PythonObject fields;
    for (const char* name : names) fields[name] = part.rendered(name);
    return python_object(fields);
  };
  PythonObject body = {{"gpus", sorted_gpus},
                       {"cpu", some(cpu, {"model", "microcode"})},
                       {"memory", some(memory, {"channels", "speed_mts", "ecc"})},
                       {"bios", some(bios, {"version", "resizable_bar", "above_4g"})}};
  for (const char* name : {"dmi_uuid", "numa", "driver", "cuda", "nccl"}) body[name] = hardware.rendered(name);
  out.canonical_fingerprint = python_object(body);
  root.put("hardware_fingerprint", hardware.render());
}

void read_metrics(Part& root, Envelope& out) {
  const Value metrics = root.container("metrics", json::Kind::object, true, "{}");
  if (!metrics) return;
  if (metrics.size() == 0) {
    root.wrong("metrics", metrics, "must hold at least one metric");
    return;
  }
  PythonObject rendered;
  std::map<std::string, std::size_t> index;
  for (const auto member : metrics.members()) {
    Metric metric;
    metric.name = std::string(stripped(member.key));
    const Value value = member.value;
    std::string text;
    if (value.is_string()) {
      metric.text = std::string(stripped(value.string()));
      text = python_text(*metric.text);
    } else if (value.is_boolean()) {
      metric.value = value.boolean() ? 1.0 : 0.0;
      text = value.boolean() ? "1.0" : "0.0";
    } else if (value.is_number()) {
      if (!std::isnan(value.number())) metric.value = value.number();
      text = python_canonical(value);
    } else if (value.is_null()) {
      text = "null";
    } else {
      root.wrong("metrics." + metric.name, value, "must be a number, a text or null");
      return;
    }
    rendered[metric.name] = std::move(text);
    const auto [at, added] = index.emplace(metric.name, out.metrics.size());
    if (added)
      out.metrics.push_back(std::move(metric));
    else
      out.metrics[at->second] = std::move(metric);
  }
  root.put("metrics", python_object(rendered));
}

void read_signature(Part& root, Envelope& out) {
  const Value value = root.optional_object("signature");
  root.drop("signature");  // not part of what is signed
  if (!value) return;
  Part part = root.inside(value, "signature");
  Signature signature;
  const Value method = value.find("method");
  signature.method = part.text("method", kNotEmpty);
  if (!signature.method.empty() && signature.method != "dev-key" && signature.method != "sigstore-cosign") {
    part.wrong("method", method, "must be dev-key or sigstore-cosign");
  }
  signature.certificate = part.text("certificate", kNotEmpty);
  if (value.find("rekor_log_index")) signature.rekor_log_index = part.integer("rekor_log_index", INT64_MIN, INT64_MAX);
  signature.bundle = part.text("bundle", kAny, "");
  out.signature = std::move(signature);
}

void read_texts(Part& root, const std::string& field, json::Kind kind) {
  const Value value = root.container(field, kind, false, kind == json::Kind::array ? "[]" : "{}");
  if (!value) return;
  if (kind == json::Kind::object) {
    for (const auto member : value.members()) {
      if (!member.value.is_string()) root.wrong(field + "." + std::string(member.key), member.value, "must be a text");
    }
    root.put(field, named(value, true));
    return;
  }
  std::string out = "[";
  for (const Value element : value.elements()) {
    if (!element.is_string()) {
      root.wrong(field, element, "must hold texts");
      return;
    }
    out += (out.size() > 1 ? "," : "") + python_text(stripped(element.string()));
  }
  root.put(field, out + "]");
}

constexpr std::string_view kHashOfNothing = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

// Provenance that says nothing, and passes as provenance.
void note_placeholder(const std::string& field, const std::string& value, Envelope& out) {
  if (value == kHashOfNothing) {
    out.placeholders.push_back(field + " is the SHA-256 of nothing");
  } else if (!value.empty() && value.find_first_not_of('0') == std::string::npos) {
    out.placeholders.push_back(field + " is all zeros");
  }
}

}  // namespace

core::Expected<Envelope> envelope_of(const Value& document, std::string_view name) {
  std::optional<core::Error> error;
  if (!document.is_object()) {
    return core::fail(core::ErrorCode::invalid_input, "envelope v1: not an object",
                      "an envelope of inferencebench is one JSON object", std::string(name));
  }
  Envelope out;
  Part root(document, "", name, error);
  const auto unchecked = [&](const char* field, const std::string& value) {
    out.unchecked.emplace_back(field, value);
    return value;
  };
  if (const std::string version = root.text("envelope_version", kNotEmpty); !version.empty() && version != "v1") {
    root.wrong("envelope_version", document.find("envelope_version"), "must be \"v1\", the only version there is");
  }
  out.suite_id = root.text("suite_id", kNotEmpty);
  out.suite_version = unchecked("suite_version", root.text("suite_version", kNotEmpty));
  if (!out.suite_version.empty() && !is_version(out.suite_version)) {
    root.wrong("suite_version", document.find("suite_version"), "must be a version like 1.0.0");
  }
  root.text("run_id", kAny);
  if (const std::string time = root.text("timestamp", kNotEmpty); !time.empty()) {
    bool zone = false;
    const std::string normal = normal_time(time, zone);
    if (normal.empty()) root.wrong("timestamp", document.find("timestamp"), "must be an RFC 3339 time");
    if (!zone) root.wrong("timestamp", document.find("timestamp"), "must say its time zone");
    root.put("timestamp", python_text(normal));
  }
  Part model = root.part("model");
  out.model_id = model.text("id", kNotEmpty);
  out.model_revision = unchecked("model.revision", model.text("revision", kCommit));
  out.provider = unchecked("model.provider", model.text("provider", kNotEmpty));
  unchecked("model.endpoint_hash", model.text("endpoint_hash", kHash));
  root.put("model", model.render());
  Part engine = root.part("engine");
  out.engine_name = engine.text("name", kNotEmpty);
  out.engine_version = engine.text("version", kNotEmpty);
  note_placeholder("engine.config_hash", unchecked("engine.config_hash", engine.text("config_hash", kHash)), out);
  unchecked("engine.image_digest", engine.text("image_digest", kAny, ""));
  root.put("engine", engine.render());
  if (const Value value = root.optional_object("quantization")) {
    Part quantization = root.inside(value, "quantization");
    out.quantization_format = quantization.text("format", kAny);
    unchecked("quantization.method", quantization.text("method", kAny, ""));
    root.put("quantization", quantization.render());
  }
  read_fingerprint(root, out);
  Part software = root.part("software_provenance");
  unchecked("software_provenance.image_digest", software.text("image_digest", kAny, ""));
  for (const char* field : {"pip_freeze_hash", "git_commit"}) {
    const std::string path = std::string("software_provenance.") + field;
    note_placeholder(path, unchecked(path.c_str(), software.text(field, path.ends_with("hash") ? kHash : kCommit)), out);
  }
  note_placeholder("software_provenance.nvidia_smi_q_hash", software.text("nvidia_smi_q_hash", kAny, ""), out);
  root.put("software_provenance", software.render());
  Part dataset = root.part("dataset");
  out.dataset_id = unchecked("dataset.id", dataset.text("id", kNotEmpty));
  out.dataset_hash = unchecked("dataset.hash", dataset.text("hash", kHash));
  note_placeholder("dataset.hash", out.dataset_hash, out);
  root.put("dataset", dataset.render());
  out.seed = root.integer("seed", INT64_MIN, INT64_MAX);
  unchecked("seed", std::to_string(out.seed));
  const std::string options = named(root.container("driver_options", json::Kind::object, false, "{}"), false);
  root.put("driver_options", unchecked("driver_options", options));
  read_metrics(root, out);
  read_texts(root, "distributions", json::Kind::object);
  unchecked("slo_template", root.text("slo_template", kAny, ""));
  read_texts(root, "warnings", json::Kind::array);
  read_signature(root, out);
  if (error) return core::fail(std::move(*error));
  for (const auto& [field, value] : root.others()) out.other_fields.push_back(field);
  out.canonical_model = root.render();
  PythonObject raw;
  for (const auto member : document.members()) {
    if (member.key != "signature") raw[std::string(member.key)] = python_canonical(member.value);
  }
  out.canonical_raw = python_object(raw);
  return out;
}

}  // namespace plumbline::systems::inferencebench
