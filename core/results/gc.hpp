// What gc keeps and what it takes away.
#pragma once

#include "core/results/common.hpp"

namespace plumbline::core {

struct GcPublication {
  std::string kind;  // "entry" "bundle"
  std::string family, measurement, slug, measured_at_utc;
  bool kept = true;
  std::vector<std::string> reasons;  // of those that are kept: "last 1", "monthly 2026-11", "accepted", "referenced"
  std::uint64_t bytes = 0;           // of those that go
  std::string problem;               // why it could not be removed
};
struct GcResult {
  std::string root, rule;
  bool dry_run = true;
  std::vector<GcPublication> publications;  // by kind, family and measurement, newest first
  std::uint64_t kept = 0, removed = 0, bytes = 0, failed = 0;
  std::vector<Warning> warnings;
};

}  // namespace plumbline::core
