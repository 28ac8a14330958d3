#include "verbs/recompute/recompute.hpp"

#include <filesystem>
#include <nlohmann/json.hpp>
#include <system_error>

#include "core/citing.hpp"
#include "core/results/diff.hpp"
#include "core/text.hpp"
#include "registry/store.hpp"
#include "reports/reports.hpp"
#include "verbs/diff/again.hpp"
#include "verbs/environment.hpp"
#include "verbs/recompute/request.hpp"
#include "verbs/resolving/index_address.hpp"

namespace plumbline::verbs {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

Error cannot_write(const std::string& path, const std::error_code& why) {
  return {ErrorCode::environment, "cannot write " + core::cited_path(path) + ": " + why.message(), "$TMPDIR names another place",
          path};
}

// The registry, the rules and the files of the question, laid out below a scratch folder as they were.
class Workplace {
 public:
  Workplace(const std::string& bundle, const KeptRequest& request, const Context& context)
      : bundle_(bundle), request_(request), limits_(path_limits(context)) {}

  Status set_up(const std::string& scratch, const Context& context) {
    root_ = scratch + "/root";
    files_ = scratch + "/files";
    // A confined call may use its own scratch folder besides.
    if (!limits_.allowed_roots.empty()) limits_.allowed_roots.push_back(registry::absolute_path(scratch, "/"));
    for (const std::string& folder : {root_, files_}) {
      if (auto ok = make_folder(folder); !ok) return ok;
    }
    const auto store = open_folder_store(root_, limits_);
    for (const KeptEntry& entry : request_.entries) {
      const std::string to = store->directory(registry::Kind::entry, entry.family, entry.measurement) + "/" + entry.slug;
      if (auto ok = copy(entry.at, to); !ok) return ok;
      if (!entry.accepted) continue;
      core::Acceptance acceptance;
      acceptance.family = entry.family;
      acceptance.measurement = entry.measurement;
      acceptance.slug = entry.slug;
      acceptance.reason = "as when the bundle was made";
      acceptance.accepted_at_utc = registry::utc_text(context.now());
      if (auto ok = store->accept(acceptance, [](const core::Acceptance& one) { return reports::acceptance_json(one); }); !ok)
        return core::fail(ok.error());
    }
    for (const KeptFile& file : request_.files) {
      const bool under_root = !request_.root.empty() && file.path.starts_with(request_.root + "/") && file.parameter == "rules";
      const std::string to = under_root ? root_ + file.path.substr(request_.root.size()) : files_ + file.path;
      if (auto ok = copy(file.at, to); !ok) return ok;
    }
    return {};
  }

  [[nodiscard]] const std::string& root() const { return root_; }

  // The arguments with every kept path where it is now.
  [[nodiscard]] Arguments arguments() const {
    Arguments out = request_.arguments;
    const auto moved = [&](const std::string& text) { return was_kept(text) ? files_ + text : text; };
    for (const std::string name : {"baseline", "baseline_trials", "current", "initial", "journal"}) {
      if (!out.has(name)) continue;
      if (out.list(name).empty()) {
        out.set(name, moved(out.text(name)));
        continue;
      }
      std::vector<std::string> paths;
      for (const std::string& text : out.list(name)) paths.push_back(moved(text));
      out.set(name, std::move(paths));
    }
    return out;
  }

  // The captures' digests, copied like the rest.
  Expected<ProfileRequest> captures(const std::string& scratch) {
    ProfileRequest out = *request_.captures;
    out.root = root_;
    out.keeps_digests = false;
    for (auto* side : {&out.baseline, &out.candidate}) {
      for (std::string& name : *side) {
        const std::string to = scratch + "/" + name;
        if (auto ok = copy(name, to); !ok) return core::fail(ok.error());
        name = to;
      }
    }
    return out;
  }

 private:
  [[nodiscard]] bool was_kept(const std::string& text) const {
    return std::any_of(request_.files.begin(), request_.files.end(), [&](const KeptFile& file) {
      return file.path == text || file.path.starts_with(text + "/") || text.starts_with(file.path + "/");
    });
  }

