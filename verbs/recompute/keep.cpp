#include "verbs/recompute/keep.hpp"

#include <algorithm>
#include <array>
#include <memory>

#include "core/citing.hpp"
#include "core/text.hpp"
#include "verbs/calling/wording.hpp"
#include "verbs/environment.hpp"
#include "verbs/resolving/reference.hpp"
#include "verbs/resolving/session.hpp"

namespace plumbline::verbs {
namespace {

// What concerns the answer and the place of the bundle, not the verdict.
constexpr std::array<std::string_view, 14> kNotOfTheVerdict = {"on_change", "shards",  "out",      "no_bundle", "report",
                                                               "repo_root", "confirm", "json_out", "index",     "response_format",
                                                               "snapshot",  "sign",    "md_limit", "chart"};

class Keeper {
 public:
  Keeper(registry::Staging& staging, const KeptInputs& kept, const Context& context)
      : staging_(staging), kept_(kept), limits_(path_limits(context)), context_(context), entries_(kept.inputs->entries()) {}

  Status stage_baseline() {
    if (auto ok = stage_entries(); !ok) return ok;
    return stage_files("baseline");
  }

  Status stage() {
    out_.tool_version = version();
    out_.verb = kept_.verb;
    out_.root = kept_.root;
    out_.embedded = embedded_rules();
    out_.history = kept_.inputs->history();
    out_.day = kept_.inputs->noted_day();
    out_.captures = kept_.captures;
    take_arguments();
    take_current();
    if (!kept_.captures) {
      if (auto ok = stage_baseline(); !ok) return ok;
      for (const char* side : {"initial", "journal"}) {
        if (auto ok = stage_files(side); !ok) return ok;
      }
    }
    if (auto ok = stage_rules(); !ok) return ok;
    return staging_.add(kRequestName, request_json(out_));
  }

 private:
  [[nodiscard]] std::vector<std::string> texts_of(std::string_view parameter) const {
    std::vector<std::string> out = kept_.arguments->list(parameter);
    if (const std::string one = kept_.arguments->text(parameter); !one.empty()) out.push_back(one);
    if (parameter == "baseline") {
      for (const std::string& path : kept_.arguments->list("baseline_trials")) out.push_back(path);
    }
    return out;
  }

  // A path as it was understood, an entry's folder by the entry's name, a name as it is.
  [[nodiscard]] std::string resolved(const std::string& text) const {
    const std::string path = absolute(context_, text);
    if (const auto entry = entries_.find(path); entry != entries_.end()) {
      const UsedEntry& used = entry->second;
      return used.family + "/" + used.measurement + "@" + used.slug;
    }
    return is_file(text) ? path : text;
  }
  // Whether a text of a side is a path of no entry.
  [[nodiscard]] bool is_file(const std::string& text) const {
    const std::string path = absolute(context_, text);
    if (entries_.contains(path) || !registry::path_kind(path, limits_)) return false;
    const auto named = parse_named_reference(text);
    if (!named) return true;
    return std::none_of(entries_.begin(), entries_.end(), [&](const auto& used) {
      return used.second.family == named->family && used.second.measurement == named->measurement;
    });
  }

  void take_arguments() {
    const Verb* verb = find(kept_.verb);
    for (const auto& [name, value] : kept_.arguments->all()) {
      const bool is_parameter =
          std::any_of(verb->params.begin(), verb->params.end(), [&name = name](const Param& p) { return p.name == name; });
      if (!is_parameter || std::find(kNotOfTheVerdict.begin(), kNotOfTheVerdict.end(), name) != kNotOfTheVerdict.end()) continue;
      out_.arguments.set(name, value);
    }
    for (const std::string name : {"baseline", "baseline_trials", "current", "candidate", "initial", "journal"}) {
      if (!kept_.arguments->has(name)) continue;
      const std::vector<std::string>& given = kept_.arguments->list(name);
      if (given.empty()) {
        out_.arguments.set(name, resolved(kept_.arguments->text(name)));
        continue;
      }
      std::vector<std::string> paths;
      paths.reserve(given.size());
      for (const std::string& text : given) paths.push_back(name == "current" ? absolute(context_, text) : resolved(text));
      out_.arguments.set(name, std::move(paths));
    }
  }

  void take_current() {
    out_.files = kept_.current;
    for (const KeptFile& file : kept_.current) {
      if (file.at.empty()) lack("the current side", "its copy was left out: " + size_reason(file.bytes));
    }
  }

