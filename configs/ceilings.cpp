// sol-ceilings.yaml -> Ceilings, and the lookup by key. Which ceiling fits a metric is decided in ceiling_choice.cpp.
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "configs/configs.hpp"
#include "core/citing.hpp"
#include "core/text.hpp"

namespace plumbline::configs {
namespace {

using core::ErrorCode;
using core::fail;

std::string place(std::string_view where, const YAML::Mark& mark) {
  if (mark.is_null()) return std::string(where);
  return std::string(where) + ":" + std::to_string(mark.line + 1) + ":" + std::to_string(mark.column + 1);
}

std::string text_of(const YAML::Node& node) { return node && node.IsScalar() ? node.Scalar() : std::string(); }

// The simpler form says nothing but a name: its habits are read here, and only here.
Ceilings::Trait trait_from_name(std::string_view name) {
  const auto has = [&](std::string_view part) { return name.find(part) != std::string_view::npos; };
  if (has("capacity")) return {"capacity", ""};
  if (name.starts_with("nvlink") || name.starts_with("infinity_fabric") || name.starts_with("hccs")) return {"link", ""};
  if (name.starts_with("pcie")) return {"pcie", ""};
  if (name.starts_with("hbm") || name.starts_with("gddr")) return {"memory", ""};
  if (has("two_nic")) return {"nic_total", ""};
  if (has("nic") || name.starts_with("roce") || name.starts_with("ib_")) return {"nic", ""};
  if (has("flops")) {
    if (name.starts_with("fp32_tc")) return {"compute", "tf32"};
    for (const std::string_view precision : {"nvfp4", "mxfp4", "fp4", "fp8", "bf16", "fp16", "tf32", "fp32", "fp64", "int8"}) {
      if (name.starts_with(precision)) return {"compute", std::string(precision.ends_with("fp4") ? "fp4" : precision)};
    }
  }
  return {};
}

struct Reader {
  std::string_view where;
  std::string retrieved;  // the date of the sources
  std::vector<core::Ceiling> ceilings;
  std::vector<Ceilings::Trait> traits;
  std::vector<Ceilings::Alias> aliases;

  [[nodiscard]] tl::unexpected<core::Error> wrong(const YAML::Node& node, std::string message, std::string hint = {}) const {
    return fail(ErrorCode::invalid_input, std::move(message), std::move(hint), place(where, node.Mark()));
  }

  core::Status read_ceiling(const std::string& device, const std::string& name, const YAML::Node& node, const std::string& source,
                            bool simple) {
    core::Ceiling ceiling;
    ceiling.key = device + "." + name;
    ceiling.device = device;
    if (!node.IsMap()) {
      return wrong(node, "ceiling " + ceiling.key + " is not a map", "write {value: 1.8, unit: TB/s, source: …}");
    }
    const std::optional<double> value = core::parse_double(text_of(node["value"]));
    if (!value && simple) return {};  // a flag such as nvswitch_sharp: true
    if (!value || !std::isfinite(*value) || *value <= 0) {
      return wrong(node, "ceiling " + ceiling.key + " has no positive number as its value",
                   "write the number and its unit apart: {value: 1.8, unit: TB/s}");
    }
    ceiling.value = *value;
    ceiling.unit = text_of(node[simple ? "units" : "unit"]);
    if (ceiling.unit.empty()) ceiling.unit = text_of(node[simple ? "unit" : "units"]);
    if (ceiling.unit.empty()) {
      return wrong(node, "ceiling " + ceiling.key + " has no unit",
                   "add unit: TB/s, GB/s, Gb/s, TFLOPS, …; it is never read from the key");
    }
    const auto choice = [&](const char* field, const char* fallback, std::initializer_list<std::string_view> allowed,
                            std::string& into) -> core::Status {
      const std::string text = text_of(node[field]);
      into = text.empty() ? fallback : text;
      if (std::find(allowed.begin(), allowed.end(), into) != allowed.end()) return {};
      const std::vector<std::string> names(allowed.begin(), allowed.end());
      return wrong(node[field], "ceiling " + ceiling.key + " has " + field + " " + core::cited(into),
                   std::string(field) + " is one of " + core::listed(names, 10));
    };
    // The simpler form does not say directions: left empty, they are known by the figure (core::duplex_warning).
    if (auto ok = choice("duplex", simple ? "" : "n/a", {"uni", "bi", "n/a", simple ? "" : "n/a"}, ceiling.duplex); !ok)
      return ok;
    if (auto ok = choice("sparsity", "n/a", {"dense", "sparse", "n/a"}, ceiling.sparsity); !ok) return ok;
    if (auto ok = choice("basis", "published", {"published", "device_reported", "derived"}, ceiling.basis); !ok) return ok;
    if (auto ok = choice("confidence", "uncertain", {"vendor", "secondary", "uncertain"}, ceiling.confidence); !ok) return ok;
    ceiling.source = text_of(node["source"]);
    if (ceiling.source.empty()) ceiling.source = source;
    if (!retrieved.empty() && !ceiling.source.empty()) ceiling.source += " (read " + retrieved + ")";

    Ceilings::Trait trait = trait_from_name(name);
    if (node["measures"]) trait = {text_of(node["measures"]), text_of(node["precision"])};
    ceilings.push_back(std::move(ceiling));
    traits.push_back(std::move(trait));
    return {};
  }

