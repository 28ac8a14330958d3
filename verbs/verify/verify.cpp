// verify: of one publication, of a line, of a registry, or of an envelope of another system.
#include "core/citing.hpp"
#include "core/text.hpp"
#include "registry/open_store.hpp"
#include "registry/removal.hpp"
#include "registry/store.hpp"
#include "registry/verification.hpp"
#include "reports/reports.hpp"
#include "schemas/schemas.hpp"
#include "verbs/all.hpp"
#include "verbs/calling/shared_params.hpp"
#include "verbs/calling/warnings.hpp"
#include "verbs/environment.hpp"
#include "verbs/recompute/recompute.hpp"
#include "verbs/resolving/envelope.hpp"
#include "verbs/resolving/reference.hpp"
#include "verbs/resolving/session.hpp"
#include "verbs/verify/trust.hpp"

namespace plumbline::verbs {
namespace {

using enum ParamKind;

constexpr std::uint64_t kCheckpointAtMost = 64ULL << 20;

// The verdict once more, of a bundle that is what was published: else there is nothing to hold it against.
Status make_again(core::VerifyResult& result, const Context& context) {
  if (result.kind != "bundle") {
    return core::fail(ErrorCode::usage, "--recompute is for one bundle, and this is " + core::cited(result.kind),
                      "give the folder that a diff left behind");
  }
  if (!result.ok) return {};
  auto again = recompute(result.path, context);
  if (!again) return core::fail(again.error());
  result.problems.insert(result.problems.end(), again->problems.begin(), again->problems.end());
  result.ok = again->problems.empty();
  result.recomputed = std::move(*again);
  return {};
}

class Verifier {
 public:
  Verifier(const Arguments& arguments, const Context& context)
      : arguments_(arguments), context_(context), limits_(path_limits(context)) {}

  Expected<core::VerifyResult> verify() {
    auto lines = lines_asked();
    if (!lines) return core::fail(lines.error());
    if (*lines) return verify_lines(**lines);
    if (arguments_.has("checkpoint")) {
      return core::fail(ErrorCode::usage,
                        "--checkpoint goes with a line or a registry, and this is one publication: " + core::cited_path(path_),
                        "`plumbline verify FAMILY/MEASUREMENT --line --checkpoint FILE`");
    }
    const auto trusted = TrustedKeys::find(arguments_, context_);
    if (!trusted) return core::fail(trusted.error());
    if (registry::path_kind(path_, limits_) == registry::PathKind::file)
      return verify_envelope(path_, trusted->given(), context_);
    const registry::Lying lying = registry::lying_at(path_);
    if (auto ok = check_not_removed(lying); !ok) return core::fail(ok.error());
    const auto trust = trusted->of(path_, lying.family, lying.measurement);
    if (!trust) return core::fail(trust.error());
    return registry::verify(path_, *trust, limits_);
  }
  [[nodiscard]] std::string address_of(const std::string& path) const { return store_ ? store_->address_of(path) : path; }

 private:
  // A publication that gc took away is not simply missing.
  Status check_not_removed(const registry::Lying& lying) {
    if (!lying.kind || registry::path_kind(path_, limits_)) return {};
    const auto tombstone = registry::tombstone_of(path_.substr(0, path_.rfind('/')), lying.slug, limits_);
    if (!tombstone) return core::fail(tombstone.error());
    if (!*tombstone) return {};
    return core::fail(
        ErrorCode::not_found, core::cited_path(path_) + " was " + registry::removal_text(**tombstone),
        "`plumbline verify " + lying.family + "/" + lying.measurement + " --line` checks the line with its tombstones", path_);
  }

  // What is to be verified: lines, or one thing at path_.
  Expected<std::optional<registry::Lines>> lines_asked() {
    if (!arguments_.has("path")) return lines_of_root();
    const std::string text = arguments_.text("path");
    if (registry::is_shared_address(text)) return addressed(text);
    path_ = absolute(context_, text);
    const auto name = parse_named_reference(text);
    if (name && !registry::path_kind(path_, limits_)) return named(*name);
    auto lines = registry::lines_in(path_, limits_);
    if (lines && !*lines && arguments_.flag("line")) {
      return core::fail(ErrorCode::usage, "--line: " + core::cited_path(path_) + " is no folder of a line",
                        "a line is <root>/experiments/artifacts/perf-baselines/FAMILY/MEASUREMENT, or its name");
    }
    return lines;
  }

