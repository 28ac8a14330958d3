// Captures of ranks drawn from a seed: kernels, copies, calls, ranges, steps and collectives, so that no table of a digest is
// empty; and what two comparisons have to agree about.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "profiles/diff/diff.hpp"
#include "profiles/digest/digest.hpp"
#include "tests/profiles/capture_maker.hpp"

namespace plumbline::profiles::test {

// `longer`: percent that every kernel takes more.
inline Profile drawn_profile(std::uint32_t seed, int rank, int longer = 0, int steps = 6) {
  std::mt19937 random(seed * 7919 + static_cast<std::uint32_t>(rank));
  const auto upto = [&random](std::uint32_t bound) { return static_cast<std::int64_t>(random() % bound); };
  Maker maker;
  std::int64_t now = 1'000'000 + upto(1000);
  for (int step = 0; step < steps; ++step) {
    const std::int64_t from = now;
    for (int i = 0; i < 12; ++i) {
      const std::int64_t length = (500 + 97 * (i % 5) + upto(400)) * (100 + longer) / 100;
      const std::string name = i % 4 == 3 ? "elementwise_" + std::to_string(i) : "sgemm_" + std::to_string(i % 3);
      maker.range("aten::op" + std::to_string(i % 3), now - 40, now - 5);
      maker.launched(name, now - 30, now, now + length);
      now += length + 10 + upto(60);
    }
    const std::int64_t waited = 300 + upto(500);
    const std::uint32_t op = maker.op("ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevComm*)", now, now + waited, {});
    maker.capture.collectives.push_back({op, "allreduce", "Float", "dp", 1U << 20U, 4, step});
    now += waited + 20;
    const std::uint32_t shape = maker.copy_shape(4096, MemoryKind::pageable, MemoryKind::device);
    maker.op("[CUDA memcpy HtoD]", now, now + 100 + upto(50), {}, OpKind::copy, kNone, shape);
    maker.call("cudaDeviceSynchronize", now, now + 150);
    now += 400;
    maker.range("train_step", from - 60, now - 100);
  }
  // What only this rank has.
  maker.op("only_on_rank_" + std::to_string(rank), now, now + 77, {});
  maker.capture.info.format = "kineto";
  maker.capture.info.context["hardware.driver"] = "555";
  maker.capture.info.context["environment.host"] = "node" + std::to_string(rank / 2);
  maker.capture.gpus[0].name = "H100";
  maker.capture.rank = rank;
  if (rank % 2 == 0) maker.capture.warnings.push_back({"trailing_bytes", "bytes stand behind the end"});
  ReadOptions options;
  options.digest = true;
  auto profile = analyse(std::move(maker.capture), options);
  return profile ? std::move(*profile) : Profile{};
}

inline Digest drawn_digest(std::uint32_t seed, int rank, int longer = 0) { return digest_of(drawn_profile(seed, rank, longer)); }

// Everything that two captures and their digests have to say alike, in words: all but medians and standard deviations.
inline std::vector<std::string> exact_words(const core::ProfileDiff& diff) {
  std::vector<std::string> words;
  const auto say = [&words](auto... parts) {
    std::string line;
    ((line +=
      [](const auto& part) {
        if constexpr (requires { std::to_string(part); }) {
          return std::to_string(part);
        } else {
          return std::string(part);
        }
      }(parts) +
      " "),
     ...);
    words.push_back(line);
  };
  const auto maybe = [](const auto& value) { return value ? std::to_string(*value) : std::string("-"); };
  const auto buckets = [&](const char* what, const std::optional<core::ProfileBuckets>& side) {
    if (!side) return;
    const core::ProfileIdleSplit idle = side->idle_split.value_or(core::ProfileIdleSplit{-1, -1, -1, -1});
    say(what, side->span_ns, side->compute_ns, side->exposed_comm_ns, side->exposed_copy_ns, side->idle_ns, side->hidden_comm_ns,
        side->hidden_copy_ns, idle.host_ns, idle.sync_ns, idle.launch_ns, idle.other_ns);
  };
  say("verdict", static_cast<int>(diff.verdict), static_cast<int>(diff.tier), maybe(diff.wall_delta_pct), diff.wall_basis,
      maybe(diff.work_ratio), diff.work_basis, maybe(diff.matched_pct));
  for (const core::Reason& reason : diff.reasons) say("reason", reason.code.text());
  const std::pair<const char*, const std::vector<core::ProfileRow>*> tables[] = {
      {"kernel", &diff.kernels}, {"nvtx", &diff.nvtx}, {"api", &diff.cuda_api}, {"nccl", &diff.nccl}, {"memory", &diff.memory}};
  for (const auto& [what, rows] : tables) {
    for (const core::ProfileRow& row : *rows) {
      say(what, row.name, row.state, row.match_rule, row.category, row.change, row.baseline_ns, row.candidate_ns,
          maybe(row.baseline_count), maybe(row.candidate_count), row.count_effect_ns, row.duration_effect_ns,
          maybe(row.same_shape_effect_ns), maybe(row.shape_mix_effect_ns), row.slowest.device, row.slowest.stream,
          row.slowest.start_ns, row.slowest.duration_ns);
      for (const auto& side : {row.baseline, row.candidate}) {
        if (side) say("side", side->avg_ns, side->min_ns, side->max_ns, side->exclusive_ns);
      }
    }
  }
  for (const core::DeviceBuckets& each : diff.buckets) {
    say("device", each.device, each.baseline_name, each.candidate_name);
    buckets("baseline", each.baseline);
    buckets("candidate", each.candidate);
  }
  for (const core::ProfileGaps& each : diff.gaps) {
    for (const auto& side : {each.baseline, each.candidate}) {
      if (side)
        say("gap", each.cause, each.what, side->gaps, side->total_ns, side->longest_ns, side->before, side->after, side->inside);
    }
  }
  if (diff.steps) {
    for (const core::ProfileStepsSide* side : {&diff.steps->baseline, &diff.steps->candidate}) {
      say("steps", side->basis, side->name, side->steps, side->left_out, side->median_ns, side->min_ns, side->max_ns);
      for (const std::int64_t wall : side->wall_ns) say("wall", wall);
    }
    buckets("step", diff.steps->baseline_step);
    buckets("step", diff.steps->candidate_step);
  }
  for (const core::ProfileRange& each : diff.ranges) {
    for (const auto& side : {each.baseline, each.candidate}) {
      if (side) say("range", each.path, side->count, side->kernels, side->host_ns, side->gpu_ns, side->self_gpu_ns);
    }
  }
  for (const core::ProfileCollective& each : diff.collectives) {
    for (const auto& side : {each.baseline, each.candidate}) {
      if (!side) continue;
      say("collective", each.type, each.size_bucket, each.group, side->count, side->total_ns, side->min_ns, side->max_ns,
          side->bytes, maybe(side->busbw), maybe(side->transfer_ns), maybe(side->wait_ns), maybe(side->slowest_rank));
    }
  }
  for (const auto* side : {&diff.baseline_launches, &diff.candidate_launches}) {
    if (!*side) continue;
    say("launches", (*side)->launches, (*side)->graph_launches, (*side)->launch_api_ns, (*side)->tiny_kernels, (*side)->syncs,
        (*side)->sync_ns, (*side)->pageable_copies, (*side)->pageable_bytes, (*side)->allocations);
  }
  for (const core::ProfileFrame& each : diff.frames)
    say("frame", each.name, each.baseline_self, each.candidate_self, each.delta_total);
  for (const core::ProfileMetric& each : diff.metrics)
    say("metric", each.kernel, each.shape, each.metric, each.unit, maybe(each.baseline), maybe(each.candidate));
  for (const core::ProfileContributor& each : diff.contributors) say("contributor", each.kind, each.name, each.delta_ns);
  for (const core::ProfileFinding& each : diff.findings) say("finding", each.code);
  for (const core::ContextDifference& each : diff.environment_differences) say("context", each.key, each.baseline, each.current);
  return words;
}

}  // namespace plumbline::profiles::test
