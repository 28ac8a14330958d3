#include <cmath>
#include <nlohmann/json.hpp>

#include "core/citing.hpp"
#include "core/text.hpp"
#include "registry/json_text.hpp"
#include "registry/store.hpp"

namespace plumbline::registry {

using core::BaselineRecord;
using core::ErrorCode;
using core::fail;
using nlohmann::json;

namespace {

constexpr double kExactIntegers = 9007199254740992.0;  // 2^53
constexpr std::string_view kSchema = "plumbline.baseline.v1";
constexpr std::string_view kSchemaPrefix = "plumbline.baseline.";

class Reader {
 public:
  Reader(const json& document, std::string raw_value, const std::string& where)
      : document_(document), raw_value_(std::move(raw_value)), where_(where) {}

  core::Expected<BaselineRecord> read() {
    if (!document_.is_object()) return bad("the document is " + article(document_) + ", not an object");
    for (auto step : {&Reader::identity, &Reader::value, &Reader::provenance, &Reader::judgement, &Reader::snapshot}) {
      if (auto done = (this->*step)(); !done) return fail(done.error());
    }
    descriptor();
    sol();
    return std::move(record_);
  }

 private:
  [[nodiscard]] tl::unexpected<core::Error> bad(const std::string& what, std::string hint = {}) const {
    return fail(ErrorCode::invalid_input, "invalid baseline metadata: " + what, std::move(hint), where_);
  }
  static std::string article(const json& value) {
    const std::string type = value.type_name();
    return (type == "array" || type == "object" ? "an " : type == "null" ? "" : "a ") + type;
  }
  [[nodiscard]] const json* member(const char* name) const {
    const auto found = document_.find(name);
    return found == document_.end() || found->is_null() ? nullptr : &*found;
  }
  [[nodiscard]] const json& object(const char* name) const {
    static const json kEmpty = json::object();
    const auto* found = member(name);
    return found != nullptr && found->is_object() ? *found : kEmpty;
  }

  core::Status identity() {
    for (auto [name, into] : {std::pair{"family", &record_.family}, std::pair{"measurement", &record_.measurement}}) {
      const auto* found = member(name);
      if (found == nullptr) return bad(std::string(name) + " is missing");
      if (!found->is_string()) return bad(std::string(name) + " must be a text, not " + article(*found));
      *into = found->get<std::string>();
      if (auto good = check_segment(name, *into); !good) return bad(good.error().message, good.error().hint);
    }
    record_.schema = text_or_empty(document_, "schema");
    if (record_.schema.compare(0, kSchemaPrefix.size(), kSchemaPrefix) == 0 && record_.schema != kSchema) {
      return bad("schema is " + core::cited(record_.schema) + ", this program reads " + core::cited(kSchema),
                 "a newer plumbline wrote it: use that one");
    }
    const auto* direction = member("direction");
    record_.direction_present = direction != nullptr;
    record_.direction = "two-sided";
    if (direction != nullptr) {
      if (!direction->is_string()) return bad("direction must be a text, not " + article(*direction));
      record_.direction = direction->get<std::string>();
      if (auto good = check_direction("direction", record_.direction, true); !good) return good;
    }
    return {};
  }

  [[nodiscard]] core::Status check_direction(const std::string& name, const std::string& text, bool automatic) const {
    if (core::parse_direction(text) || (automatic && text == "auto")) return {};
    return bad(name + " is invalid: " + core::cited(text),
               "higher-is-better, lower-is-better, two-sided" + std::string(automatic ? " or auto" : ""));
  }

  core::Status value() {
    record_.unit = text_of(document_, "unit");
    const auto* found = member("value");
    record_.shape = found != nullptr ? core::Shape::scalar : core::Shape::structured;
    if (found == nullptr) return shape();
    if (!found->is_number()) {
      return bad("value must be a JSON number or null, not " +
                 (found->is_boolean() ? std::string(found->get<bool>() ? "true" : "false") : article(*found)));
    }
    record_.value = found->get<double>();
    // The neighbours of 2^53 round to it: the text is compared, not the double.
    if (std::abs(*record_.value) >= kExactIntegers) {
      std::string text = found->is_number_integer() ? found->dump() : raw_value_;
      const bool integer = text.find_first_not_of("-0123456789") == std::string::npos;
      if (integer && text != "9007199254740992" && text != "-9007199254740992") record_.value_text = std::move(text);
    }
    return shape();
  }

