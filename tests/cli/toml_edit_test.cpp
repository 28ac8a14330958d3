#include "cli/toml_edit.hpp"

#include <gtest/gtest.h>

namespace plumbline::cli {
namespace {

const std::vector<std::string> kPath = {"mcp_servers", "plumbline"};
const Members kMembers = {{"command", "\"/p\""}, {"args", "[\"serve\", \"--stdio\"]"}};
const std::string kTable = "[mcp_servers.plumbline]\ncommand = \"/p\"\nargs = [\"serve\", \"--stdio\"]\n";

std::string with(std::string_view text, const Members& members = kMembers) {
  const auto edited = with_toml_keys(text, kPath, members);
  return edited ? *edited : "error: " + edited.error().message;
}
std::string without(std::string_view text) {
  const auto edited = without_toml_table(text, kPath);
  return edited ? *edited : "error: " + edited.error().message;
}
std::string keys(std::string_view text) {
  const auto table = toml_table(text, kPath);
  if (!table) return "error: " + table.error().message;
  if (!*table) return "(none)";
  std::string shown;
  for (const auto& [key, value] : **table) shown += key + "=" + value + ";";
  return shown;
}

TEST(TomlEdit, ANewTableGoesToTheEndAndOutAgain) {
  for (const std::string before : {"", "model = \"x\"\n", "# only a comment\n", "[a]\nb = 1\n\n[c]\nd = [\n  1, # one\n]\n"}) {
    const std::string after = with(before);
    EXPECT_EQ(after, before + (before.empty() ? "" : "\n") + kTable);
    EXPECT_EQ(without(after), before);
    EXPECT_EQ(without(before), before);
  }
  EXPECT_EQ(with("a = 1"), "a = 1\n\n" + kTable);
  EXPECT_EQ(with("a = 1\r\n").substr(0, 33), "a = 1\r\n\r\n[mcp_servers.plumbline]\r");
}

TEST(TomlEdit, SetsKeysWhereTheyStand) {
  const std::string before =
      "[mcp_servers.plumbline] # ours\n"
      "command = '/old' # why\n"
      "startup_timeout_sec = 20\n"
      "\n"
      "[mcp_servers.plumbline.env]\n"
      "A = \"1\"\n"
      "\n"
      "# next\n"
      "[z]\n";
  EXPECT_EQ(with(before),
            "[mcp_servers.plumbline] # ours\n"
            "command = \"/p\" # why\n"
            "startup_timeout_sec = 20\n"
            "args = [\"serve\", \"--stdio\"]\n"
            "\n"
            "[mcp_servers.plumbline.env]\n"
            "A = \"1\"\n"
            "\n"
            "# next\n"
            "[z]\n");
  EXPECT_EQ(keys(before), "command=\"/old\";env={\"A\":\"1\"};");
}

TEST(TomlEdit, TakesTheTableAndItsSubtablesAndKeepsWhatFollows) {
  EXPECT_EQ(without("[a]\nx = 1\n\n" + kTable + "\n[mcp_servers.plumbline.env]\nA = \"1\"\n\n# of b\n[b]\n"),
            "[a]\nx = 1\n\n# of b\n[b]\n");
  EXPECT_EQ(without("[mcp_servers.'plumbline']\ncommand = \"x\"\n"), "");
}

TEST(TomlEdit, ReadsWhatOnlyLooksLikeATable) {
  EXPECT_EQ(keys("a = \"\"\"\n[mcp_servers.plumbline]\n\"\"\"\nb = '''\n[mcp_servers.plumbline]\n'''\n"), "(none)");
  EXPECT_EQ(keys("a = [\n\"[mcp_servers.plumbline]\"\n]\n"), "(none)");
  EXPECT_EQ(keys("[ mcp_servers . \"plumbline\" ]\nargs = [ 'a', \"b\\n\" , ]\nenabled = true\n"), "args=[\"a\",\"b\\n\"];");
}

TEST(TomlEdit, RefusesWhatItCannotEditWithoutLoss) {
  EXPECT_EQ(with("[mcp_servers.plumbline]\nargs = [\n  \"a\", # why\n]\n"), "error: line 2: a comment in \"args\" would be lost");
  EXPECT_EQ(without("[mcp_servers.plumbline]\ncommand = \"x\" # why\n"),
            "error: line 1: a comment in [mcp_servers.plumbline] would be lost");
  EXPECT_EQ(without("\n[mcp_servers.plumbline]\n# why\ncommand = \"x\"\n"),
            "error: line 2: a comment in [mcp_servers.plumbline] would be lost");
  EXPECT_EQ(with("[mcp_servers]\nplumbline = { command = \"x\" }\n"),
            "error: line 2: mcp_servers.plumbline is not written as a table [mcp_servers.plumbline]");
  EXPECT_EQ(with("mcp_servers.plumbline.command = \"x\"\n"),
            "error: line 1: mcp_servers.plumbline.command is not written as a table [mcp_servers.plumbline]");
  EXPECT_EQ(with("mcp_servers = {}\n"), "error: line 1: mcp_servers is not written as a table [mcp_servers.plumbline]");
  EXPECT_EQ(with("[[mcp_servers.plumbline]]\n"), "error: line 1: [[mcp_servers.plumbline]] is an array of tables");
  EXPECT_EQ(with(kTable + kTable), "error: line 4: [mcp_servers.plumbline] is there twice");
  EXPECT_EQ(with("[mcp_servers.plumbline]\nargs = []\ncommand = \"x\"\nargs = [\"y\"]\n"), "error: line 4: args is there twice");
  EXPECT_EQ(with("[mcp_servers.plumbline.env]\nA = \"1\"\n"),
            "error: line 1: there is a subtable without [mcp_servers.plumbline]");
}

TEST(TomlEdit, SaysWhatIsWrongAndWhere) {
  EXPECT_EQ(with("a = 1\nb\n"), "error: line 2: \"=\" expected");
  EXPECT_EQ(with("a = \"x\n"), "error: line 1: a string that does not end");
  EXPECT_EQ(with("a = [1,\n2\n"), "error: line 1: a value that does not end");
  EXPECT_EQ(with("a = ]\n"), "error: line 1: a bracket too many");
  EXPECT_EQ(with("a =\n"), "error: line 1: a value expected");
  EXPECT_EQ(with("[a\n"), "error: line 1: \"]\" expected");
  EXPECT_EQ(with("[a] b\n"), "error: line 1: end of the line expected");
  EXPECT_EQ(with("a = " + std::string(1000, '[') + "\n"), "error: line 1: nested more than 200 deep");
}

}  // namespace
}  // namespace plumbline::cli
