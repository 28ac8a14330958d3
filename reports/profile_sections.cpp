#include "reports/profile_sections.hpp"

namespace plumbline::reports {
namespace {

// `write` fills the object; null where `present` is false.
template <class F>
void object_or_null(JsonWriter& out, std::string_view name, bool present, F&& write) {
  out.key(name);
  if (!present) {
    out.null();
    return;
  }
  out.begin_object();
  write();
  out.end_object();
}

template <class T, class F>
void write_list(JsonWriter& json, std::string_view name, const std::vector<T>& list, F&& write) {
  json.key(name).begin_array();
  for (const T& each : list) {
    compact(json, [&](JsonWriter& out) {
      out.begin_object();
      write(out, each);
      out.end_object();
    });
  }
  json.end_array();
}

void write_steps_side(JsonWriter& json, std::string_view name, const core::ProfileStepsSide& side) {
  json.key(name);
  compact(json, [&side](JsonWriter& out) {
    out.begin_object().field("basis", side.basis);
    text_or_null(out, "name", side.name);
    out.field("steps", side.steps).field("left_out", side.left_out);
    out.field("median_ns", side.median_ns).field("mad_ns", side.mad_ns);
    out.field("min_ns", side.min_ns).field("max_ns", side.max_ns).key("wall_ns").begin_array();
    for (const std::int64_t wall : side.wall_ns) out.value(wall);
    out.end_array().end_object();
  });
}

void write_range_side(JsonWriter& out, std::string_view name, const std::optional<core::ProfileRangeSide>& side) {
  object_or_null(out, name, side.has_value(), [&] {
    out.field("count", side->count).field("kernels", side->kernels).field("host_ns", side->host_ns);
    out.field("gpu_ns", side->gpu_ns).field("self_gpu_ns", side->self_gpu_ns);
    out.field("wall_ns", side->wall_ns).field("self_wall_ns", side->self_wall_ns);
    out.field("idle_ns", side->idle_ns).field("self_idle_ns", side->self_idle_ns);
  });
}

void write_collective_side(JsonWriter& out, std::string_view name, const std::optional<core::ProfileCollectiveSide>& side) {
  object_or_null(out, name, side.has_value(), [&] {
    out.field("count", side->count).field("total_ns", side->total_ns).field("min_ns", side->min_ns).field("max_ns", side->max_ns);
    out.key("bytes");
    if (side->bytes > 0)
      out.value(side->bytes);
    else
      out.null();
    out.field_or_null("algbw", side->algbw).field_or_null("busbw", side->busbw);
    out.field_or_null("transfer_ns", side->transfer_ns).field_or_null("wait_ns", side->wait_ns);
    out.field_or_null("slowest_rank", side->slowest_rank);
  });
}

void write_calls(JsonWriter& out, std::string_view name, const std::vector<std::pair<std::string, std::uint64_t>>& calls) {
  out.key(name).begin_object();
  for (const auto& [call, count] : calls) out.field(call, count);
  out.end_object();
}

void write_launches_side(JsonWriter& json, std::string_view name, const std::optional<core::ProfileLaunches>& side) {
  json.key(name);
  if (!side) {
    json.null();
    return;
  }
  compact(json, [&side](JsonWriter& out) {
    out.begin_object().field("launches", side->launches).field("graph_launches", side->graph_launches);
    out.field("launch_api_ns", side->launch_api_ns).field_or_null("median_delay_ns", side->median_delay_ns);
    out.field("tiny_kernels", side->tiny_kernels).field("syncs", side->syncs).field("sync_ns", side->sync_ns);
    out.field("pageable_copies", side->pageable_copies).field("pageable_bytes", side->pageable_bytes);
    out.field("allocations", side->allocations).field("frees", side->frees).field("allocation_ns", side->allocation_ns);
    write_calls(out, "sync_calls", side->sync_calls);
    write_calls(out, "allocation_calls", side->allocation_calls);
    out.field_or_null("median_launch_ns", side->median_launch_ns).field("one_off_launches", side->one_off_launches);
    out.field("one_off_ns", side->one_off_ns);
    if (side->steady_known) {
      write_calls(out, "steady_sync_calls", side->steady_sync_calls);
      write_calls(out, "steady_allocation_calls", side->steady_allocation_calls);
    }
    out.end_object();
  });
}

}  // namespace

void write_place(JsonWriter& out, const core::ProfilePlace& place) {
  object_or_null(out, "place", place.device >= 0, [&] {
    out.field("device", place.device).field("stream", place.stream);
    out.field("start_ns", place.start_ns).field("duration_ns", place.duration_ns);
  });
}

void write_buckets(JsonWriter& out, std::string_view name, const std::optional<core::ProfileBuckets>& side) {
  object_or_null(out, name, side.has_value(), [&] {
    out.field("span_ns", side->span_ns).field("compute_ns", side->compute_ns).field("exposed_comm_ns", side->exposed_comm_ns);
    out.field("exposed_copy_ns", side->exposed_copy_ns).field("idle_ns", side->idle_ns);
    out.field("hidden_comm_ns", side->hidden_comm_ns).field("hidden_copy_ns", side->hidden_copy_ns);
  });
}

void write_idle_split(JsonWriter& out, std::string_view name, const std::optional<core::ProfileBuckets>& side) {
  object_or_null(out, name, side && side->idle_split, [&] {
    const core::ProfileIdleSplit& split = *side->idle_split;
    out.field("host_ns", split.host_ns).field("sync_ns", split.sync_ns);
    out.field("launch_ns", split.launch_ns).field("other_ns", split.other_ns);
  });
}

void write_steps(JsonWriter& json, const core::ProfileDiff& diff) {
  object_or_null(json, "steps", diff.steps.has_value(), [&] {
    const core::ProfileSteps& steps = *diff.steps;
    write_steps_side(json, "baseline", steps.baseline);
    write_steps_side(json, "candidate", steps.candidate);
    json.field_or_null("delta_pct", steps.delta_pct).key("interval_pct");
    if (steps.interval_lo_pct && steps.interval_hi_pct) {
      compact(json, [&steps](JsonWriter& out) {
        out.begin_array().value(*steps.interval_lo_pct).value(*steps.interval_hi_pct).end_array();
      });
    } else {
      json.null();
    }
    json.field_or_null("mean_delta_pct", steps.mean_delta_pct).field_or_null("mean_lo_pct", steps.mean_lo_pct);
    json.field_or_null("p", steps.p).field_or_null("noise_pct", steps.noise_pct);
    write_buckets(json, "baseline_step", steps.baseline_step);
    write_buckets(json, "candidate_step", steps.candidate_step);
    json.field_or_null("baseline_in_window", steps.baseline_in_window);
    json.field_or_null("candidate_in_window", steps.candidate_in_window);
  });
}

void write_processes(JsonWriter& json, const core::ProfileDiff& diff) {
  write_list(json, "processes", diff.processes, [](JsonWriter& out, const core::ProfileProcess& each) {
    out.field("device", each.device).field("place", each.place);
    out.field_or_null("baseline_pid", each.baseline_pid).field_or_null("candidate_pid", each.candidate_pid);
    write_buckets(out, "baseline", each.baseline);
    write_buckets(out, "candidate", each.candidate);
    out.field_or_null("baseline_step_ns", each.baseline_step_ns).field_or_null("candidate_step_ns", each.candidate_step_ns);
  });
}

void write_gaps(JsonWriter& json, const core::ProfileDiff& diff) {
  const auto side = [](JsonWriter& out, std::string_view name, const std::optional<core::ProfileGapSide>& one) {
    object_or_null(out, name, one.has_value(), [&] {
      out.field("gaps", one->gaps).field("total_ns", one->total_ns).field("longest_ns", one->longest_ns);
      out.field("step_ns", one->step_ns).field_or_null("share_pct", one->share_pct);
      write_place(out, one->longest);
      text_or_null(out, "before", one->before);
      text_or_null(out, "after", one->after);
      text_or_null(out, "inside", one->inside);
    });
  };
  write_list(json, "gaps", diff.gaps, [&](JsonWriter& out, const core::ProfileGaps& each) {
    out.field("cause", each.cause);
    text_or_null(out, "what", each.what);
    side(out, "baseline", each.baseline);
    side(out, "candidate", each.candidate);
    out.field("delta_ns", each.delta_ns);
  });
}

void write_categories(JsonWriter& json, const core::ProfileDiff& diff) {
  write_list(json, "categories", diff.categories, [](JsonWriter& out, const core::ProfileCategory& each) {
    out.field("name", each.name);
    text_or_null(out, "reference_name", each.reference_name);
    out.field("baseline_ns", each.baseline_ns).field("candidate_ns", each.candidate_ns).field("delta_ns", each.delta_ns);
    out.field("work_delta_ns", each.work_delta_ns);
    out.field("baseline_count", each.baseline_count).field("candidate_count", each.candidate_count);
    object_or_null(out, "sol", !each.ceiling_key.empty(), [&] {
      out.field("ceiling_key", each.ceiling_key).field_or_null("ceiling_value", each.ceiling_value);
      text_or_null(out, "ceiling_unit", each.ceiling_unit);
      text_or_null(out, "bound", each.bound);
      text_or_null(out, "rigor", each.rigor);
      out.field_or_null("baseline_pct", each.baseline_sol_pct).field_or_null("candidate_pct", each.candidate_sol_pct);
    });
  });
}

void write_rooflines(JsonWriter& json, const core::ProfileDiff& diff) {
  const auto side = [](JsonWriter& out, std::string_view name, const std::optional<core::ProfileRooflineSide>& one) {
    object_or_null(out, name, one.has_value(), [&] {
      out.field("calls", one->calls).field("total_ns", one->total_ns).field_or_null("achieved", one->achieved);
    });
  };
  const auto percent = [](const std::optional<core::ProfileRooflineSide>& one) { return one ? one->sol_pct : std::nullopt; };
  write_list(json, "rooflines", diff.rooflines, [&](JsonWriter& out, const core::ProfileRoofline& each) {
    out.field("op", each.op).field("shape", each.shape).field("dtype", each.dtype);
    out.field("flops", each.flops).field("bytes", each.bytes).field("unit", each.unit);
    side(out, "baseline", each.baseline);
    side(out, "candidate", each.candidate);
    out.field("delta_ns", each.delta_ns);
    object_or_null(out, "sol", !each.ceiling_key.empty(), [&] {
      out.field("ceiling_key", each.ceiling_key).field_or_null("ceiling_value", each.ceiling_value);
      text_or_null(out, "ceiling_unit", each.ceiling_unit);
      text_or_null(out, "bound", each.bound);
      out.field_or_null("baseline_pct", percent(each.baseline)).field_or_null("candidate_pct", percent(each.candidate));
    });
  });
  json.field("rooflines_left_out", diff.rooflines_left_out);
}

void write_ranges(JsonWriter& json, const core::ProfileDiff& diff) {
  write_list(json, "ranges", diff.ranges, [](JsonWriter& out, const core::ProfileRange& each) {
    out.field("path", each.path).field("name", each.name).field("depth", each.depth);
    write_range_side(out, "baseline", each.baseline);
    write_range_side(out, "candidate", each.candidate);
    out.field("delta_gpu_ns", each.delta_gpu_ns).field("delta_host_ns", each.delta_host_ns);
    out.field("delta_wall_ns", each.delta_wall_ns).field_or_null("share_pct", each.share_pct).field("explains", each.explains);
  });
  object_or_null(json, "subtree", diff.subtree.has_value(), [&] {
    json.field("path", diff.subtree->path).field("delta_gpu_ns", diff.subtree->delta_gpu_ns);
    json.field("total_delta_gpu_ns", diff.subtree->total_delta_gpu_ns).field("share_pct", diff.subtree->share_pct);
  });
}

void write_collectives(JsonWriter& json, const core::ProfileDiff& diff) {
  write_list(json, "collectives", diff.collectives, [](JsonWriter& out, const core::ProfileCollective& each) {
    out.field("type", each.type);
    text_or_null(out, "size", each.size_bucket);
    text_or_null(out, "dtype", each.dtype);
    text_or_null(out, "group", each.group);
    out.field("group_size", each.group_size);
    write_collective_side(out, "baseline", each.baseline);
    write_collective_side(out, "candidate", each.candidate);
    out.field("delta_ns", each.delta_ns).field_or_null("busbw_pct", each.busbw_pct);
  });
}

void write_launches(JsonWriter& json, const core::ProfileDiff& diff) {
  object_or_null(json, "launches", diff.baseline_launches || diff.candidate_launches, [&] {
    write_launches_side(json, "baseline", diff.baseline_launches);
    write_launches_side(json, "candidate", diff.candidate_launches);
  });
}

void write_frames(JsonWriter& json, const core::ProfileDiff& diff) {
  text_or_null(json, "frames_unit", diff.frames_unit);
  write_list(json, "frames", diff.frames, [](JsonWriter& out, const core::ProfileFrame& each) {
    out.field("name", each.name).field("state", each.state);
    out.field("baseline_self", each.baseline_self).field("candidate_self", each.candidate_self);
    out.field("delta_self", each.delta_self).field("baseline_total", each.baseline_total);
    out.field("candidate_total", each.candidate_total).field("delta_total", each.delta_total);
    out.field_or_null("self_pct", each.self_pct).field("baseline_share_pct", each.baseline_share_pct);
    out.field("candidate_share_pct", each.candidate_share_pct);
  });
}

void write_metrics(JsonWriter& json, const core::ProfileDiff& diff) {
  write_list(json, "metrics", diff.metrics, [](JsonWriter& out, const core::ProfileMetric& each) {
    out.field("kernel", each.kernel);
    text_or_null(out, "shape", each.shape);
    out.field("metric", each.metric);
    text_or_null(out, "unit", each.unit);
    out.field("state", each.state).field("baseline_count", each.baseline_count).field("candidate_count", each.candidate_count);
    out.field_or_null("baseline", each.baseline).field_or_null("candidate", each.candidate);
    out.field_or_null("delta", each.delta).field_or_null("pct", each.pct);
  });
}

void write_findings(JsonWriter& json, const core::ProfileDiff& diff) {
  write_list(json, "findings", diff.findings, [](JsonWriter& out, const core::ProfileFinding& each) {
    out.field("code", each.code).field("message", each.message).key("keys").begin_array();
    for (const std::string& key : each.keys) out.value(key);
    out.end_array();
    write_place(out, each.place);
  });
}

}  // namespace plumbline::reports