  Expected<std::optional<registry::Lines>> lines_of_root() {
    const auto root = root_of(arguments_, context_);
    if (!root) return core::fail(root.error());
    const auto store = store_of(*root);
    if (auto ok = store->bring({.kind = {}, .family = {}, .measurement = {}, .slug = {}, .anew = true}); !ok)
      return core::fail(ok.error());
    auto lines = registry::lines_in(store->root(), limits_);
    if (!lines || *lines) return lines;
    registry::Lines nothing;
    nothing.path = store->root();
    nothing.registry = true;
    if (arguments_.has("checkpoint")) return std::optional(std::move(nothing));
    return core::fail(ErrorCode::not_found, "nothing is published under " + core::cited_path(store->address_of(store->root())),
                      "`plumbline verify PATH` verifies a copy anywhere");
  }

  // A name in the registry: a publication, or with --line all of them.
  Expected<std::optional<registry::Lines>> named(const NamedReference& name) {
    const auto root = root_of(arguments_, context_);
    if (!root) return std::optional<registry::Lines>();  // then verify says that there is no such folder
    const auto store = store_of(*root);
    if (arguments_.flag("line") && name.selector.empty()) {
      if (auto ok = store->bring({std::nullopt, name.family, name.measurement, {}, true}); !ok) return core::fail(ok.error());
      auto lines = registry::lines_of(store->root(), name.family, name.measurement, limits_);
      if (!lines) return core::fail(lines.error());
      if (lines->lines.empty()) return core::fail(or_a_path(unknown_baseline(*store, name), path_, limits_));
      return std::optional(std::move(*lines));
    }
    auto directory = locate_entry(name, *store, limits_);
    if (!directory && !is_known(*store, name)) return core::fail(or_a_path(directory.error(), path_, limits_));
    if (!directory) return core::fail(directory.error());
    path_ = std::move(*directory);
    const auto slug = path_.substr(path_.rfind('/') + 1);
    if (auto ok = store->bring({registry::Kind::entry, name.family, name.measurement, slug, true}); !ok)
      return core::fail(ok.error());
    return std::optional<registry::Lines>();
  }

  // As results of a shared store call an entry, a bundle, or a folder of them.
  Expected<std::optional<registry::Lines>> addressed(const std::string& address) {
    const auto root = root_of(arguments_, context_);
    if (!root) return core::fail(root.error());
    const auto store = store_of(*root);
    auto path = store->path_of(address);
    if (!path) return core::fail(path.error());
    path_ = std::move(*path);
    const registry::Lying lying = registry::lying_at(path_);
    if (!lying.kind || !registry::is_slug(lying.slug)) {
      if (auto ok = store->bring({.kind = {}, .family = {}, .measurement = {}, .slug = {}, .anew = true}); !ok)
        return core::fail(ok.error());
      return registry::lines_in(path_, limits_);
    }
    if (auto ok = store->bring({lying.kind, lying.family, lying.measurement, lying.slug, true}); !ok)
      return core::fail(ok.error());
    return std::optional<registry::Lines>();
  }

  // The root's, kept to say afterwards what its paths are called.
  const registry::Store* store_of(const std::string& root) {
    store_ = open_store(root, context_);
    return store_.get();
  }

  Expected<core::VerifyResult> verify_lines(const registry::Lines& lines) {
    const auto trusted = TrustedKeys::find(arguments_, context_);
    if (!trusted) return core::fail(trusted.error());
    std::vector<core::ChainHead> pinned;
    const std::string checkpoint =
        arguments_.has("checkpoint") ? absolute(context_, arguments_.text("checkpoint")) : std::string();
    if (!checkpoint.empty()) {
      auto heads = read_checkpoint(checkpoint);
      if (!heads) return core::fail(heads.error());
      pinned = std::move(*heads);
    }
    const auto trust_of = [&](const registry::Line& line) { return trusted->of(line.directory, line.family, line.measurement); };
    auto result = registry::verify_lines(lines, trust_of, checkpoint.empty() ? nullptr : &pinned, limits_);
    if (result) result->checkpoint = checkpoint;
    return result;
  }

