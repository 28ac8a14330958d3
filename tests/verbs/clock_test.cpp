// A clock that was set back: what says so when time decides which entry is the newest, and what does not.
#include "verbs/resolving/clock.hpp"

#include "core/context.hpp"
#include "tests/verbs/registry_folder.hpp"
#include "verbs/resolving/reference.hpp"

namespace plumbline::verbs {
namespace {

const std::string kBefore = "20261120T120000000000Z";
const std::string kAhead = "20261120T140000000000Z";   // by a clock that was two hours ahead
const std::string kBack = "20261120T123000000000Z";    // after it, by the right clock
const std::string kBack2 = "20261120T124000000000Z";   // and another
const std::string kBeyond = "20261120T150000000000Z";  // once the right clock had come past it
const Moment kNow = *registry::time_of_slug("20261120T160000000000Z");

std::string after(const std::string& slug, const std::string& context = {}) {
  return R"(,"supersedes": ")" + slug + "\"" + context;
}

class Clocks : public RegistryFolder {
 protected:
  std::string said(std::string_view text, Moment now = kNow, const core::Context* current = nullptr) const {
    Context here = context();
    here.now = [now] { return now; };
    auto reference = resolve_reference(text, *store_, current, root_, {});
    if (!reference) return "error: " + reference.error().message;
    add_clock_warning(*reference, text, *store_, current, {}, here);
    for (const core::Warning& warning : reference->warnings) {
      if (warning.code.text() == "clock_set_back") return warning.message;
    }
    return "";
  }
};

TEST_F(Clocks, ASlugInTheFutureIsNoticed) {
  entry("f", "m", kBefore, "1");
  entry("f", "m", kAhead, "2", after(kBefore));
  const auto at = [](const char* slug) { return *registry::time_of_slug(slug); };
  const std::string future =
      "the newest entry of f/m, " + kAhead +
      ", lies 1 h 50 min in the future: this clock was set back, or the one that registered it was ahead. Set the clock right; "
      "f/m@SLUG chooses an entry whatever the clock says";
  for (const char* text : {"f/m", "f/m@newest"}) {
    EXPECT_EQ(said(text), "") << text;
    EXPECT_EQ(said(text, at("20261120T121000000000Z")), future) << text;
    EXPECT_EQ(said(text, at("20261120T135930000000Z")), "") << "clocks of two machines differ by half a minute: " << text;
  }
  EXPECT_EQ(said("f/m@" + kAhead, at("20261120T121000000000Z")), "") << "it was named";
  accept("f", "m", kBefore);
  EXPECT_EQ(said("f/m", at("20261120T121000000000Z")), "") << "nobody asked the clock";
}

TEST_F(Clocks, AnEntryRegisteredLaterWithAnEarlierTimeIsNotPassedOverInSilence) {
  entry("f", "m", kBefore, "1");
  entry("f", "m", kAhead, "2", after(kBefore));
  entry("f", "m", kBack, "3", after(kAhead));
  entry("f", "m", kBack2, "4", after(kAhead));
  const std::string passed = kBack2 + " was registered after " + kAhead +
                             ", and its time is 1 h 20 min earlier: a clock was set back in between. " + kAhead +
                             " was taken for the newest; the one registered last is f/m@" + kBack2;
  EXPECT_EQ(said("f/m"), passed);
  EXPECT_EQ(said("f/m@newest"), passed);
  entry("f", "m", kBeyond, "5", after(kAhead));
  EXPECT_EQ(said("f/m"), "") << "the newest is the one registered last again";
}

TEST_F(Clocks, WhatCouldNotHaveBeenChosenSaysNothing) {
  const std::string h200 = R"(,"context": {"hardware.gpu": "H200"})", b200 = R"(,"context": {"hardware.gpu": "B200"})";
  entry("f", "m", kAhead, "2", h200);
  entry("f", "m", kBack, "3", after(kAhead, b200));
  entry("f", "m", kBack2, "4", after(kAhead, b200));
  const core::Context of_h200{{"hardware.gpu", "H200"}}, of_b200{{"hardware.gpu", "B200"}};
  EXPECT_EQ(said("f/m", kNow, &of_h200), "") << "what was registered later is of another machine";
  EXPECT_EQ(said("f/m", kNow, &of_b200), "") << "of those registered after the clock went back it is the last";
  EXPECT_NE(said("f/m@newest"), "");
}

TEST_F(Clocks, CallsAtTheSameTimeAreNoClock) {
  entry("f", "m", "20261120T120000500000Z", "1");
  entry("f", "m", "20261120T120000200000Z", "2", after("20261120T120000500000Z"));
  EXPECT_EQ(said("f/m"), "");
}

TEST_F(Clocks, ARecordIsToldBeforeItSortsBehind) {
  const Moment now = *registry::time_of_slug(kBack);
  EXPECT_EQ(clock_against_record("f", "m", kBefore, now), std::nullopt);
  EXPECT_EQ(clock_against_record("f", "m", "", now), std::nullopt);
  EXPECT_EQ(
      clock_against_record("f", "m", "20261122T140001000000Z", now)->message,
      "the newest entry of f/m, 20261122T140001000000Z, lies 2 d 1 h in the future: this clock was set back, or the one that "
      "registered it was ahead. f/m@newest stays that one until then; accept this entry, or name it by its slug");
}

}  // namespace
}  // namespace plumbline::verbs