  static Status make_folder(const std::string& path) {
    std::error_code error;
    fs::create_directories(path, error);
    if (error) return core::fail(cannot_write(path, error));
    return {};
  }

  // A file or folder of the bundle. The bundle was verified, and holds neither links nor devices.
  [[nodiscard]] Status copy(const std::string& at, const std::string& to) const {
    if (auto ok = make_folder(to.substr(0, to.rfind('/'))); !ok) return ok;
    std::error_code error;
    fs::copy(bundle_ + "/" + at, to, fs::copy_options::recursive | fs::copy_options::overwrite_existing, error);
    if (error) return core::fail(cannot_write(to, error));
    return {};
  }

  const std::string& bundle_;
  const KeptRequest& request_;
  registry::PathLimits limits_;
  std::string root_, files_;
};

// "GREEN (DRAFT)"
std::string told(std::string_view verdict, std::string_view tier) {
  return std::string(verdict) + " (" + std::string(tier) + ")";
}

class Recomputing {
 public:
  Recomputing(std::string bundle, const Context& context) : bundle_(std::move(bundle)), context_(context) {}

  Expected<core::Recomputed> run() {
    const auto text = registry::verified_file(bundle_, std::string(kRequestName), path_limits(context_));
    if (!text) {
      if (text.error().code != ErrorCode::not_found) return core::fail(text.error());
      problem("not_recomputable", std::string(kRequestName),
              "the bundle has no request.json: it was written by a version before 0.2.0, or is another publication");
      return std::move(out_);
    }
    auto request = parse_request(*text, bundle_ + "/" + std::string(kRequestName));
    if (!request) return core::fail(request.error());
    for (const MissingInput& missing : request->not_recomputable)
      problem("not_recomputable", missing.what, missing.what + " is not in the bundle: " + missing.why);
    if (!out_.problems.empty()) return std::move(out_);
    if (auto ok = again(*request); !ok) return core::fail(ok.error());
    if (!out_.problems.empty()) explain(*request);
    out_.made_again = true;
    return std::move(out_);
  }

 private:
  void problem(core::ProblemCode code, std::string path, std::string message) {
    out_.problems.push_back({code, std::move(path), std::move(message)});
  }

  Status again(const KeptRequest& request) {
    auto scratch = ScratchFolder::make(context_);
    if (!scratch) return core::fail(scratch.error());
    Workplace workplace(bundle_, request, context_);
    if (auto ok = workplace.set_up(scratch->path(), context_); !ok) return ok;
    Inputs inputs;
    for (const auto& [entry, history] : request.history) inputs.give_history(entry, history);
    if (!request.day.empty()) inputs.give_day(request.day);
    Context context = context_;
    context.cwd = workplace.root();
    context.repo_root = workplace.root();
    context.inputs = &inputs;
    // The tier that held then is among the arguments; one of today's surroundings says nothing. Registry and index are another's.
    context.environment = [outer = with_index(context_.environment, "off")](std::string_view name) -> std::optional<std::string> {
      if (name == "PLUMBLINE_STORE") return std::string(kOwnStore);
      return name == "PLUMBLINE_TIER" || !outer ? std::nullopt : outer(name);
    };
    if (!context.allowed_roots.empty()) context.allowed_roots.push_back(registry::absolute_path(scratch->path(), "/"));
    if (request.captures) {
      auto captures = workplace.captures(scratch->path());
      if (!captures) return core::fail(captures.error());
      auto compared = run_profiles(*captures, context);
      if (!compared) return failed(compared.error());
      return compare(as_diff(compared->diff), request);
    }
    auto result = diff_again(workplace.arguments(), context);
    if (!result) return failed(result.error());
    if (auto ok = compare(*result, request); !ok) return ok;
    return compare_rows(*result);
  }

  // A diff that cannot be made here is an outcome; one that was interrupted is not.
  Status failed(const Error& error) {
    if (error.code == ErrorCode::cancelled || error.code == ErrorCode::environment || error.code == ErrorCode::internal)
      return core::fail(error);
    problem("verdict_differs", "diff.json", "no verdict can be made: " + error.message);
    return {};
  }