  Expected<std::vector<core::ChainHead>> read_checkpoint(const std::string& path) {
    registry::PathLimits limits = limits_;
    limits.bytes = kCheckpointAtMost;
    const auto bytes = registry::read_file(path, limits);
    if (!bytes) return core::fail(bytes.error());
    return registry::parse_checkpoint(bytes->view(), path);
  }

  const Arguments& arguments_;
  const Context& context_;
  registry::PathLimits limits_;
  std::string path_;
  std::unique_ptr<registry::Store> store_;  // null: what is verified lies in none
};

Expected<Outcome> run_verify(const Arguments& arguments, const Context& context) {
  Verifier verifier(arguments, context);
  auto result = verifier.verify();
  if (!result) return core::fail(result.error());
  if (arguments.flag("recompute")) {
    if (auto ok = make_again(*result, context); !ok) return core::fail(ok.error());
  }
  result->path = verifier.address_of(result->path);
  Outcome outcome;
  outcome.json = reports::verify_json(*result, response_format(arguments));
  outcome.text = reports::verify_table(*result, true);
  outcome.text_has_warnings = true;
  outcome.warnings = warning_lines(result->warnings);
  if (!result->ok) {
    outcome.gate_tripped = true;
    outcome.gate_message = result->problems.empty() ? "verify found a mismatch" : "verify: " + result->problems.front().message;
    if (result->problems.size() > 1)
      outcome.gate_message += " (and " + core::counted(result->problems.size() - 1, "more problem") + ")";
  }
  return outcome;
}

}  // namespace

const Verb kVerify{
    .name = "verify",
    .tool = "bundle_verify",
    .tool_aliases = {},
    .library = "perf_baseline",
    .title = "Verify an entry, a bundle, a line or a registry",
    .summary =
        "Check that entries and bundles are what was published: digests, missing and extra files, signatures and their chain. "
        "Use "
        "it before relying on a bundle that somebody sent; it works wherever the bundle was copied to.",
    .safety = "read_only",
    .destructive = false,
    .idempotent = true,
    .params =
        {
            {.name = "path",
             .kind = path,
             .value_name = "PATH",
             .doc = "entry, bundle, folder of them, or family/measurement[@slug]; default the root",
             .help = "entry or bundle directory, family/measurement[@slug], the folder of a line or a root (default: the root), "
                     "or an "
                     "inferencebench envelope",
             .positional = 1},
            {.name = "line",
             .kind = boolean,
             .doc = "of a name: all it ever had",
             .help = "with a name: all of its entries and diffs and their chains, not only the accepted or newest entry"},
            {.name = "trust",
             .kind = path_list,
             .value_name = "PUB",
             .doc = "public keys (PEM) that must have signed",
             .help = "everything must be signed by one of these public keys (PEM); default trusted_keys of plumbline.yaml",
             .mostly_one = true},
            {.name = "checkpoint",
             .kind = path,
             .value_name = "FILE",
             .help = "the chains must go through the heads in this file, which `plumbline checkpoint` printed"},
            {.name = "recompute",
             .kind = boolean,
             .doc = "make a bundle's verdict again",
             .help = "compute a bundle's verdict again from the bundle alone, and compare it and every row with what the bundle "
                     "says"},
            {.name = "repo_root",
             .kind = path,
             .value_name = "DIR",
             .doc = "folder of the registry",
             .help = "folder of the registry, if PATH is a name, and of the plumbline.yaml that says whose signatures count"},
            response_format_param(),
        },
    .output_schema = schemas::text("plumbline.result.verify.v1"),
    .examples = {"plumbline verify inference/decode", "plumbline verify inference/decode --line"},
    .run = &run_verify,
};

}  // namespace plumbline::verbs
