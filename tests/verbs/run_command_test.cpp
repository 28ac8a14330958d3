// What is printed and which exit status follows, for every way a verb can end.
#include <gtest/gtest.h>

#include <new>
#include <stdexcept>

#include "verbs/verb.hpp"

namespace plumbline::verbs {
namespace {

Verb verb_that(Expected<Outcome> (*run)(const Arguments&, const Context&)) {
  Verb verb;
  verb.name = "probe";
  verb.summary = "A probe. For tests.";
  verb.params = {{.name = "number", .kind = ParamKind::number, .value_name = "N", .doc = "a number"}};
  verb.run = run;
  return verb;
}

CommandOutcome run(const Verb& verb, const std::vector<std::string>& argv = {}) { return run_command(verb, argv, Context()); }

Expected<Outcome> succeed(const Arguments&, const Context&) {
  Outcome outcome;
  outcome.json = "{\"schema\": \"x\"}\n";
  outcome.text = "a table";
  return outcome;
}
Expected<Outcome> succeed_with_report(const Arguments&, const Context&) {
  Outcome outcome;
  outcome.json = "{}\n";
  outcome.text = "a table\n";
  outcome.report_text = "# a report\n";
  outcome.warnings = {"first: one", "second: two\nlines"};
  return outcome;
}
Expected<Outcome> trip(const Arguments&, const Context&) {
  Outcome outcome;
  outcome.json = "{}\n";
  outcome.text = "RED\n";
  outcome.gate_tripped = true;
  outcome.gate_message = "red: verdict is RED on busbw";
  return outcome;
}

TEST(RunCommand, PrintsTheTextOrTheDocument) {
  const Verb verb = verb_that(&succeed);
  EXPECT_EQ(run(verb).out, "a table\n");
  EXPECT_EQ(run(verb, {"--json"}).out, "{\"schema\": \"x\"}\n");
  EXPECT_EQ(run(verb).json, "{\"schema\": \"x\"}\n");
  EXPECT_EQ(run(verb).exit_status, 0);
  EXPECT_EQ(run(verb).err, "");
}

TEST(RunCommand, AReportReplacesTheTextAndWarningsAreLines) {
  const auto outcome = run(verb_that(&succeed_with_report));
  EXPECT_EQ(outcome.out, "# a report\n");
  EXPECT_EQ(outcome.err, "plumbline: warning: first: one\nplumbline: warning: second: two lines\n");
  EXPECT_EQ(run(verb_that(&succeed_with_report), {"--json"}).out, "{}\n");
}

TEST(RunCommand, ATrippedGateIsOne) {
  const auto outcome = run(verb_that(&trip), {"--json"});
  EXPECT_EQ(outcome.exit_status, 1);
  EXPECT_EQ(outcome.out, "{}\n");
  EXPECT_EQ(outcome.err, "plumbline: gate: red: verdict is RED on busbw\n");
}

TEST(RunCommand, HelpGoesToStandardOutput) {
  const auto outcome = run(verb_that(&trip), {"--help"});
  EXPECT_EQ(outcome.exit_status, 0);
  EXPECT_EQ(outcome.err, "");
  EXPECT_TRUE(
      outcome.out.starts_with("Usage: plumbline probe [flags]\n\nA probe. For tests.\n\nFLAGS\n  --number N    a number\n"))
      << outcome.out;
  EXPECT_NE(outcome.out.find("EXIT STATUS\n  0 "), std::string::npos);
}

TEST(RunCommand, AUsageErrorPrintsNothingOnStandardOutput) {
  const auto outcome = run(verb_that(&succeed), {"--numbr", "5", "--json"});
  EXPECT_EQ(outcome.exit_status, 2);
  EXPECT_EQ(outcome.out, "");
  EXPECT_EQ(outcome.json, "");
  EXPECT_EQ(outcome.err, "plumbline: error: unknown flag \"--numbr\"\nhint: did you mean \"--number\"?\n");
}

TEST(RunCommand, AnExceptionIsAFaultOfOurs) {
  const auto outcome =
      run(verb_that([](const Arguments&, const Context&) -> Expected<Outcome> { throw std::runtime_error("odd"); }));
  EXPECT_EQ(outcome.exit_status, 70);
  EXPECT_EQ(outcome.err,
            "plumbline: error: internal error: odd\n"
            "hint: this is a fault in plumbline: please report it (plumbline bug-report -- COMMAND)\n");
  EXPECT_EQ(run(verb_that([](const Arguments&, const Context&) -> Expected<Outcome> { throw 5; })).exit_status, 70);
  EXPECT_EQ(run(verb_that([](const Arguments&, const Context&) -> Expected<Outcome> { throw std::bad_alloc(); })).err,
            "plumbline: error: not enough memory for this input\n");
}

TEST(ExitStatus, FollowsTheCode) {
  for (const auto code : {ErrorCode::usage, ErrorCode::invalid_input, ErrorCode::not_found, ErrorCode::shape_mismatch,
                          ErrorCode::no_matching_baseline, ErrorCode::path_not_allowed, ErrorCode::provenance_mismatch,
                          ErrorCode::already_exists, ErrorCode::limit_exceeded, ErrorCode::cancelled}) {
    EXPECT_EQ(exit_status(code), 2);
  }
  EXPECT_EQ(exit_status(ErrorCode::environment), 3);
  EXPECT_EQ(exit_status(ErrorCode::missing_helper), 3);
  EXPECT_EQ(exit_status(ErrorCode::internal), 70);
}

TEST(ErrorText, NamesThePlaceUnlessTheMessageDoes) {
  EXPECT_EQ(error_text({ErrorCode::invalid_input, "expected a value", "", "a.json:3:7"}),
            "plumbline: error: a.json:3:7: expected a value\n");
  EXPECT_EQ(error_text({ErrorCode::not_found, "there is no a.json", "look again", "a.json"}),
            "plumbline: error: there is no a.json\nhint: look again\n");
  EXPECT_EQ(error_text({ErrorCode::not_found, "a\nb\x1b[31m", "", ""}), "plumbline: error: a b\uFFFD[31m\n");
}

TEST(Version, IsTheProjectsVersion) { EXPECT_EQ(version(), PLUMBLINE_VERSION); }

}  // namespace
}  // namespace plumbline::verbs