  core::Status shape() {
    const auto text = text_of(document_, "shape");
    if (!text) return {};
    for (const auto shape : {core::Shape::scalar, core::Shape::structured, core::Shape::profile, core::Shape::suite}) {
      if (*text == core::to_string(shape)) {
        record_.shape = shape;
        return {};
      }
    }
    return bad("shape is invalid: " + core::cited(*text), "scalar, structured, profile or suite");
  }

  core::Status provenance() {
    record_.source_path = text_or_empty(document_, "source_path");
    record_.source_sha256 = text_or_empty(document_, "source_sha256");
    record_.schema_path = text_of(document_, "schema_path");
    record_.registered_at_utc = text_or_empty(document_, "registered_at_utc");
    record_.measured_at_utc = text_or_empty(document_, "measured_at_utc");
    record_.operator_user = text_or_empty(object("registered_by"), "operator_user");
    record_.hostname = text_or_empty(object("workstation"), "hostname");
    record_.uname = text_or_empty(object("workstation"), "uname");
    record_.profile_and_optimize_sha = text_of(document_, "profile_and_optimize_sha");
    record_.notes = text_or_empty(document_, "notes");
    record_.git_commit = text_of(object("git"), "commit");
    if (const auto dirty = object("git").find("dirty"); dirty != object("git").end() && dirty->is_boolean())
      record_.git_dirty = dirty->get<bool>();
    record_.supersedes = text_or_empty(document_, "supersedes");
    record_.reason = text_or_empty(document_, "reason");
    record_.label = text_or_empty(document_, "label");
    record_.command = text_or_empty(document_, "command");
    record_.rows = count_of(document_, "rows", 0);
    record_.tool = {text_or_empty(object("tool"), "name"), text_or_empty(object("tool"), "version")};
    return {};
  }

