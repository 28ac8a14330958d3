// The sections of profile-diff.json beyond its rows: steps, ranges, collectives, launches, categories, frames, metrics, findings.
// Each writes its key into the object that is open. Internal to reports/.
#pragma once

#include <string>

#include "core/results/profile_diff.hpp"
#include "reports/json_parts.hpp"

namespace plumbline::reports {

void write_place(JsonWriter& out, const core::ProfilePlace& place);  // "place": null where it is not known
// "span_ns" … "hidden_copy_ns" of one side, or null.
void write_buckets(JsonWriter& out, std::string_view name, const std::optional<core::ProfileBuckets>& side);
void write_idle_split(JsonWriter& out, std::string_view name, const std::optional<core::ProfileBuckets>& side);

void write_processes(JsonWriter& json, const core::ProfileDiff& diff);    // "processes"
void write_gaps(JsonWriter& json, const core::ProfileDiff& diff);         // "gaps"
void write_steps(JsonWriter& json, const core::ProfileDiff& diff);        // "steps"
void write_timeline(JsonWriter& json, const core::ProfileDiff& diff);     // "timeline"
void write_categories(JsonWriter& json, const core::ProfileDiff& diff);   // "categories"
void write_rooflines(JsonWriter& json, const core::ProfileDiff& diff);    // "rooflines", "rooflines_left_out"
void write_ranges(JsonWriter& json, const core::ProfileDiff& diff);       // "ranges", "subtree"
void write_collectives(JsonWriter& json, const core::ProfileDiff& diff);  // "collectives"
void write_launches(JsonWriter& json, const core::ProfileDiff& diff);     // "launches"
void write_frames(JsonWriter& json, const core::ProfileDiff& diff);       // "frames", "frames_unit"
void write_metrics(JsonWriter& json, const core::ProfileDiff& diff);      // "metrics"
void write_findings(JsonWriter& json, const core::ProfileDiff& diff);     // "findings"

}  // namespace plumbline::reports
