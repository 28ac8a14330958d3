#include "cli/config_file.hpp"

#include <gtest/gtest.h>

#include "cli/install.hpp"

namespace plumbline::cli {
namespace {

TEST(ChangeText, ShowsTheLinesThatDiffer) {
  EXPECT_EQ(change_text("f", "a\nb\nc\n", "a\nb\nx\nc\n"), "--- f\n+++ f\n@@ -2,0 +3,1 @@\n+x\n");
  EXPECT_EQ(change_text("f", "", "a\n"), "--- /dev/null\n+++ f\n@@ -0,0 +1,1 @@\n+a\n");
  EXPECT_EQ(change_text("f", "a\nb\n", "a\n"), "--- f\n+++ f\n@@ -2,1 +1,0 @@\n-b\n");
  EXPECT_EQ(change_text("f", "a\n", "a\n"), "");
  EXPECT_EQ(change_text("f", "  }\n", "  },\n"), "--- f\n+++ f\n@@ -1,1 +1,1 @@\n-  }\n+  },\n");
}

TEST(ChangeText, DoesNotShowTheNeighboursSecret) {
  const std::string shown = change_text("f", "  \"token\": \"s3cret\"\n", "  \"token\": \"s3cret\",\n  \"new\": 1\n");
  EXPECT_EQ(shown, "--- f\n+++ f\n@@ -1,1 +1,2 @@\n-  …\n+  …,\n+  \"new\": 1\n");
  EXPECT_EQ(change_text("f", R"({"k":"s3cret","s":{}})", R"({"k":"s3cret","s":{"new": 1}})"),
            "--- f\n+++ f\n@@ -1,1 +1,1 @@\n-…}}\n+…\"new\": 1}}\n");
}

TEST(Clients, AllHaveAUserScopeFirstAndCanBePasted) {
  const Environment home = [](std::string_view name) {
    return name == "HOME" ? std::optional<std::string>("/home/u") : std::nullopt;
  };
  for (const Client& client : clients()) {
    EXPECT_EQ(client.places.front().scope, "user") << client.name;
    EXPECT_EQ(find_client(client.name), &client);
    for (const ConfigPlace& place : client.places) {
      const auto target = config_target(client, place.scope, "/tree", home);
      ASSERT_TRUE(target) << client.name;
      const Members members = entry_members(client, {"/bin/plumbline", {"serve", "--stdio"}, {}, {}});
      const auto read = find_entry(*target, "plumbline", entry_snippet(*target, "plumbline", members));
      ASSERT_TRUE(read && *read) << client.name;
      EXPECT_EQ((*read)->size(), members.size()) << client.name;
    }
  }
}

TEST(Clients, FilesAreWhereTheClientLooks) {
  const auto file = [](std::string_view client, std::string_view scope, std::string_view variable) {
    const Environment environment = [variable](std::string_view name) {
      return name == "HOME"     ? std::optional<std::string>("/home/u")
             : name == variable ? std::optional<std::string>("/set")
                                : std::nullopt;
    };
    const auto target = config_target(*find_client(client), scope, "/tree", environment);
    return target ? target->file : "error: " + target.error().message;
  };
  EXPECT_EQ(file("claude", "user", ""), "/home/u/.claude.json");
  EXPECT_EQ(file("claude", "local", "CLAUDE_CONFIG_DIR"), "/set/.claude.json");
  EXPECT_EQ(file("claude", "project", "CLAUDE_CONFIG_DIR"), "/tree/.mcp.json");
  EXPECT_EQ(file("codex", "user", ""), "/home/u/.codex/config.toml");
  EXPECT_EQ(file("codex", "user", "CODEX_HOME"), "/set/config.toml");
  EXPECT_EQ(file("gemini", "project", ""), "/tree/.gemini/settings.json");
  EXPECT_EQ(file("cursor", "user", ""), "/home/u/.cursor/mcp.json");
  EXPECT_EQ(file("vscode", "user", ""), "/home/u/.config/Code/User/mcp.json");
  EXPECT_EQ(file("vscode", "user", "XDG_CONFIG_HOME"), "/set/Code/User/mcp.json");
  EXPECT_EQ(file("vscode", "local", ""), "error: Visual Studio Code has no scope \"local\"");
}

}  // namespace
}  // namespace plumbline::cli
