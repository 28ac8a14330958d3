// digest: what outlives a capture. One capture, folder of ranks or digest becomes its digest; several become the job's.
#include "profiles/digest/digest.hpp"

#include "core/citing.hpp"
#include "core/text.hpp"
#include "profiles/analysis/steps/step_names.hpp"
#include "profiles/ranks/ranks.hpp"
#include "profiles/ranks/telling.hpp"
#include "reports/reports.hpp"
#include "schemas/schemas.hpp"
#include "verbs/all.hpp"
#include "verbs/calling/shared_params.hpp"
#include "verbs/calling/warnings.hpp"
#include "verbs/calling/wording.hpp"
#include "verbs/digest/shard.hpp"
#include "verbs/environment.hpp"
#include "verbs/record/redact.hpp"
#include "verbs/resolving/session.hpp"
#include "verbs/schedulers/task.hpp"

namespace plumbline::verbs {
namespace {

using enum ParamKind;

Expected<profiles::ReadOptions> read_options(const Arguments& arguments, const Context& context) {
  profiles::ReadOptions options;
  options.steps = arguments.text("steps", "auto");
  if (auto ok = profiles::check_steps(options.steps); !ok) return core::fail(ok.error());
  options.rank = arguments.text("rank", "all");
  if (options.rank != "all" && !core::parse_int(options.rank)) {
    return core::fail(ErrorCode::usage, "--rank must be all or a number, not " + cited(options.rank), "the first is `--rank 0`");
  }
  options.nsys = nsys_path(context);
  options.open = capture_opener(context);
  options.stop = [&context] { return context.stop_asked(); };
  return options;
}

Expected<profiles::Digest> read_one(const std::string& path, profiles::ReadOptions options, const Context& context) {
  if (context.stop_asked()) return core::fail(cancelled_error());
  auto scratch = ScratchFolder::make(context);
  if (!scratch) return core::fail(scratch.error());
  options.scratch = scratch->path();
  return profiles::read_digest(path, options);
}

// A rank that only the file's name says. Where name and content differ the name is taken, as in a folder of ranks.
void name_rank(const std::string& path, profiles::Digest& digest) {
  if (digest.of_ranks()) return;
  if (const auto rank = profiles::rank_in_name(path.substr(path.rfind('/') + 1))) digest.job.sum.rank = *rank;
}

Expected<profiles::Digest> read_all(const std::vector<std::string>& paths, const profiles::ReadOptions& options,
                                    const Context& context) {
  profiles::DigestMerge merge;
  for (std::size_t i = 0; i < paths.size(); ++i) {
    auto digest = read_one(paths[i], options, context);
    if (!digest) return digest;
    name_rank(paths[i], *digest);
    if (paths.size() == 1) return digest;
    if (auto ok = merge.add(std::move(*digest), paths[i]); !ok) return core::fail(ok.error());
    show_progress(context, static_cast<double>(i + 1) / static_cast<double>(paths.size()), "digests");
  }
  return merge.finish(paths.front());
}

core::DigestResult told(const profiles::Digest& digest) {
  core::DigestResult out;
  const profiles::Profile& sum = digest.job.sum;
  out.format = sum.info.format;
  out.ranks = sum.info.ranks;
  if (out.ranks.empty() && sum.rank) out.ranks = {*sum.rank};
  out.rows = {{"kernels", sum.kernels.size()},
              {"communication", sum.nccl.size()},
              {"copies", sum.memory.size()},
              {"calls", sum.api.size()},
              {"marks", sum.nvtx.size()},
              {"ranges", sum.ranges.size()},
              {"gaps", sum.gaps.size()},
              {"collectives", sum.collectives.size()},
              {"instances", digest.of_ranks() ? digest.job.meetings.list.size() : sum.collective_instances.size()},
              {"frames", sum.frames.size()},
              {"metrics", sum.metrics.size()}};
  out.kernels = sum.info.kernels;
  out.kernel_ns = sum.info.kernel_ns;
  out.steps = digest.job.steps_correspond ? sum.steps.steps.size() : digest.job.slowest.steps.size();
  out.devices = sum.devices.size();
  return out;
}

Status write(const std::string& bytes, const Arguments& arguments, const Context& context, core::DigestResult& result) {
  if (!arguments.has("out")) return {};
  const std::string path = absolute(context, arguments.text("out"));
  if (context.read_only) {
    return core::fail(ErrorCode::path_not_allowed, "this server is read-only: digest writes nothing", "leave `--out` away");
  }
  const std::string question = "Write the digest of " + core::counted(result.sources.size(), "capture") + ", " +
                               std::to_string(bytes.size()) + " bytes, to " + one_line(path, 300) + "?";
  if (auto yes = confirmed(context, question); !yes) return yes;
  if (auto ok = registry::write_report(path, bytes, path_limits(context)); !ok) return ok;
  result.path = path;
  return {};
}

Expected<Outcome> run_shard(const std::vector<std::string>& paths, const Arguments& arguments, const Context& context) {
  const std::string usage = "`plumbline digest DIR --shard 0/16 --out OUT`";
  if (paths.size() != 1)
    return core::fail(ErrorCode::usage, "--shard takes one folder of captures, not " + std::to_string(paths.size()) + " paths",
                      usage);
  if (!arguments.has("out")) return core::fail(ErrorCode::usage, "--shard needs a folder for the digests: --out", usage);
  if (arguments.has("rank"))
    return core::fail(ErrorCode::usage, "--shard says which ranks: it does not go with --rank", "leave `--rank` away");
  if (context.read_only)
    return core::fail(ErrorCode::path_not_allowed, "this server is read-only: digest writes nothing", "leave `--out` away");
  auto shard = parse_shard(arguments.text("shard"), context);
  if (!shard) return core::fail(shard.error());
  auto options = read_options(arguments, context);
  if (!options) return core::fail(options.error());
  ShardRequest request{paths.front(), absolute(context, arguments.text("out")), *shard, *options};
  while (request.source.size() > 1 && request.source.ends_with('/')) request.source.pop_back();
  while (request.out.size() > 1 && request.out.ends_with('/')) request.out.pop_back();
  if (request.out == request.source) {
    return core::fail(ErrorCode::usage, "--out is the folder of the captures: digests would stand among them",
                      "name another folder: `--out OUT`");
  }
  auto result = digest_shard(request, context);
  if (!result) return core::fail(result.error());
  for (const core::RankFailure& each : result->failed) {
    result->warnings.push_back({"ranks_missing", core::cited_path(each.file) + " could not be digested: " + each.reason +
                                                     "; a record of it is in " + core::cited_path(result->path)});
  }
  Outcome outcome;
  outcome.json = reports::shard_json(*result);
  outcome.text = reports::shard_table(*result);
  outcome.warnings = warning_lines(result->warnings);
  return outcome;
}

Expected<Outcome> run_digest(const Arguments& arguments, const Context& context) {
  std::vector<std::string> paths = arguments.list("source");
  if (paths.empty())
    return core::fail(ErrorCode::usage, "digest needs a capture", "`plumbline digest CAPTURE --out capture.digest.json.gz`");
  for (std::string& path : paths) path = absolute(context, path);
  if (arguments.has("shard")) return run_shard(paths, arguments, context);
  auto options = read_options(arguments, context);
  if (!options) return core::fail(options.error());
  auto digest = read_all(paths, *options, context);
  if (!digest) return core::fail(digest.error());
  const auto bytes = profiles::digest_file(*digest);
  if (!bytes) return core::fail(bytes.error());
  core::DigestResult result = told(*digest);
  result.sources = paths;
  result.bytes = bytes->size();
  result.sha256 = registry::sha256_hex(*bytes);
  if (digest->of_ranks()) result.job = profiles::tell_ranks(digest->job);
  result.warnings = profiles::profile_of(std::move(*digest)).warnings;
  if (auto ok = write(*bytes, arguments, context, result); !ok) return core::fail(ok.error());
  Outcome outcome;
  outcome.json = reports::digest_json(result);
  outcome.text = reports::digest_table(result);
  outcome.warnings = warning_lines(result.warnings);
  return outcome;
}

}  // namespace

const Verb kDigest{
    .name = "digest",
    .tool = "",
    .tool_aliases = {},
    .library = "profile",
    .title = "Digest captures",
    .summary =
        "Write what a comparison needs from a capture, or from the ranks of a job, into one small file. Use it before the "
        "captures are deleted; profile-diff, diff, inspect and record accept the file in place of the capture.",
    .safety = "writes_artifacts",
    .destructive = false,
    .idempotent = true,
    .params =
        {
            {.name = "source",
             .kind = path_list,
             .value_name = "PATH",
             .doc = "captures, folders of ranks, digests; several are ranks of one job",
             .required = true,
             .positional = 1},
            {.name = "out",
             .kind = path,
             .value_name = "FILE",
             .doc = "where the digest goes; without it nothing is written",
             .help = "file for the digest, with --shard a folder; without it nothing is written"},
            {.name = "shard",
             .value_name = "I/N",
             .doc = "one task's share of a folder, each capture into a digest of its own",
             .help = "this task's share of a folder of captures, each into a digest of its own in --out; auto asks the scheduler",
             .page =
                 "this task's share of a folder of captures, each into a digest of its own in `--out` ([ranks](../ranks.md)): "
                 "`0/16` to `15/16`; `auto` asks Slurm or mpirun, `auto/16` Kubernetes"},
            {.name = "rank",
             .value_name = "N",
             .doc = "all (default) or one rank of a folder",
             .help = "all (default), or one rank of a folder"},
            {.name = "steps", .value_name = "HOW", .doc = "how steps are found, as in profile-diff"},
            {.name = "repo_root",
             .kind = path,
             .value_name = "DIR",
             .doc = "not used",
             .help = "not used: a digest needs no registry"},
            confirm_param(),
        },
    .output_schema = schemas::text("plumbline.result.digest.v1"),
    .examples = {"plumbline digest rank0.json.gz --out rank0.digest.json.gz", "plumbline digest traces/ --out job.digest.json.gz",
                 "plumbline digest traces/ --shard 0/16 --out digests/"},
    .run = &run_digest,
};

}  // namespace plumbline::verbs
