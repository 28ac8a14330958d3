// keygen: a pair of keys to sign with. No MCP tool: a key is made by the person who keeps it.
#include "core/citing.hpp"
#include "registry/attest/keys.hpp"
#include "reports/reports.hpp"
#include "schemas/schemas.hpp"
#include "verbs/all.hpp"
#include "verbs/calling/shared_params.hpp"
#include "verbs/calling/wording.hpp"
#include "verbs/environment.hpp"
#include "verbs/resolving/session.hpp"

namespace plumbline::verbs {
namespace {

using enum ParamKind;

namespace attest = registry::attest;

Expected<Outcome> run_keygen(const Arguments& arguments, const Context& context) {
  if (!arguments.has("out"))
    return core::fail(ErrorCode::usage, "--out is missing", "`plumbline keygen --out PREFIX` writes PREFIX.key and PREFIX.pub");
  if (context.read_only) return core::fail(ErrorCode::path_not_allowed, "nothing is written: this server is read-only");
  const registry::PathLimits limits = path_limits(context);
  const std::string prefix = absolute(context, arguments.text("out"));
  core::KeygenResult result;
  result.private_path = prefix + ".key";
  result.public_path = prefix + ".pub";
  for (const std::string* path : {&result.private_path, &result.public_path}) {
    if (registry::path_kind(*path, limits))
      return core::fail(ErrorCode::already_exists, core::cited_path(*path) + " already exists",
                        "name another PREFIX; no key is ever replaced", *path);
  }
  if (auto yes = confirmed(context, "Make a private key at " + one_line(result.private_path, 300) + "?"); !yes)
    return core::fail(std::move(yes.error()));
  const auto key =
      attest::PrivateKey::make(arguments.text("algorithm") == "ed25519" ? attest::Algorithm::ed25519 : attest::Algorithm::p256);
  if (!key) return core::fail(key.error());
  const auto pem = attest::public_pem(key->public_key());
  if (!pem) return core::fail(pem.error());
  const auto written =
      key->with_pem([&](std::string_view text) { return registry::create_file(result.private_path, text, 0600, limits); });
  if (!written) return core::fail(written.error());
  if (auto ok = registry::create_file(result.public_path, *pem, 0644, limits); !ok) return core::fail(ok.error());
  result.algorithm = attest::to_string(key->public_key().algorithm);
  result.keyid = attest::key_id(key->public_key());
  Outcome outcome;
  outcome.json = reports::keygen_json(result);
  outcome.text = reports::keygen_text(result);
  return outcome;
}

}  // namespace

const Verb kKeygen{
    .name = "keygen",
    .tool = "",
    .tool_aliases = {},
    .library = "perf_baseline",
    .title = "Make a key pair for signing",
    .summary =
        "Make a private key to sign with (PREFIX.key, readable only by its owner) and the public key that checks its signatures "
        "(PREFIX.pub). Use it once for each person or CI job that publishes, and pin the public key in plumbline.yaml.",
    .safety = "writes_artifacts",
    .destructive = false,
    .idempotent = false,
    .params =
        {
            {.name = "out",
             .kind = path,
             .value_name = "PREFIX",
             .doc = "writes PREFIX.key and PREFIX.pub, which must not exist",
             .required = true},
            {.name = "algorithm",
             .kind = choice,
             .doc = "default p256 (ECDSA), which every other tool knows",
             .choices = {"p256", "ed25519"}},
            {.name = "repo_root", .kind = path, .value_name = "DIR", .doc = "not used: PREFIX says where the keys go"},
            confirm_param(),
        },
    .output_schema = schemas::text("plumbline.result.keygen.v1"),
    .examples = {"plumbline keygen --out ~/.config/plumbline/me", "plumbline keygen --out ci --algorithm ed25519"},
    .run = &run_keygen,
};

}  // namespace plumbline::verbs
