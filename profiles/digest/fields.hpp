// What stands in a digest, said once for writing and for reading (writer.hpp, reader.hpp): a field more is a line here and a row
// of docs/digest.md. `io` has value() for single values, rows() for tables, whose first column is always there, and object().
// Columns: text() count() time() (not negative, at most 73 years), place() (any number), rising() (any number, written as the
// difference from the row before), real(), truth(), list() of a table in each row, part() of a table of those rows that have it,
// and what is special of an Aggregate.
#pragma once

#include "profiles/ranks/job.hpp"

namespace plumbline::profiles {

// A member, or a member of a member, of a row.
#define PLUMBLINE_FIELD(path) ([](auto& row) -> auto& { return row.path; })

template <class Columns>
void describe_share(Columns& columns) {
  columns.text("name", PLUMBLINE_FIELD(name));
  columns.count("count", PLUMBLINE_FIELD(count));
  columns.time("total_ns", PLUMBLINE_FIELD(total));
}

template <class Columns>
void describe_aggregate(Columns& columns) {
  columns.text("name", PLUMBLINE_FIELD(name));
  columns.count("count", PLUMBLINE_FIELD(aggregate.count));
  columns.time("total_ns", PLUMBLINE_FIELD(aggregate.total));
  columns.time("min_ns", PLUMBLINE_FIELD(aggregate.min));
  columns.time("max_ns", PLUMBLINE_FIELD(aggregate.max));
  columns.real("median_ns", PLUMBLINE_FIELD(aggregate.median));
  columns.real("stddev_ns", PLUMBLINE_FIELD(aggregate.stddev));
  columns.truth("has_spread", PLUMBLINE_FIELD(aggregate.has_spread));
  columns.squared_deviations("squared_deviations");
  columns.sketch("sketch", PLUMBLINE_FIELD(aggregate.sketch));
  columns.time("exclusive_ns", PLUMBLINE_FIELD(exclusive));
  columns.count("bytes", PLUMBLINE_FIELD(bytes));
  columns.place("slowest_device", PLUMBLINE_FIELD(slowest.device));
  columns.place("slowest_stream", PLUMBLINE_FIELD(slowest.stream));
  columns.place("slowest_start_ns", PLUMBLINE_FIELD(slowest.start_ns));
  columns.time("slowest_ns", PLUMBLINE_FIELD(slowest.duration_ns));
  columns.list("shapes", PLUMBLINE_FIELD(shapes), [](auto& shapes) { describe_share(shapes); });
  columns.list("parents", PLUMBLINE_FIELD(parents), [](auto& parents) { describe_share(parents); });
}

template <class Columns>
void describe_buckets(Columns& columns) {
  columns.time("span_ns", PLUMBLINE_FIELD(buckets.span_ns));
  columns.time("compute_ns", PLUMBLINE_FIELD(buckets.compute_ns));
  columns.time("exposed_comm_ns", PLUMBLINE_FIELD(buckets.exposed_comm_ns));
  columns.time("exposed_copy_ns", PLUMBLINE_FIELD(buckets.exposed_copy_ns));
  columns.time("idle_ns", PLUMBLINE_FIELD(buckets.idle_ns));
  columns.time("hidden_comm_ns", PLUMBLINE_FIELD(buckets.hidden_comm_ns));
  columns.time("hidden_copy_ns", PLUMBLINE_FIELD(buckets.hidden_copy_ns));
  columns.part("idle_split", PLUMBLINE_FIELD(buckets.idle_split), [](auto& idle) {
    idle.time("host_ns", PLUMBLINE_FIELD(host_ns));
    idle.time("sync_ns", PLUMBLINE_FIELD(sync_ns));
    idle.time("launch_ns", PLUMBLINE_FIELD(launch_ns));
    idle.time("other_ns", PLUMBLINE_FIELD(other_ns));
  });
}

template <class Columns>
void describe_device(Columns& columns) {
  columns.place("device", PLUMBLINE_FIELD(device));
  columns.text("name", PLUMBLINE_FIELD(name));
  describe_buckets(columns);
  columns.list("processes", PLUMBLINE_FIELD(processes), [](auto& processes) {
    processes.place("process", PLUMBLINE_FIELD(process));
    describe_buckets(processes);
    processes.numbers("steps_ns", PLUMBLINE_FIELD(steps_ns));
  });
}

template <class Columns>
void describe_step(Columns& columns) {
  columns.time("wall_ns", PLUMBLINE_FIELD(wall_ns));
  columns.place("start_ns", PLUMBLINE_FIELD(start));
  columns.place("device", PLUMBLINE_FIELD(device));
  columns.count("kernels", PLUMBLINE_FIELD(kernels));
  describe_buckets(columns);
}

template <class Columns>
void describe_gap(Columns& columns) {
  columns.text("cause", PLUMBLINE_FIELD(cause));
  columns.text("what", PLUMBLINE_FIELD(what));
  columns.count("gaps", PLUMBLINE_FIELD(side.gaps));
  columns.time("total_ns", PLUMBLINE_FIELD(side.total_ns));
  columns.time("step_ns", PLUMBLINE_FIELD(side.step_ns));
  columns.time("longest_ns", PLUMBLINE_FIELD(side.longest_ns));
  columns.place("longest_device", PLUMBLINE_FIELD(side.longest.device));
  columns.place("longest_stream", PLUMBLINE_FIELD(side.longest.stream));
  columns.place("longest_start_ns", PLUMBLINE_FIELD(side.longest.start_ns));
  columns.time("longest_duration_ns", PLUMBLINE_FIELD(side.longest.duration_ns));
  columns.text("before", PLUMBLINE_FIELD(side.before));
  columns.text("after", PLUMBLINE_FIELD(side.after));
  columns.text("inside", PLUMBLINE_FIELD(side.inside));
}

template <class Columns>
void describe_range(Columns& columns) {
  columns.text("name", PLUMBLINE_FIELD(name));
  columns.number("parent", PLUMBLINE_FIELD(parent));
  columns.text("kind", PLUMBLINE_FIELD(kind));
  columns.count("count", PLUMBLINE_FIELD(count));
  columns.count("kernels", PLUMBLINE_FIELD(kernels));
  columns.time("host_ns", PLUMBLINE_FIELD(host_ns));
  columns.time("gpu_ns", PLUMBLINE_FIELD(gpu_ns));
  columns.time("self_gpu_ns", PLUMBLINE_FIELD(self_gpu_ns));
  columns.time("wall_ns", PLUMBLINE_FIELD(wall_ns));
  columns.time("self_wall_ns", PLUMBLINE_FIELD(self_wall_ns));
  columns.time("idle_ns", PLUMBLINE_FIELD(idle_ns));
  columns.time("self_idle_ns", PLUMBLINE_FIELD(self_idle_ns));
}

// Bandwidths are made of these when a digest is read, waiting of the meetings.
template <class Columns>
void describe_collective(Columns& columns) {
  columns.text("type", PLUMBLINE_FIELD(type));
  columns.text("size_bucket", PLUMBLINE_FIELD(size_bucket));
  columns.text("dtype", PLUMBLINE_FIELD(dtype));
  columns.text("group", PLUMBLINE_FIELD(group));
  columns.number("group_size", PLUMBLINE_FIELD(group_size));
  columns.count("count", PLUMBLINE_FIELD(side.count));
  columns.time("total_ns", PLUMBLINE_FIELD(side.total_ns));
  columns.time("min_ns", PLUMBLINE_FIELD(side.min_ns));
  columns.time("max_ns", PLUMBLINE_FIELD(side.max_ns));
  columns.count("bytes", PLUMBLINE_FIELD(side.bytes));
}

template <class Columns>
void describe_instance(Columns& columns) {
  columns.number("collective", PLUMBLINE_FIELD(kind));
  columns.place("sequence", PLUMBLINE_FIELD(sequence));
  columns.number("occurrence", PLUMBLINE_FIELD(occurrence));
  columns.time("duration_ns", PLUMBLINE_FIELD(duration));
  columns.rising("end_ns", PLUMBLINE_FIELD(end));
  columns.place("own_ns", PLUMBLINE_FIELD(own));
}

template <class Columns>
void describe_meeting(Columns& columns) {
  columns.time("shortest_ns", PLUMBLINE_FIELD(shortest));
  columns.number("stream", PLUMBLINE_FIELD(stream));
  columns.place("sequence", PLUMBLINE_FIELD(sequence));
  columns.number("occurrence", PLUMBLINE_FIELD(occurrence));
  columns.number("last_rank", PLUMBLINE_FIELD(last_rank));
  columns.truth("tie", PLUMBLINE_FIELD(tie));
  const auto part = [](auto& parts, auto kind, auto ranks, auto time) {
    parts.number("collective", kind);
    parts.number("ranks", ranks);
    parts.time("time_ns", time);
  };
  part(columns, PLUMBLINE_FIELD(part.kind), PLUMBLINE_FIELD(part.ranks), PLUMBLINE_FIELD(part.time));
  columns.list("others", PLUMBLINE_FIELD(others),
               [&part](auto& others) { part(others, PLUMBLINE_FIELD(kind), PLUMBLINE_FIELD(ranks), PLUMBLINE_FIELD(time)); });
  columns.place("step", PLUMBLINE_FIELD(step));
  columns.list("arrivals", PLUMBLINE_FIELD(arrivals), [](auto& arrivals) {
    arrivals.number("rank", PLUMBLINE_FIELD(rank));
    arrivals.rising("end_ns", PLUMBLINE_FIELD(end));
    arrivals.place("own_ns", PLUMBLINE_FIELD(own));
  });
}

template <class Io, class S>  // Steps
void describe_steps(Io& io, S& steps) {
  io.text("basis", steps.basis);
  io.text("name", steps.name);
  io.count("left_out", steps.left_out);
  io.rows("steps", steps.steps, [](auto& columns) { describe_step(columns); });
}

template <class Io, class Launches, class Spread>  // core::ProfileLaunches, Sketch
void describe_launches(Io& io, Launches& launches, Spread& delays, Spread& costs) {
  io.count("launches", launches.launches);
  io.count("graph_launches", launches.graph_launches);
  io.time("launch_api_ns", launches.launch_api_ns);
  io.real("median_delay_ns", launches.median_delay_ns);
  io.sketch("delays", delays);
  io.real("median_launch_ns", launches.median_launch_ns);
  io.sketch("costs", costs);
  io.count("one_off_launches", launches.one_off_launches);
  io.time("one_off_ns", launches.one_off_ns);
  io.count("tiny_kernels", launches.tiny_kernels);
  io.count("syncs", launches.syncs);
  io.time("sync_ns", launches.sync_ns);
  io.count("pageable_copies", launches.pageable_copies);
  io.count("pageable_bytes", launches.pageable_bytes);
  io.count("allocations", launches.allocations);
  io.count("frees", launches.frees);
  io.time("allocation_ns", launches.allocation_ns);
  const auto calls = [](auto& columns) {
    columns.text("name", PLUMBLINE_FIELD(first));
    columns.count("count", PLUMBLINE_FIELD(second));
  };
  io.rows("sync_calls", launches.sync_calls, calls);
  io.rows("allocation_calls", launches.allocation_calls, calls);
  io.truth("steady_known", launches.steady_known);
  io.rows("steady_sync_calls", launches.steady_sync_calls, calls);
  io.rows("steady_allocation_calls", launches.steady_allocation_calls, calls);
}

template <class Io, class P>  // Profile
void describe_profile(Io& io, P& profile) {
  io.text("format", profile.info.format);
  io.text("version", profile.info.version);
  io.time("rank", profile.rank);
  io.numbers("ranks", profile.info.ranks);
  io.count("kernel_count", profile.info.kernels);
  io.time("span_ns", profile.info.span_ns);
  io.count("streams", profile.streams);
  io.text("graph_mode", profile.graph_mode);
  io.map("context", profile.info.context);
  io.map("private_rows", profile.private_rows);
  io.count("environment_rows", profile.environment_rows);
  const auto aggregates = [](auto& columns) { describe_aggregate(columns); };
  io.rows("kernels", profile.kernels, aggregates);
  io.rows("communication", profile.nccl, aggregates);
  io.rows("copies", profile.memory, aggregates);
  io.rows("calls", profile.api, aggregates);
  io.rows("marks", profile.nvtx, aggregates);
  io.rows("devices", profile.devices, [](auto& columns) { describe_device(columns); });
  io.rows("gaps", profile.gaps, [](auto& columns) { describe_gap(columns); });
  io.time("gap_steps_ns", profile.gap_steps_ns);
  io.object("steps", [&](auto& steps) { describe_steps(steps, profile.steps); });
  io.rows("ranges", profile.ranges, [](auto& columns) { describe_range(columns); });
  io.part("marked_work", profile.marked_work, [](auto& part, auto& marks) {
    part.count("steps", marks.steps);
    part.count("prefill", marks.prefill);
    part.count("decode", marks.decode);
    part.count("mixed", marks.mixed);
    part.real("batch", marks.batch);
    part.real("tokens", marks.tokens);
    part.count("batch_steps", marks.batch_steps);
    part.count("token_steps", marks.token_steps);
    part.text("example", marks.example);
  });
  io.rows("operators", profile.op_work, [](auto& columns) {
    columns.text("op", PLUMBLINE_FIELD(op));
    columns.text("shape", PLUMBLINE_FIELD(shape));
    columns.text("dtype", PLUMBLINE_FIELD(dtype));
    columns.real("flops", PLUMBLINE_FIELD(flops));
    columns.real("bytes", PLUMBLINE_FIELD(bytes));
    columns.count("calls", PLUMBLINE_FIELD(calls));
    columns.time("total_ns", PLUMBLINE_FIELD(total));
    columns.text("kernel", PLUMBLINE_FIELD(kernel));
  });
  io.rows("collectives", profile.collectives, [](auto& columns) { describe_collective(columns); });
  io.number("instances_level", profile.instances_level);
  io.rows("instances", profile.collective_instances, [](auto& columns) { describe_instance(columns); });
  io.part("launches", profile.launches, [&profile](auto& part, auto& launches) {
    describe_launches(part, launches, profile.launch_delays, profile.launch_costs);
  });
  io.text("frames_unit", profile.frames_unit);
  io.text("frames_kind", profile.frames_kind);
  io.time("frames_duration_ns", profile.frames_duration_ns);
  io.count("frames_samples", profile.frames_samples);
  io.rows("frames", profile.frames, [](auto& columns) {
    columns.text("name", PLUMBLINE_FIELD(name));
    columns.time("self", PLUMBLINE_FIELD(self));
    columns.time("total", PLUMBLINE_FIELD(total));
  });
  io.rows("metrics", profile.metrics, [](auto& columns) {
    columns.text("kernel", PLUMBLINE_FIELD(kernel));
    columns.text("shape", PLUMBLINE_FIELD(shape));
    columns.text("metric", PLUMBLINE_FIELD(metric));
    columns.text("unit", PLUMBLINE_FIELD(unit));
    columns.reals("values", PLUMBLINE_FIELD(values));
  });
  io.rows("warnings", profile.warnings, [](auto& columns) {
    columns.code("code", PLUMBLINE_FIELD(code));
    columns.text("message", PLUMBLINE_FIELD(message));
  });
}

// What a job has besides its sum.
template <class Io, class J>  // Job
void describe_job(Io& io, J& job) {
  io.rows("said", job.said, [](auto& columns) {
    columns.code("code", PLUMBLINE_FIELD(code));
    columns.text("message", PLUMBLINE_FIELD(message));
    columns.time("place", PLUMBLINE_FIELD(place));
    columns.numbers("ranks", PLUMBLINE_FIELD(ranks));
  });
  io.texts("disagreeing", job.disagreeing);
  io.map("gpus", job.gpus);
  io.count("gpu_count", job.gpu_count);
  io.truth("steps_correspond", job.steps_correspond);
  io.object("slowest_steps", [&](auto& steps) { describe_steps(steps, job.slowest); });
  io.time("slowest_rank", job.slowest_rank);
  io.rows("meeting_streams", job.meetings.streams, [](auto& columns) {
    columns.text("type", PLUMBLINE_FIELD(type));
    columns.text("group", PLUMBLINE_FIELD(group));
  });
  io.rows("meetings", job.meetings.list, [](auto& columns) { describe_meeting(columns); });
  io.rows("in_order", job.meetings.in_order, [](auto& columns) {
    columns.number("collective", PLUMBLINE_FIELD(kind));
    columns.number("ranks", PLUMBLINE_FIELD(ranks));
    columns.count("instances", PLUMBLINE_FIELD(instances));
    columns.truth("even", PLUMBLINE_FIELD(even));
  });
  io.number("meetings_level", job.meetings.level);
  io.number("arrivals_level", job.meetings.arrivals_level);
  io.rows("failed", job.failed, [](auto& columns) {
    columns.text("file", PLUMBLINE_FIELD(file));
    columns.place("rank", PLUMBLINE_FIELD(rank));
    columns.text("code", PLUMBLINE_FIELD(code));
    columns.text("reason", PLUMBLINE_FIELD(reason));
  });
}

#undef PLUMBLINE_FIELD

}  // namespace plumbline::profiles
