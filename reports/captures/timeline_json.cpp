// "timeline" of profile-diff.json: the typical steps of both sides, operation by operation, and what makes them differ. Bounded
// by the analysis: some 2,000 blocks a side. A block is an array, since there are so many.
#include "reports/profile_sections.hpp"

namespace plumbline::reports {
namespace {

std::string_view work_text(core::TimelineWork work) {
  switch (work) {
    case core::TimelineWork::compute:
      return "compute";
    case core::TimelineWork::communication:
      return "communication";
    case core::TimelineWork::copy:
      return "copy";
    case core::TimelineWork::host:
      break;
  }
  return "host";
}

void write_lane(JsonWriter& out, const core::TimelineLane& lane) {
  out.begin_object().field("kind", lane.host ? "thread" : "stream").field("number", lane.number);
  out.field("level", lane.level).field("together", lane.together).field("operations", lane.operations);
  out.key("busy_ns").begin_object();
  for (const core::TimelineWork work :
       {core::TimelineWork::compute, core::TimelineWork::communication, core::TimelineWork::copy, core::TimelineWork::host}) {
    if (const std::int64_t ns = lane.busy_ns[static_cast<std::size_t>(work)]; ns > 0) out.field(work_text(work), ns);
  }
  out.end_object().key("blocks").begin_array();
  for (const core::TimelineBlock& block : lane.blocks) {
    out.begin_array().value(block.start_ns).value(block.duration_ns).value(block.busy_ns).value(block.name).value(block.count);
    out.value(work_text(block.work)).end_array();
  }
  out.end_array().end_object();
}

void write_side(JsonWriter& json, std::string_view name, const std::optional<core::ProfileTimelineSide>& side) {
  json.key(name);
  if (!side) {
    json.null();
    return;
  }
  json.begin_object().field("basis", side->basis).field("step", side->step).field("of", side->of);
  json.field_or_null("rank", side->rank).field("device", side->device).field("start_ns", side->start_ns);
  json.field("wall_ns", side->wall_ns).field("idle_ns", side->idle_ns).field("operations", side->operations);
  json.field("typical_ns", side->typical_ns);
  write_strings(json, "names", side->names);
  json.key("lanes").begin_array();
  for (const core::TimelineLane& lane : side->lanes) {
    compact(json, [&lane](JsonWriter& out) { write_lane(out, lane); });
  }
  json.end_array().key("gaps").begin_array();
  for (const core::TimelineGap& gap : side->gaps) {
    compact(json, [&gap](JsonWriter& out) {
      out.begin_object().field("start_ns", gap.start_ns).field("duration_ns", gap.duration_ns);
      text_or_null(out, "cause", gap.cause);
      text_or_null(out, "what", gap.what);
      out.end_object();
    });
  }
  json.end_array().field("short_gaps", side->short_gaps).field("short_gaps_ns", side->short_gaps_ns).end_object();
}

}  // namespace

void write_timeline(JsonWriter& json, const core::ProfileDiff& diff) {
  json.key("timeline");
  if (!diff.timeline) {
    json.null();
    return;
  }
  json.begin_object();
  write_side(json, "baseline", diff.timeline->baseline);
  write_side(json, "candidate", diff.timeline->candidate);
  json.key("parts").begin_array();
  for (const core::ProfileStepPart& part : diff.timeline->parts) {
    compact(json, [&part](JsonWriter& out) {
      out.begin_object().field("kind", part.kind);
      text_or_null(out, "name", part.name);
      out.field("baseline_ns", part.baseline_ns).field("candidate_ns", part.candidate_ns).field("delta_ns", part.delta_ns());
      out.end_object();
    });
  }
  json.end_array().field("parts_together", diff.timeline->parts_together).end_object();
}

}  // namespace plumbline::reports
