#include "verbs/record/given_provenance.hpp"

#include <algorithm>

#include "core/citing.hpp"
#include "core/text.hpp"
#include "registry/store.hpp"

namespace plumbline::verbs {

bool is_commit(std::string_view text) {
  return text.size() >= 7 && text.size() <= 64 && std::ranges::all_of(text, [](char c) {
           return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
         });
}

std::string measured_text(std::chrono::system_clock::time_point time) {
  std::string text = registry::utc_text(time);
  const std::string micros = registry::slug_of(time).substr(15, 6);
  if (micros != "000000") text.insert(text.size() - 1, "." + micros);
  return text;
}

Expected<GivenProvenance> given_provenance(const Arguments& arguments, std::chrono::system_clock::time_point now) {
  GivenProvenance out;
  if (arguments.has("measured_at")) {
    const std::string text = arguments.text("measured_at");
    const auto time = registry::parse_time(text);
    if (!time) {
      return core::fail(ErrorCode::usage, "--measured-at is no time: " + core::cited(text),
                        "2026-11-20, 2026-11-20T15:03:59Z or 2026-11-20T16:03:59+01:00");
    }
    if (*time > now) {
      return core::fail(ErrorCode::usage, "--measured-at is in the future: " + core::cited(text),
                        "it is now " + registry::utc_text(now) + "; leave it out for what was measured just now");
    }
    out.measured_at_utc = measured_text(*time);
  }
  if (arguments.has("commit")) {
    out.commit = core::to_lower(arguments.text("commit"));
    if (!is_commit(out.commit)) {
      return core::fail(ErrorCode::usage, "--commit is no commit: " + core::cited(arguments.text("commit")),
                        "7 to 64 hexadecimal digits, as `git rev-parse HEAD` prints them");
    }
  }
  return out;
}

}  // namespace plumbline::verbs
