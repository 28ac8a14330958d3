#include "core/citing.hpp"
#include "core/privacy.hpp"
#include "core/text.hpp"
#include "registry/look.hpp"
#include "registry/store.hpp"
#include "reports/reports.hpp"
#include "schemas/schemas.hpp"
#include "verbs/all.hpp"
#include "verbs/calling/shared_params.hpp"
#include "verbs/calling/warnings.hpp"
#include "verbs/calling/wording.hpp"
#include "verbs/environment.hpp"
#include "verbs/indexing/feed.hpp"
#include "verbs/resolving/clock.hpp"
#include "verbs/resolving/index_address.hpp"
#include "verbs/resolving/open_claims.hpp"
#include "verbs/resolving/reference.hpp"
#include "verbs/resolving/session.hpp"
#include "verbs/resolving/signing.hpp"
#include "verbs/verify/trust.hpp"

namespace plumbline::verbs {
namespace {

using enum ParamKind;

constexpr std::size_t kReasonLimit = 4096;

// Our own entries are checked file by file, extra files included. The reference tool's entries have no manifest: what can
// be checked of them, opening them has checked.
Status verify_entry(const registry::Entry& entry, const registry::PathLimits& limits) {
  if (entry.entry_sha256.empty()) return {};
  const auto verified = registry::verify(entry.path, limits);
  if (!verified) return core::fail(verified.error());
  if (verified->ok) return {};
  const std::string problem = verified->problems.empty() ? "it does not verify" : verified->problems.front().message;
  return core::fail(ErrorCode::provenance_mismatch, "the entry cannot be accepted: " + problem,
                    "`plumbline verify " + shell_word(entry.path) + "` lists what does not match", entry.path);
}

// A retried call must not pile up acceptances that say the same.
std::optional<core::AcceptResult> already_accepted(const registry::Store& store, const registry::Entry& entry,
                                                   const std::optional<core::Acceptance>& holds, const std::string& reason) {
  if (!holds || holds->slug != entry.slug || holds->reason != reason || holds->entry_sha256 != entry.entry_sha256)
    return std::nullopt;
  std::string seq = std::to_string(holds->seq);
  if (seq.size() < 6) seq.insert(0, 6 - seq.size(), '0');
  core::AcceptResult result;
  result.acceptance = *holds;
  result.path = store.address_of(store.directory(registry::Kind::entry, entry.family, entry.measurement) + "/accepted/" + seq +
                                 "-" + entry.slug + ".json");
  result.entry_dir = entry.address;
  result.warnings.push_back({"already_accepted", entry.slug + " has been accepted for this reason already: nothing was written"});
  return result;
}

// For accept a bare name is the newest entry: the accepted one is what it is going to replace.
std::string reference_text(const Arguments& arguments) {
  std::string text = arguments.text("baseline");
  const auto name = parse_named_reference(text);
  return name && name->selector.empty() ? text + "@newest" : text;
}

std::string question(const registry::Entry& entry, const std::optional<core::Acceptance>& holds, const std::string& reason) {
  const core::BaselineRecord& record = entry.record;
  std::string what = std::string(core::to_string(record.tier));
  if (record.value) what = core::number_text(*record.value) + (record.unit ? " " + *record.unit : "") + ", " + what;
  return "Make " + entry.family + "/" + entry.measurement + "@" + entry.slug + " (" + one_line(what, 100) +
         ") the accepted baseline" + (holds ? ", replacing " + holds->slug : ", the first of its measurement") +
         ", for this reason: " + cited(reason, 300) + "?";
}

// What the signed statement says besides the record: which entry it is about.
std::optional<registry::attest::Signing> signing_of(const std::shared_ptr<const Signer>& signer, const registry::Entry& entry) {
  if (signer == nullptr) return std::nullopt;
  registry::attest::Signing out{signer->key, signer->claim};
  out.claim.dependencies = {{"entry", entry.entry_sha256, entry.address}};
  out.claim.result = {{"accepted", json_value(entry.slug)}};
  return out;
}

Expected<Outcome> run_accept(const Arguments& arguments, const Context& context) {
  if (context.read_only) {
    return core::fail(ErrorCode::path_not_allowed, "accept writes, and this server was started with --read-only",
                      "ask whoever runs the server, or accept on the command line");
  }
  if (!arguments.has("baseline")) {
    return core::fail(ErrorCode::usage, "--baseline is missing", "`plumbline accept family/measurement@SLUG --reason TEXT`");
  }
  const std::string reason(core::trim(arguments.text("reason")));
  if (reason.empty())
    return core::fail(ErrorCode::usage, "--reason is missing", "say why this entry becomes the reference: `--reason TEXT`");
  if (reason.size() > kReasonLimit) {
    return core::fail(ErrorCode::limit_exceeded,
                      "--reason is " + std::to_string(reason.size()) + " bytes long, more than " + std::to_string(kReasonLimit),
                      "say it in a few sentences, and where the rest can be read");
  }
  const auto signer = signer_for("accept", arguments, context);
  if (!signer) return core::fail(signer.error());
  const auto root = root_of(arguments, context);
  if (!root) return core::fail(root.error());
  const auto store = open_store(*root, context);
  const registry::Look look;
  const auto limits = path_limits(context);
  auto reference = resolve_reference(reference_text(arguments), *store, nullptr, context.cwd, limits);
  if (!reference) return core::fail(std::move(reference.error()));
  if (reference->kind != Reference::Kind::entry) {
    return core::fail(
        ErrorCode::usage, core::cited(arguments.text("baseline")) + " is a file, not a registry entry",
        "record it first: `plumbline record --family F --measurement M --source " + shell_word(arguments.text("baseline")) + "`");
  }
  add_clock_warning(*reference, reference_text(arguments), *store, nullptr, {}, context);
  const registry::Entry& entry = reference->entry;
  const std::string directory = store->directory(registry::Kind::entry, entry.family, entry.measurement);
  if (!registry::path_within(absolute(context, entry.path), absolute(context, directory))) {
    return core::fail(ErrorCode::usage, "this entry lies in another registry than " + *root,
                      "name its registry: `--repo-root DIR`", entry.path);
  }
  if (auto verified = verify_entry(entry, limits); !verified) return core::fail(std::move(verified.error()));
  const auto keys = TrustedKeys::find(arguments, context);
  if (!keys) return core::fail(keys.error());
  if (auto trusted = keys->check(entry); !trusted) return core::fail(std::move(trusted.error()));
  const auto holds = store->accepted(entry.family, entry.measurement);
  if (!holds) return core::fail(holds.error());

  core::AcceptResult result;
  if (auto repeated = already_accepted(*store, entry, *holds, reason)) {
    result = std::move(*repeated);
  } else {
    if (auto yes = confirmed(context, question(entry, *holds, reason)); !yes) return core::fail(std::move(yes.error()));
    if (context.stop_asked()) return core::fail(ErrorCode::cancelled, "cancelled: nothing was accepted");
    core::Acceptance acceptance;
    acceptance.family = entry.family;
    acceptance.measurement = entry.measurement;
    acceptance.slug = entry.slug;
    acceptance.entry_sha256 = entry.entry_sha256;
    acceptance.reason = reason;
    acceptance.accepted_at_utc = registry::utc_text(context.now());
    acceptance.accepted_by = user_name(context);
    if (*holds) acceptance.previous = (*holds)->slug;
    const auto text = [&](const core::Acceptance& numbered) {
      result.acceptance = numbered;
      return reports::acceptance_json(numbered);
    };
    const std::optional<registry::attest::Signing> signing = signing_of(*signer, entry);
    const auto path = store->accept(acceptance, text, signing ? &*signing : nullptr);
    if (!path) return core::fail(path.error());
    result.path = store->address_of(*path);
    result.entry_dir = entry.address;
    feed_index(*store, result.acceptance, result.warnings, context);
    if (auto open = unfinished_acceptances(*store, entry.family, entry.measurement)) result.warnings.push_back(std::move(*open));
  }
  for (auto& warning : reference->warnings) result.warnings.push_back(std::move(warning));
  if (entry.record.tier == core::Tier::draft) {
    result.warnings.push_back({"draft_accepted", "the accepted entry is a DRAFT: it has too few trials to prove small changes"});
  }
  Outcome outcome;
  outcome.json = reports::accept_result_json(result);
  outcome.text = "accepted " + entry.family + "/" + entry.measurement + "@" + entry.slug +
                 "\n  reason: " + one_line(core::without_secrets(result.acceptance.reason)) + "\n  " + one_line(result.path) +
                 "\n";
  outcome.warnings = warning_lines(result.warnings);
  return outcome;
}

}  // namespace

const Verb kAccept{
    .name = "accept",
    .tool = "perf_baseline_accept",
    .tool_aliases = {},
    .library = "perf_baseline",
    .title = "Accept a baseline",
    .summary =
        "Make an entry the accepted baseline of its measurement, with a reason. Use it after a change in performance was "
        "understood and agreed on; earlier acceptances stay on record.",
    .safety = "writes_artifacts",
    .destructive = false,
    .idempotent = true,
    .asks = true,
    .params =
        {
            {.name = "baseline",
             .value_name = "REF",
             .doc = "family/measurement (its newest entry) or family/measurement@slug",
             .help = "family/measurement (the newest entry), family/measurement@slug or an entry directory",
             .required = true,
             .positional = 1},
            {.name = "reason",
             .value_name = "TEXT",
             .doc = "why it becomes the reference",
             .help = "why it becomes the reference; kept with the acceptance",
             .required = true},
            index_param(),
            sign_param(),
            {.name = "repo_root",
             .kind = path,
             .value_name = "DIR",
             .doc = "folder of the registry",
             .help = "folder of the registry"},
            confirm_param(),
        },
    .output_schema = schemas::text("plumbline.result.accept.v1"),
    .examples = {"plumbline accept inference/decode --reason 'new scheduler, agreed in review'"},
    .run = &run_accept,
};

}  // namespace plumbline::verbs
