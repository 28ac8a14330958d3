// The words for idle time: a row for every cause that results may name.
#include "core/results/gap_causes.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <string>

namespace plumbline::core {
namespace {

TEST(GapCausesInWords, HaveARowForEveryCauseOfTheSchema) {
  std::ifstream in(PLUMBLINE_SOURCE "/schemas/plumbline.profile-diff.v1.json");
  const std::string schema((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  for (const std::string name :
       {"data_loading", "synchronisation", "allocation", "lock", "io", "launches", "host", "queue", "unknown"}) {
    EXPECT_NE(schema.find('"' + name + '"'), std::string::npos) << name;
    EXPECT_EQ(gap_cause(name).name, name);
  }
  EXPECT_EQ(gap_causes().size(), 10U) << "and one for short gaps";
  for (const GapCause& each : gap_causes()) {
    for (const std::string_view words : {each.brief, each.label, each.before, each.host, each.lever})
      EXPECT_FALSE(words.empty()) << each.name;
  }
}

TEST(GapCausesInWords, OfAStrangerAreThoseOfUnknown) {
  EXPECT_EQ(gap_cause("moonlight").name, "unknown");
  EXPECT_EQ(gap_cause("").brief, "short gaps");
}

}  // namespace
}  // namespace plumbline::core
