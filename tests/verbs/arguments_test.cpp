// What a command line and a JSON object mean, and what is said when they mean nothing. Texts verbatim.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "verbs/verb.hpp"

namespace plumbline::verbs {
namespace {

std::vector<std::string> words(std::string_view line) {
  std::vector<std::string> all;
  std::string word;
  for (const char c : line) {
    if (c != ' ') {
      word += c;
    } else if (!word.empty()) {
      all.push_back(std::move(word));
      word.clear();
    }
  }
  if (!word.empty()) all.push_back(word);
  return all;
}

const Verb& verb(std::string_view name) {
  const Verb* found = find(name);
  EXPECT_NE(found, nullptr) << name;
  return *found;
}

// "baseline=a current=[b,c] tolerance_percent=3" in the order of names.
std::string shown(const Arguments& arguments) {
  std::string text;
  for (const auto& [name, value] : arguments.all()) {
    if (!text.empty()) text += ' ';
    text += name + "=";
    if (const auto* string = std::get_if<std::string>(&value)) text += *string;
    if (const auto* number = std::get_if<double>(&value)) text += nlohmann::json(*number).dump();
    if (const auto* whole = std::get_if<std::int64_t>(&value)) text += std::to_string(*whole);
    if (const auto* truth = std::get_if<bool>(&value)) text += *truth ? "true" : "false";
    if (const auto* list = std::get_if<std::vector<std::string>>(&value)) {
      text += '[';
      for (std::size_t i = 0; i < list->size(); ++i) text += (i == 0 ? "" : ",") + (*list)[i];
      text += ']';
    }
  }
  return text;
}

std::string parsed(std::string_view name, const std::vector<std::string>& argv) {
  const auto line = parse_command_line(verb(name), argv);
  if (!line) return "error: " + line.error().message + (line.error().hint.empty() ? "" : " / " + line.error().hint);
  return shown(line->arguments) + (line->json ? " +json" : "") + (line->help ? " +help" : "");
}

struct Case {
  std::string_view verb;
  std::string_view line;
  std::string_view meaning;
};

TEST(CommandLine, MeansWhatItSays) {
  const Case cases[] = {
      {"diff", "--baseline a --current b", "baseline=[a] current=[b]"},
      {"diff", "--baseline=a --current=b", "baseline=[a] current=[b]"},
      {"diff", "a b", "baseline=[a] current=[b]"},
      {"diff", "a b c d", "baseline=[a] current=[b,c,d] words without flag=[a,b,c,d]"},
      {"diff", "--baseline a b --current c d", "baseline=[a,b] current=[c,d]"},
      {"diff", "b --baseline a", "baseline=[a] current=[b]"},
      {"diff", "a --current b", "baseline=[a] current=[b]"},
      {"diff", "--current b c --baseline a", "baseline=[a] current=[b,c]"},
      {"diff", "--current b --current c a", "current=[b,c,a]"},
      {"diff", "--baseline a --current b --tolerance-p 3", "baseline=[a] current=[b] tolerance_percent=3.0"},
      {"diff", "a b --tolerance_percent 3", "baseline=[a] current=[b] tolerance_percent=3.0"},
      {"diff", "a b --tolerance x=5% --tolerance y=2abs", "baseline=[a] current=[b] tolerance=[x=5%,y=2abs]"},
      {"diff", "a b --tolerance=*latency*=10%", "baseline=[a] current=[b] tolerance=[*latency*=10%]"},
      {"diff", "a b --strict", "baseline=[a] current=[b] strict=true"},
      {"diff", "a b --strict=false", "baseline=[a] current=[b] strict=false"},
      {"diff", "a b --tolerance-percent 3 --tolerance-percent 4", "baseline=[a] current=[b] tolerance_percent=4.0"},
      {"diff", "a b --json", "baseline=[a] current=[b] +json"},
      {"diff", "a b --js", "baseline=[a] current=[b] +json"},
      {"diff", "-h", " +help"},
      {"diff", "a b c --help --baseline x", "baseline=[x] +help"},
      {"diff", "-- --odd b", "baseline=[--odd] current=[b]"},
      {"diff", "a -", "baseline=[a] current=[-]"},
      {"diff", "a b --report md", "baseline=[a] current=[b] report=[md]"},
      {"record", "--value -5", "value=-5.0"},
      {"record", "--value -1e-3", "value=-0.001"},
      {"record", "--value=-1e-3", "value=-0.001"},
      {"record", "--fam f --measurem m --sou s --dry", "dry_run=true family=f measurement=m source=s"},
      {"record", "--notes -5%", "notes=-5%"},
      {"record", "--trials a b --trials c --label x", "label=x trials=[a,b,c]"},
      {"record", "--repo-root /r", "repo_root=/r"},
      {"profile-diff", "a b --limit 5 --device 0 --device 1", "baseline=[a] candidate=[b] device=[0,1] limit=5"},
      {"profile-diff", "a b --json-out f --json", "baseline=[a] candidate=[b] json_out=f +json"},
      {"search", "decode --verdict red", "query=decode verdict=RED"},
  };
  for (const Case& each : cases) EXPECT_EQ(parsed(each.verb, words(each.line)), each.meaning) << each.verb << " " << each.line;
}

TEST(CommandLine, AWordWithBlanksIsAValue) {
  EXPECT_EQ(parsed("record", {"--notes", "-- as agreed"}), "notes=-- as agreed");
  EXPECT_EQ(parsed("record", {"--notes", "--no really"}), "notes=--no really");
  EXPECT_EQ(parsed("record", {"--notes=--json"}), "notes=--json");
  EXPECT_EQ(parsed("record", {"--notes", ""}), "notes=");
}

TEST(CommandLine, SaysWhatIsWrong) {
  const Case cases[] = {
      {"diff", "a b --tolerence-percent 3", R"(error: unknown flag "--tolerence-percent" / did you mean "--tolerance-percent"?)"},
      {"diff", "a b --frobnicate", R"(error: unknown flag "--frobnicate" / plumbline diff --help lists the flags)"},
      {"diff", "a b -x", R"(error: unknown flag "-x" / plumbline diff --help lists the flags)"},
      {"diff", "a b --confirm no", R"(error: unknown flag "--confirm" / plumbline diff --help lists the flags)"},
      {"diff", "a b --seal k", R"(error: unknown flag "--seal" / plumbline diff --help lists the flags)"},
      {"diff", "a b --tol 3",
       R"(error: flag "--tol" is ambiguous / it could be --tolerance-percent, --tolerance-absolute and --tolerance)"},
      {"diff", "a b --tolerance-percent five", R"(error: --tolerance-percent must be a number, not "five")"},
      {"diff", "a b --tolerance-percent nan", R"(error: --tolerance-percent must be a finite number, not "nan")"},
      {"diff", "a b --tolerance-percent", "error: --tolerance-percent needs a value: --tolerance-percent N"},
      {"diff", "a b --tolerance-percent --json",
       "error: --tolerance-percent needs a value: --tolerance-percent N / a value that starts with -- is written "
       "--tolerance-percent=VALUE"},
      {"diff", "a b --json=x", "error: --json takes no value"},
      {"diff", "a b --strict=maybe", R"(error: --strict must be true or false, not "maybe")"},
      {"diff", "a b --snapshot coppy",
       R"(error: --snapshot must be one of copy or reference, not "coppy" / did you mean "copy"?)"},
      {"diff", "a b --color pink", R"(error: --color must be one of auto, always or never, not "pink")"},
      {"diff", "a b --color", "error: --color needs a value: --color auto|always|never"},
      {"diff", "a b --as ranks", R"(error: --as must be one of trials or nodes, not "ranks")"},
      {"diff", "a --current b --format f c", R"(error: unexpected argument "c" / usage: plumbline diff REF PATH)"},
      {"record", "here", R"(error: unexpected argument "here" / record takes flags only: plumbline record --help)"},
      {"record", "--value inf", R"(error: --value must be a finite number, not "inf")"},
      {"record", "--value -inf", R"(error: --value must be a finite number, not "-inf")"},
      {"record", "--value=nan", R"(error: --value must be a finite number, not "nan")"},
      {"record", "--value 1,5", R"(error: --value must be a number, not "1,5")"},
      {"record", "--source=", "error: --source must be a path, not an empty text"},
      {"profile-diff", "a b --limit 2.5", R"(error: --limit must be a whole number, not "2.5")"},
  };
  for (const Case& each : cases) EXPECT_EQ(parsed(each.verb, words(each.line)), each.meaning) << each.verb << " " << each.line;
}

std::string from_json(std::string_view name, std::string_view json) {
  const auto arguments = parse_json_arguments(verb(name), json);
  if (!arguments)
    return "error: " + arguments.error().message + (arguments.error().hint.empty() ? "" : " / " + arguments.error().hint);
  return shown(*arguments);
}

TEST(JsonArguments, MeansWhatItSays) {
  const Case cases[] = {
      {"diff", R"({"baseline": "a", "current": ["b", "c"], "tolerance_percent": 3})",
       "baseline=[a] current=[b,c] tolerance_percent=3.0"},
      {"diff", R"({"baseline": "a", "current": "b", "tolerance_percent": "3.5"})",
       "baseline=[a] current=[b] tolerance_percent=3.5"},
      {"diff", R"({"baseline": null, "strict": true})", "strict=true"},
      {"diff", R"({"strict": "true"})", "strict=true"},
      {"diff", "{}", ""},
      {"diff", "null", ""},
      {"diff", R"({"args": null})", ""},
      {"diff", R"({"args": ["--baseline", "a", "--current", "b"]})", "baseline=[a] current=[b]"},
      {"diff", R"({"params": {"args": ["a", "b"], "allow_nonzero": true}})", "baseline=[a] current=[b]"},
      {"diff", R"({"params": "{\"args\": [\"a\", \"b\"]}"})", "baseline=[a] current=[b]"},
      {"diff", R"({"args": ["a", "b", "--tolerance-percent", "3"], "tolerance_percent": 4})",
       "baseline=[a] current=[b] tolerance_percent=4.0"},
      {"diff", R"({"args": "a"})", "baseline=[a]"},
      {"profile-diff", R"({"limit": 20.0, "device": [0, 1]})", "device=[0,1] limit=20"},
      {"record", R"({"unit": 5})", "unit=5"},
      {"accept", R"({"baseline": "a/b", "confirm": "ask"})", "baseline=a/b confirm=ask"},
  };
  for (const Case& each : cases) EXPECT_EQ(from_json(each.verb, each.line), each.meaning) << each.line;
}

TEST(JsonArguments, SaysWhatIsWrong) {
  const Case cases[] = {
      {"diff", R"({"tolerence_percent": 3})",
       R"(error: unknown parameter "tolerence_percent" / did you mean "tolerance_percent"?)"},
      {"diff", R"({"tolerance_percent": "five"})",
       R"(error: tolerance_percent must be a number, not "five" / for instance "tolerance_percent": 5)"},
      {"diff", R"({"tolerance_percent": [3]})", "tolerance_percent=3.0"},  // a list of one means one thing only
      {"diff", R"({"tolerance_percent": [3, 4]})",
       R"(error: tolerance_percent must be a number, not an array / for instance "tolerance_percent": 5)"},
      {"diff", R"({"tolerance_percent": true})",
       R"(error: tolerance_percent must be a number, not a boolean / for instance "tolerance_percent": 5)"},
      {"diff", R"({"baseline": {"a": 1}})",
       R"(error: baseline must be an array of paths, not an object / for instance "baseline": ["REF"])"},
      {"diff", R"({"current": {"a": 1}})",
       R"(error: current must be an array of paths, not an object / for instance "current": ["PATH"])"},
      {"diff", R"({"current": ["a", 1]})",
       R"(error: current must be an array of paths, but has a number in it / for instance "current": ["PATH"])"},
      {"diff", R"({"strict": 1})", R"(error: strict must be true or false, not a number / for instance "strict": true)"},
      {"diff", R"({"snapshot": "no"})",
       R"(error: snapshot must be one of copy or reference, not "no" / for instance "snapshot": "copy")"},
      {"diff", R"({"report": "md"})", "error: report is for the command line only / leave it out: the result is always JSON"},
      {"diff", R"({"native": ["rules=documented"]})",
       "error: native is for the command line only / give it as words: \"args\": [\"--native\", \"KEY=VALUE\"]"},
      {"diff", R"({"args": 5})", "error: args must be an array of texts, not a number"},
      {"diff", R"({"args": [[]]})", "error: args must be an array of texts, but has an array in it"},
      {"diff", R"({"params": 5})", "error: params must be an object, not a number"},
      {"diff", "[]", "error: arguments must be an object, not an array"},
      {"diff", "{", "error: the arguments are not valid JSON"},
      {"profile-diff", R"({"limit": 2.5})", R"(error: limit must be a whole number, not 2.5 / for instance "limit": 20)"},
      {"profile-diff", R"({"limit": 99999999999999999999})",
       R"(error: limit must be a whole number, not 100000000000000000000 / for instance "limit": 20)"},
      {"profile-diff", R"({"limit": 18446744073709551615})",
       R"(error: limit must be a whole number of at most 63 bits / for instance "limit": 20)"},
      {"record", R"({"source": "a\u0000b"})",
       R"(error: source must not contain a NUL character / for instance "source": "PATH")"},
  };
  for (const Case& each : cases) EXPECT_EQ(from_json(each.verb, each.line), each.meaning) << each.line;
}

TEST(Arguments, GettersGiveTheDefaultWhenAbsentOrOfAnotherKind) {
  Arguments arguments;
  arguments.set("text", std::string("t"));
  arguments.set("whole", std::int64_t{7});
  EXPECT_EQ(arguments.text("text", "other"), "t");
  EXPECT_EQ(arguments.text("absent", "other"), "other");
  EXPECT_EQ(arguments.number("whole"), 7.0);
  EXPECT_EQ(arguments.number("text"), std::nullopt);
  EXPECT_EQ(arguments.integer("whole"), 7);
  EXPECT_FALSE(arguments.flag("text"));
  EXPECT_TRUE(arguments.list("text").empty());
}

}  // namespace
}  // namespace plumbline::verbs
