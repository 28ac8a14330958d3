#include "core/citing.hpp"
#include "core/text.hpp"
#include "registry/attest/keys.hpp"
#include "registry/store.hpp"
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

namespace plumbline::verbs {
namespace {

using enum ParamKind;

// A path as it stands; else a name in the registry. A path needs no registry.
Expected<std::string> directory_of(const Arguments& arguments, const Context& context) {
  const std::string text = arguments.text("path");
  const std::string path = absolute(context, text);
  const auto name = parse_named_reference(text);
  if (!name || registry::path_kind(path, path_limits(context))) return path;
  const auto root = root_of(arguments, context);
  if (!root) return path;  // then verify says that there is no such folder
  const auto limits = path_limits(context);
  const auto store = registry::posix_store(*root, limits);
  auto directory = locate_entry(*name, *store);
  if (!directory && !is_known(*store, *name)) return core::fail(or_a_path(directory.error(), path, limits));
  return directory;
}

// --trust: a public key in PEM.
Expected<std::optional<registry::attest::PublicKey>> trusted_key(const Arguments& arguments, const Context& context) {
  if (!arguments.has("trust")) return std::optional<registry::attest::PublicKey>();
  const std::string path = absolute(context, arguments.text("trust"));
  const auto bytes = registry::read_file(path, path_limits(context));
  if (!bytes) return core::fail(bytes.error());
  auto key = registry::attest::parse_public_key(bytes->view(), path);
  if (!key) return core::fail(key.error());
  return std::optional<registry::attest::PublicKey>(*key);
}

// The verdict once more, of a bundle that is what was published: else there is nothing to hold it against.
Status make_again(core::VerifyResult& result, const Context& context) {
  if (result.kind != "bundle") {
    return core::fail(ErrorCode::usage, "--recompute is for bundles, and this is " + core::cited(result.kind),
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

Expected<core::VerifyResult> verified(const std::string& path, const Arguments& arguments, const Context& context) {
  const auto trusted = trusted_key(arguments, context);
  if (!trusted) return core::fail(trusted.error());
  const registry::PathLimits limits = path_limits(context);
  if (registry::path_kind(path, limits) == registry::PathKind::file) return verify_envelope(path, *trusted, context);
  auto result = registry::verify(path, limits);
  if (result && arguments.flag("recompute")) {
    if (auto ok = make_again(*result, context); !ok) return core::fail(ok.error());
  }
  if (result && *trusted) {
    if (result->is_signed) {
      result->problems.push_back(
          {"signature_unchecked", "attest", "signatures of entries and bundles are not checked against --trust"});
    } else {
      result->problems.push_back({"unsigned", "", "nothing is signed, and --trust asks for a signature"});
    }
    result->ok = false;
  }
  return result;
}

Expected<Outcome> run_verify(const Arguments& arguments, const Context& context) {
  if (!arguments.has("path"))
    return core::fail(ErrorCode::usage, "--path is missing", "`plumbline verify ENTRY-OR-BUNDLE-DIRECTORY`");
  const auto directory = directory_of(arguments, context);
  if (!directory) return core::fail(directory.error());
  const auto result = verified(*directory, arguments, context);
  if (!result) return core::fail(result.error());
  Outcome outcome;
  outcome.json = reports::verify_json(*result, response_format(arguments));
  outcome.text = reports::verify_table(*result, true);
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
    .title = "Verify an entry or a bundle",
    .summary =
        "Check that every file of an entry or bundle is what was published: digests, missing and extra files. Use it before "
        "relying "
        "on a bundle that somebody sent; it works wherever the bundle was copied to.",
    .safety = "read_only",
    .destructive = false,
    .idempotent = true,
    .params =
        {
            {.name = "path",
             .kind = path,
             .value_name = "PATH",
             .doc = "entry or bundle directory, or family/measurement[@slug]",
             .help = "entry or bundle directory, family/measurement[@slug], or an inferencebench envelope",
             .required = true,
             .positional = 1},
            {.name = "trust",
             .kind = path,
             .value_name = "PUB",
             .doc = "must be signed by this public key (PEM)",
             .help = "the signature must be by this public key (PEM)"},
            {.name = "recompute",
             .kind = boolean,
             .doc = "make a bundle's verdict again",
             .help = "make a bundle's verdict again from the bundle alone, and compare it and every row with what is written"},
            {.name = "repo_root",
             .kind = path,
             .value_name = "DIR",
             .doc = "registry of a name; a path needs none",
             .help = "folder of the registry, where PATH is a name; a path needs none"},
            response_format_param(),
        },
    .output_schema = schemas::text("plumbline.result.verify.v1"),
    .examples = {"plumbline verify inference/decode"},
    .run = &run_verify,
};

}  // namespace plumbline::verbs