  [[nodiscard]] std::string size_reason(std::uint64_t bytes) const {
    if (!kept_.kept) return "--snapshot reference";
    return core::counted(bytes, "byte") + ", and bundles hold copies of at most 64 MiB a side; --snapshot copy keeps more";
  }
  void lack(std::string what, std::string why) {
    const auto said = [&](const MissingInput& before) { return before.what == what; };
    if (std::any_of(out_.not_recomputable.begin(), out_.not_recomputable.end(), said)) return;
    out_.not_recomputable.push_back({std::move(what), std::move(why)});
  }

  [[nodiscard]] bool fits(std::uint64_t bytes) const { return kept_.kept && (!kept_.by_size || bytes <= kBundleSnapshotLimit); }

  Status stage_folder(const registry::Source& source, const std::string& at) {
    for (const registry::SourceFile& file : source.files) {
      const std::string name = source.is_directory ? at + "/" + file.relative : at;
      if (staging_.digest_of(name)) continue;
      if (auto copied = staging_.add_copy(name, file, limits_); !copied) return core::fail(copied.error());
    }
    return {};
  }

  Status stage_entries() {
    std::uint64_t total = 0;
    for (const auto& [path, used] : entries_) {
      const std::string name = used.family + "/" + used.measurement;
      KeptEntry entry{used.family, used.measurement, used.slug, used.accepted, {}};
      auto source = registry::open_source(path, limits_);
      if (!source) return core::fail(source.error());
      total += source->bytes;
      const auto record = read_record(path, limits_);
      const bool referenced = record && record->shape != core::Shape::scalar && holds_no_copy(*source);
      if (referenced) {
        lack("the baseline", "the entry " + name + "@" + used.slug + " holds no copy of its source; record with --snapshot copy");
      } else if (!fits(total)) {
        lack("the baseline", "its entry was left out: " + size_reason(total));
      } else {
        entry.at = "baseline-snapshot/" + name + "/" + used.slug;
        if (auto ok = stage_folder(*source, entry.at); !ok) return ok;
      }
      out_.entries.push_back(std::move(entry));
    }
    return {};
  }
  static bool holds_no_copy(const registry::Source& entry) {
    return std::none_of(entry.files.begin(), entry.files.end(),
                        [](const auto& file) { return file.relative.starts_with("source-snapshot"); });
  }

  Status stage_files(const std::string& parameter) {
    const std::vector<std::string> texts = texts_of(parameter);
    std::uint64_t total = 0;
    std::size_t count = 0;
    for (const std::string& text : texts) {
      if (!is_file(text)) continue;
      auto source = registry::open_source(absolute(context_, text), limits_);
      if (!source) return core::fail(source.error());
      total += source->bytes;
      KeptFile file{parameter, absolute(context_, text), {}, source->bytes};
      if (fits(total)) {
        file.at = parameter == "journal" ? "run.json" : snapshot_name(parameter + "-snapshot", *source, count++);
        if (auto ok = stage_folder(*source, file.at); !ok) return ok;
        if (auto ok = check_unchanged(file, texts.size()); !ok) return ok;
      } else {
        lack("the " + parameter + " side", "its copy was left out: " + size_reason(total));
      }
      out_.files.push_back(std::move(file));
    }
    return {};
  }

  // The copy is made after the comparison: it must be what was compared.
  [[nodiscard]] Status check_unchanged(const KeptFile& file, std::size_t of_side) const {
    if (file.parameter != "baseline" || of_side != 1 || kept_.baseline_sha256.empty()) return {};
    const auto digest = staging_.digest_of(file.at);
    if (!digest || *digest == kept_.baseline_sha256) return {};
    return core::fail(ErrorCode::environment, "the baseline changed while it was compared: " + core::cited_path(file.path),
                      "compare again when nothing writes to it");
  }

  Status stage_rules() {
    std::size_t count = 0;
    for (const auto& [path, text] : kept_.inputs->rules()) {
      KeptFile file{"rules", path, "rules/" + std::to_string(++count) + "-" + path.substr(path.rfind('/') + 1), text.size()};
      if (auto ok = staging_.add(file.at, text); !ok) return ok;
      out_.files.push_back(std::move(file));
    }
    return {};
  }

  registry::Staging& staging_;
  const KeptInputs& kept_;
  registry::PathLimits limits_;
  const Context& context_;
  const std::map<std::string, UsedEntry> entries_;
  KeptRequest out_;
};

}  // namespace

Status stage_inputs(registry::Staging& staging, const KeptInputs& kept, const Context& context) {
  return Keeper(staging, kept, context).stage();
}

std::function<Status()> baseline_copies(registry::Staging& staging, const KeptInputs& kept, const Context& context) {
  return [keeper = std::make_shared<Keeper>(staging, kept, context)] { return keeper->stage_baseline(); };
}

}  // namespace plumbline::verbs