  // Names of rules and versions that are not those of the bundle.
  void explain(const KeptRequest& request) {
    if (request.tool_version != version()) {
      problem("inputs_differ", std::string(kRequestName),
              "the bundle was made by version " + core::cited(request.tool_version) + ", and this is " + std::string(version()));
    }
    for (const auto& [name, digest] : embedded_rules()) {
      const auto was = request.embedded.find(name);
      if (was != request.embedded.end() && was->second == digest) continue;
      problem("inputs_differ", name, "the program's own " + name + " is not the one that was used");
    }
  }

  Status compare(const core::DiffResult& result, const KeptRequest& request) {
    const std::string name = request.verb == "profile-diff" ? "profile-diff.json" : "diff.json";
    const auto text = registry::verified_file(bundle_, name, path_limits(context_));
    if (!text) return core::fail(text.error());
    const Json document = Json::parse(*text, nullptr, false);
    if (!document.is_object()) return core::fail(ErrorCode::invalid_input, name + " of the bundle is no JSON object");
    const std::string verdict = document.value("verdict", ""), tier = document.value("tier", "");
    out_.verdict = core::to_string(result.verdict);
    out_.tier = core::to_string(result.tier);
    if (out_.verdict != verdict || out_.tier != tier)
      problem("verdict_differs", name,
              "the bundle says " + told(verdict, tier) + ", and it comes out " + told(out_.verdict, out_.tier));
    const std::string reasons = codes_of(document), now = codes_of(result);
    if (reasons != now) problem("verdict_differs", name, "the bundle's reasons are " + reasons + ", and they come out as " + now);
    return {};
  }
  static std::string codes_of(const Json& document) {
    std::vector<std::string> codes;
    if (const auto reasons = document.find("reasons"); reasons != document.end() && reasons->is_array()) {
      for (const Json& each : *reasons) {
        if (each.is_object()) codes.push_back(each.value("code", ""));
      }
    }
    return codes.empty() ? "none" : core::listed(codes, codes.size());
  }
  static std::string codes_of(const core::DiffResult& result) {
    std::vector<std::string> codes;
    for (const core::Reason& reason : result.reasons) codes.emplace_back(reason.code.text());
    return codes.empty() ? "none" : core::listed(codes, codes.size());
  }

  // deltas.jsonl byte for byte; of the first line that differs the key.
  Status compare_rows(const core::DiffResult& result) {
    const auto kept = registry::verified_file(bundle_, "deltas.jsonl", path_limits(context_));
    if (!kept) return core::fail(kept.error());
    std::string_view rest = *kept;
    std::string here, there;  // the lines that differ
    bool differ = false;
    auto wrote = reports::write_deltas(result, [&](std::string_view piece) -> Status {
      while (!piece.empty() && !differ) {
        const std::size_t end = piece.find('\n') + 1;
        const std::string_view line = piece.substr(0, end);
        piece.remove_prefix(end);
        ++out_.rows;
        if (rest.starts_with(line)) {
          rest.remove_prefix(line.size());
          continue;
        }
        differ = true;
        here = line;
        there = rest.substr(0, rest.find('\n'));
      }
      return {};
    });
    if (!wrote) return wrote;
    if (!differ && rest.empty()) return {};
    const std::string& line = differ ? here : (there = rest.substr(0, rest.find('\n')));
    const Json row = Json::parse(line, nullptr, false);
    const std::string key = row.is_object() ? row.value("key", "") : std::string();
    problem("rows_differ", "deltas.jsonl", "row " + core::cited(key) + " comes out otherwise than it is written");
    return {};
  }

  std::string bundle_;
  const Context& context_;
  core::Recomputed out_;
};

}  // namespace

Expected<core::Recomputed> recompute(const std::string& bundle, const Context& context) {
  return Recomputing(bundle, context).run();
}

}  // namespace plumbline::verbs