  // What decides a verdict: a field of the wrong type is an error here, never a silent default.
  core::Status judgement() {
    record_.stated_format = text_or_empty(document_, "stated_format");
    record_.forced_format = text_or_empty(document_, "forced_format");
    if (const auto* tier = member("tier")) {
      if (*tier != "DRAFT" && *tier != "VERDICT") return bad("tier must be \"DRAFT\" or \"VERDICT\"");
      record_.tier = *tier == "VERDICT" ? core::Tier::verdict : core::Tier::draft;
    }
    record_.trials = static_cast<std::uint32_t>(std::min<std::uint64_t>(count_of(document_, "trials", 1), 1'000'000'000));
    if (auto done = texts("headline", record_.headline); !done) return done;
    if (auto done = pairs("tolerances", record_.tolerances); !done) return done;
    if (auto done = pairs("directions", record_.directions); !done) return done;
    for (const auto& [glob, direction] : record_.directions) {
      if (auto good = check_direction("the direction of " + core::cited(glob), direction, true); !good) return good;
    }
    return {};
  }

  core::Status texts(const char* name, std::vector<std::string>& into) const {
    const auto* found = member(name);
    if (found == nullptr) return {};
    if (!found->is_array()) return bad(std::string(name) + " must be an array of texts, not " + article(*found));
    for (const auto& item : *found) {
      if (!item.is_string()) return bad(std::string(name) + " must be an array of texts, and holds " + article(item));
      into.push_back(item.get<std::string>());
    }
    return {};
  }

  core::Status pairs(const char* name, std::vector<std::pair<std::string, std::string>>& into) const {
    const auto* found = member(name);
    if (found == nullptr) return {};
    if (!found->is_object()) return bad(std::string(name) + " must be an object of texts, not " + article(*found));
    for (const auto& [glob, text] : found->items()) {
      if (!text.is_string()) return bad(std::string(name) + ": " + core::cited(glob) + " must be a text, not " + article(text));
      into.emplace_back(glob, text.get<std::string>());
    }
    return {};
  }

  core::Status snapshot() {
    const auto& snapshot = object("snapshot");
    record_.snapshot_path = text_or_empty(snapshot, "path");
    record_.snapshot_bytes = count_of(snapshot, "bytes", 0);
    record_.snapshot_sha256 = text_or_empty(snapshot, "sha256");
    if (auto done = texts("trial_snapshots", record_.trial_snapshots); !done) return done;
    // Names that leave the entry would let a baseline.json read anything.
    if (!record_.snapshot_path.empty() && !check_relative_name(record_.snapshot_path)) {
      return bad("snapshot.path is not a name inside the entry: " + core::cited(record_.snapshot_path));
    }
    for (const auto& name : record_.trial_snapshots) {
      if (!check_relative_name(name)) return bad("trial_snapshots holds no name inside the entry: " + core::cited(name));
    }
    return {};
  }

  void descriptor() {
    const auto& format = object("format");
    record_.format.name = text_or_empty(format, "name");
    record_.format.version = text_or_empty(format, "version");
    record_.format.confidence = number_of(format, "confidence").value_or(0);
    record_.format.runner_up = text_or_empty(format, "runner_up");
    if (const auto evidence = format.find("evidence"); evidence != format.end()) {
      if (evidence->is_string()) record_.format.evidence.push_back(evidence->get<std::string>());
      if (evidence->is_array()) {
        for (const auto& item : *evidence) {
          if (item.is_string()) record_.format.evidence.push_back(item.get<std::string>());
        }
      }
    }
    // {"hardware": {"gpu": "H100"}} as we write it, {"hardware.gpu": "H100"} as people do.
    for (const auto& [group, inner] : object("context").items()) {
      if (!inner.is_object()) {
        add_context(group, inner);
        continue;
      }
      for (const auto& [key, text] : inner.items()) add_context(group + "." + key, text);
    }
  }

  void add_context(const std::string& key, const json& text) {
    if (text.is_string()) {
      record_.context[key] = text.get<std::string>();
    } else if (text.is_number_float()) {
      record_.context[key] = core::number_text(text.get<double>());
    } else if (!text.is_null()) {
      record_.context[key] = text.dump();
    }
  }

  void sol() {
    if (auto scalar = frozen(document_, record_.measurement)) record_.scalar_sol = std::move(scalar);
    const auto* rows = member("sol");
    if (rows == nullptr || !rows->is_array()) return;
    for (const auto& row : *rows) {
      if (auto one = frozen(row, first(row, {"key", "row_key"}))) record_.sol.push_back(std::move(*one));
    }
  }

  static std::string first(const json& row, std::initializer_list<const char*> names) {
    for (const char* name : names) {
      if (auto text = text_of(row, name)) return *text;
    }
    return {};
  }

  [[nodiscard]] std::optional<core::FrozenSol> frozen(const json& row, std::string key) const {
    const auto ceiling = [&] {
      const auto plain = number_of(row, "ceiling_value");
      return plain ? plain : number_of(row, "sol_ceiling_value");
    }();
    if (!ceiling || !(*ceiling > 0)) return std::nullopt;
    core::FrozenSol sol;
    sol.row_key = std::move(key);
    sol.ceiling_key = first(row, {"ceiling_key", "sol_ceiling_key"});
    sol.ceiling_value = *ceiling;
    sol.ceiling_unit = first(row, {"ceiling_unit", "sol_ceiling_unit"});
    // The reference tool freezes the ceiling in the measurement's own unit and does not say so.
    if (sol.ceiling_unit.empty()) sol.ceiling_unit = record_.unit.value_or("");
    sol.duplex = first(row, {"duplex", "sol_duplex", "sol_ceiling_duplex"});
    const auto pct = number_of(row, "pct");
    sol.pct = pct ? *pct : number_of(row, "sol_pct").value_or(0);
    sol.rigor = first(row, {"rigor", "sol_rigor"});
    return sol;
  }

  const json& document_;
  std::string raw_value_;
  const std::string& where_;
  BaselineRecord record_;
};

}  // namespace

core::Expected<BaselineRecord> parse_baseline(std::string_view text, const std::string& where) {
  std::string raw_value;
  const auto document = parse_json(text, &raw_value);
  if (!document) return fail(ErrorCode::invalid_input, "invalid baseline metadata: " + document.error().message, {}, where);
  return Reader(*document, std::move(raw_value), where).read();
}

}  // namespace plumbline::registry
