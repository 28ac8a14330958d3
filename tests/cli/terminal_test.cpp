#include "cli/terminal.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <limits>
#include <map>

#include "cli/program.hpp"

namespace plumbline::cli {
namespace {

TEST(Terminal, ColourMarksAreTakenAwayAndNothingElse) {
  EXPECT_EQ(without_colour("\x1b[1;31mRED\x1b[0m done"), "RED done");
  EXPECT_EQ(without_colour("plain"), "plain");
  EXPECT_EQ(without_colour("\x1b[2K\x1b[m."), "\x1b[2K.");
  EXPECT_EQ(without_colour("cut \x1b["), "cut \x1b[");
}

using Variables = std::map<std::string, std::string, std::less<>>;
Environment environment_of(Variables variables) {
  return [variables = std::move(variables)](std::string_view name) {
    const auto found = variables.find(name);
    return found == variables.end() ? std::nullopt : std::optional<std::string>(found->second);
  };
}

TEST(Terminal, APipeHasNoColourUnlessItIsAskedFor) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const auto wants = [&](verbs::Color asked, const Variables& variables) {
    return wants_colour(ends[1], asked, environment_of(variables));
  };
  using enum verbs::Color;
  EXPECT_FALSE(wants(automatic, {{"TERM", "xterm"}}));
  EXPECT_TRUE(wants(always, {{"NO_COLOR", "1"}}));
  EXPECT_TRUE(wants(automatic, {{"CLICOLOR_FORCE", "1"}, {"TERM", "dumb"}}));
  EXPECT_FALSE(wants(automatic, {{"CLICOLOR_FORCE", "0"}}));
  EXPECT_FALSE(wants(automatic, {{"CLICOLOR_FORCE", ""}}));
  EXPECT_FALSE(wants(automatic, {{"CLICOLOR_FORCE", "1"}, {"NO_COLOR", "1"}}));
  EXPECT_FALSE(wants(never, {{"CLICOLOR_FORCE", "1"}}));
  EXPECT_FALSE(wants_ascii(ends[1], environment_of({{"LC_ALL", "C"}})));
  ::close(ends[0]);
  ::close(ends[1]);
}

TEST(Terminal, ItsWidthIsTheOneThatWasSaid) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const auto width = [&](const std::string& columns) { return answer_width(ends[1], environment_of({{"COLUMNS", columns}})); };
  EXPECT_EQ(width("120"), 120U);
  for (const char* none : {"", "wide", "0", "-5", "19", "99999999"}) EXPECT_EQ(width(none), 80U) << none;
  ::close(ends[0]);
  ::close(ends[1]);
}

TEST(Terminal, OurMarksHaveAnAsciiForm) {
  EXPECT_EQ(in_ascii("  … and 3 more rows"), "  ... and 3 more rows");
  EXPECT_EQ(in_ascii("nvjet_1…_bias → ▁▅█"), "nvjet_1~_bias > _=#");
  EXPECT_EQ(in_ascii("Größe"), "Größe");
}

TEST(Progress, FitsTheLine) {
  const auto text = [](double fraction, std::string_view message, std::size_t width, int seconds = 0) {
    return progress_text(fraction, message, std::chrono::seconds(seconds), width);
  };
  EXPECT_EQ(text(0.42, "reading a.json", 80), "reading a.json  42%");
  EXPECT_EQ(text(0.42, "reading a.json", 80, 75), "reading a.json  42%  75 s");
  EXPECT_EQ(text(-1, "reading", 80), "reading");
  EXPECT_EQ(text(std::numeric_limits<double>::quiet_NaN(), "reading", 80, 3), "reading  3 s");
  EXPECT_EQ(text(1, "reading a.json", 12), "re…on  100%");
  EXPECT_EQ(text(0, "a\nb", 80), "a b  0%");
  EXPECT_EQ(text(-1, "数据数据", 6), "数…据");
}

std::string meaning(const std::vector<std::string>& words) {
  const auto invocation = understand(words);
  if (!invocation) return "error: " + invocation.error().message;
  std::string text;
  switch (invocation->kind) {
    case Invocation::Kind::verb:
      text = invocation->verb->name;
      break;
    case Invocation::Kind::own:
    case Invocation::Kind::serve:
      text = invocation->verb->name;
      break;
    case Invocation::Kind::overview:
      text = "overview";
      break;
    case Invocation::Kind::help:
      text = "help " + std::string(invocation->verb == nullptr ? "" : invocation->verb->name);
      break;
    case Invocation::Kind::topic:
      text = "topic " + invocation->topic;
      break;
  }
  for (const auto& word : invocation->words) text += " [" + word + "]";
  return text;
}

TEST(Invocation, IsUnderstood) {
  EXPECT_EQ(meaning({}), "overview");
  EXPECT_EQ(meaning({"diff", "a", "b"}), "diff [a] [b]");
  EXPECT_EQ(meaning({"perf_baseline_diff", "a"}), "diff [a]");
  EXPECT_EQ(meaning({"perf-baseline", "diff", "a"}), "diff [a]");
  EXPECT_EQ(meaning({"perf_baseline", "record"}), "record");
  EXPECT_EQ(meaning({"profile", "profile-diff"}), "profile-diff");
  EXPECT_EQ(meaning({"profile_profile_diff"}), "profile-diff");
  EXPECT_EQ(meaning({"--repo-root", "/r", "diff", "a"}), "diff [--repo-root] [/r] [a]");
  EXPECT_EQ(meaning({"--repo-root=/r", "--json", "serve"}), "serve [--repo-root=/r] [--json]");
  EXPECT_EQ(meaning({"install", "--client", "codex"}), "install [--client] [codex]");
  EXPECT_EQ(meaning({"--json", "doctor"}), "doctor [--json]");
  EXPECT_EQ(meaning({"help", "doctor"}), "help doctor");
  EXPECT_EQ(meaning({"instal"}), R"(error: unknown command "instal")");
  EXPECT_EQ(meaning({"help", "perf-baseline", "record"}), "help record");
  EXPECT_EQ(meaning({"help"}), "help ");
  EXPECT_EQ(meaning({"--version"}), "version");
  EXPECT_EQ(meaning({"compare", "a", "b"}), R"(error: unknown command "compare")");
  EXPECT_EQ(meaning({"a.json", "runs/b"}), R"(error: "a.json" is a file, and a command comes first)");
  EXPECT_EQ(meaning({"recrd"}), R"(error: unknown command "recrd")");
  EXPECT_EQ(meaning({"--repo-root", "/r"}), "error: a command is missing");
}

}  // namespace
}  // namespace plumbline::cli