  core::Status read_device(const std::string& device, const YAML::Node& node) {
    if (!node.IsMap()) return wrong(node, "device " + device + " is not a map", "write its aliases and ceilings under it");
    for (const bool assumed : {false, true}) {
      for (const auto& word : node[assumed ? "assumed_for" : "aliases"]) {
        aliases.push_back({core::to_lower(text_of(word)), device, assumed});
      }
    }
    const YAML::Node list = node["ceilings"];
    if (!list || !list.IsMap()) return wrong(node, "device " + device + " has no map of ceilings");
    const std::string source = text_of(node["source"]);
    for (const auto& entry : list) {
      if (auto ok = read_ceiling(device, entry.first.Scalar(), entry.second, source, false); !ok) return ok;
    }
    return {};
  }

  // Sections of the simpler form that hold no ceilings (maps of categories, sampling settings) have no {value: …} and give
  // nothing.
  core::Status read_simple(const std::string& device, const YAML::Node& node) {
    if (!node.IsMap()) return {};
    const std::size_t before = ceilings.size();
    for (const auto& entry : node) {
      if (!entry.second.IsMap() || !entry.second["value"]) continue;
      if (auto ok = read_ceiling(device, entry.first.Scalar(), entry.second, {}, true); !ok) return ok;
    }
    if (ceilings.size() == before) return {};
    // b200_sm100 -> "b200": the board is not said, so the choice is an assumption and is called one.
    const std::string first = core::to_lower(std::string_view(device).substr(0, device.find('_')));
    aliases.push_back({first, device, true});
    return {};
  }
};

}  // namespace

core::Expected<std::shared_ptr<const Ceilings>> Ceilings::parse(std::string_view yaml, std::string_view where) {
  Reader reader{where, {}, {}, {}, {}};
  try {
    const YAML::Node root = YAML::Load(std::string(yaml));
    if (!root.IsMap())
      return fail(ErrorCode::invalid_input, "the ceilings file is not a map", "see docs/speed-of-light.md for its form",
                  std::string(where));
    const YAML::Node devices = root["devices"];
    if (devices) reader.retrieved = text_of(root["retrieved"]);
    for (const auto& entry : devices ? devices : root) {
      auto ok = devices ? reader.read_device(entry.first.Scalar(), entry.second)
                        : reader.read_simple(entry.first.Scalar(), entry.second);
      if (!ok) return fail(ok.error());
    }
  } catch (const YAML::Exception& problem) {
    return fail(ErrorCode::invalid_input, "the ceilings file is not valid YAML: " + problem.msg, "", place(where, problem.mark));
  }
  if (reader.ceilings.empty()) {
    return fail(ErrorCode::invalid_input, "the ceilings file holds no ceilings", "give at least one {value: …, unit: …}",
                std::string(where));
  }
  std::vector<std::string_view> keys;
  keys.reserve(reader.ceilings.size());
  for (const core::Ceiling& ceiling : reader.ceilings) keys.push_back(ceiling.key);
  std::sort(keys.begin(), keys.end());
  if (const auto twice = std::adjacent_find(keys.begin(), keys.end()); twice != keys.end()) {
    return fail(ErrorCode::invalid_input, "ceiling " + std::string(*twice) + " appears twice", "keep one of them",
                std::string(where));
  }
  auto result = std::make_shared<Ceilings>();
  result->all_ = std::move(reader.ceilings);
  result->traits_ = std::move(reader.traits);
  result->aliases_ = std::move(reader.aliases);
  return std::shared_ptr<const Ceilings>(std::move(result));
}

std::shared_ptr<const Ceilings> Ceilings::builtin() {
  static const std::shared_ptr<const Ceilings> kBuiltin = [] {
    auto parsed = parse(embedded("sol-ceilings.yaml"), "sol-ceilings.yaml");
    return parsed ? *parsed : std::make_shared<const Ceilings>();  // the embedded file is checked by a test
  }();
  return kBuiltin;
}

core::Expected<core::Ceiling> Ceilings::find(std::string_view key) const {
  std::vector<const core::Ceiling*> same_name;
  std::vector<std::string_view> keys;
  keys.reserve(all_.size());
  for (const core::Ceiling& ceiling : all_) {
    if (ceiling.key == key) return ceiling;
    keys.push_back(ceiling.key);
    if (std::string_view(ceiling.key).substr(ceiling.device.size() + 1) == key) same_name.push_back(&ceiling);
  }
  if (!same_name.empty()) {
    const bool agree = std::all_of(same_name.begin(), same_name.end(), [&](const core::Ceiling* other) {
      return other->value == same_name.front()->value && other->unit == same_name.front()->unit;
    });
    if (agree) return *same_name.front();
    std::vector<std::string> each;
    each.reserve(same_name.size());
    for (const core::Ceiling* ceiling : same_name) {
      each.push_back(ceiling->device + " (" + core::short_number(ceiling->value) + " " + ceiling->unit + ")");
    }
    return fail(ErrorCode::usage, "ceiling " + core::cited(key) + " differs between devices: " + core::listed(each, 8),
                "name the device too, for instance " + same_name.front()->key, "ceiling");
  }
  std::string hint;
  if (const std::string_view near = core::nearest(key, keys); !near.empty()) {
    hint = "did you mean " + std::string(near) + "?";
  } else {
    std::vector<std::string> devices;
    for (const core::Ceiling& ceiling : all_) {
      if (devices.empty() || devices.back() != ceiling.device) devices.push_back(ceiling.device);
    }
    hint = "a key is DEVICE.NAME; devices: " + core::listed(devices, 8);
  }
  return fail(ErrorCode::usage, "no ceiling is called " + core::cited(key), hint, "ceiling");
}

}  // namespace plumbline::configs
