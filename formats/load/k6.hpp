// What k6's metrics are, whichever of its outputs they come from (summaries as JSON, the points of --out json, the text at the
// end of a test): one set of keys, units and roles, so that all can be compared. Private to formats/.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "formats/declared_rows.hpp"

namespace plumbline::formats {

enum class K6Kind : std::uint8_t { trend, rate, counter, gauge };

// "http_req_duration{expected_response:true}" -> "http_req_duration"
[[nodiscard]] inline std::string_view k6_base(std::string_view metric) { return metric.substr(0, metric.find('{')); }
// Built-in trends whose values are times; of own ones the file has to say.
[[nodiscard]] bool k6_is_time(std::string_view metric);
// What is known of one statistic; nothing where only its name can say (own rates and trends without a unit).
[[nodiscard]] std::optional<Declared> k6_declared(std::string_view metric, std::string_view statistic, K6Kind kind, bool time);

// The tags of a submetric ("http_req_duration{scenario:x}") as dimensions.
[[nodiscard]] std::uint32_t k6_dims(DeclaredRows& rows, std::string_view metric);
// A threshold ("p(95)<500") on what was measured: the key of its gate, which says 1 when it was crossed.
[[nodiscard]] std::string k6_threshold_point(std::string_view metric, std::string_view expression);
// The end of every reader: headlines; and where every request failed, the times of the failures are no results.
void k6_finish(DeclaredRows& rows, std::size_t first = 0);
// Adds one statistic under "<metric>.<statistic>".
void k6_add(DeclaredRows& rows, std::string_view metric, std::string_view statistic, K6Kind kind, bool time, std::uint32_t dims,
            const Leaf& leaf);

}  // namespace plumbline::formats
