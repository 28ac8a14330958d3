// What the index on this machine keeps of a record: everything that lists, searches, choices and exports read.
#include "registry/cache/record_text.hpp"

#include <gtest/gtest.h>

namespace plumbline::registry::cache {
namespace {

TEST(RecordText, WhatIsKeptComesBack) {
  core::BaselineRecord record;
  record.registered_at_utc = "2026-11-24T01:02:03Z";
  record.measured_at_utc = "2026-11-23T01:02:03Z";
  record.label = "nightly";
  record.reason = "because";
  record.notes = "a\nb";
  record.supersedes = "20261120T150359221206Z";
  record.source_path = "/r/in.json";
  record.source_sha256 = std::string(64, 'a');
  record.direction = "lower-is-better";
  record.unit = "ms";
  record.value = 12.5;
  record.format.name = "scalar-text";
  record.tier = core::Tier::verdict;
  record.context["hardware.gpu"] = "H100";
  record.headline = {"a.ms", "b.ms"};
  const auto back = unpack(pack(record));
  ASSERT_TRUE(back);
  EXPECT_EQ(back->registered_at_utc, record.registered_at_utc);
  EXPECT_EQ(back->measured_at_utc, record.measured_at_utc);
  EXPECT_EQ(back->label, record.label);
  EXPECT_EQ(back->reason, record.reason);
  EXPECT_EQ(back->notes, record.notes);
  EXPECT_EQ(back->supersedes, record.supersedes);
  EXPECT_EQ(back->source_path, record.source_path);
  EXPECT_EQ(back->source_sha256, record.source_sha256);
  EXPECT_EQ(back->direction, "lower-is-better") << "export and dashboards say which way is better";
  EXPECT_EQ(back->unit, record.unit);
  EXPECT_EQ(back->git_commit, std::nullopt);
  EXPECT_EQ(back->value, record.value);
  EXPECT_EQ(back->format.name, record.format.name);
  EXPECT_EQ(back->tier, record.tier);
  EXPECT_EQ(back->context, record.context);
  EXPECT_EQ(back->headline, record.headline);
}

TEST(RecordText, OtherBytesAreNoRecord) {
  core::BaselineRecord record;
  record.direction = "two-sided";
  const std::string bytes = pack(record);
  for (std::size_t cut = 0; cut < bytes.size(); ++cut) EXPECT_FALSE(unpack(std::string_view(bytes).substr(0, cut))) << cut;
  EXPECT_FALSE(unpack(bytes + "x"));
}

}  // namespace
}  // namespace plumbline::registry::cache
