// A registry in a folder of its own and what a server offers of it, asked directly: no session, no wire.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "schemas/schemas.hpp"
#include "server/mcp/catalogue.hpp"
#include "server/mcp/verbs/completion.hpp"
#include "server/mcp/verbs/prompts.hpp"
#include "server/mcp/verbs/resources.hpp"
#include "tests/registry/scratch.hpp"

namespace plumbline::server::mcp {

using nlohmann::json;
using registry::test::moment;

class ServedRegistry : public ::testing::Test {
 protected:
  ServedRegistry() : store_(registry::posix_store(scratch_.path())) {
    options_.cwd = scratch_.path();
    options_.repo_root = scratch_.path();
    serve();
  }

  void serve() {
    catalogue_ = {};
    offer_resources(catalogue_, options_);
    offer_prompts(catalogue_, options_);
    offer_completion(catalogue_, options_);
  }

  registry::Published entry(const std::string& family, const std::string& measurement, std::int64_t microseconds = 0,
                            const std::string& more = "") {
    return registry::test::publish_entry(*store_, family, measurement, moment(microseconds), more);
  }

  // As the older tool left them: no digests, and written at once, so that there can be hundreds. Gives the slug.
  std::string older_entry(const std::string& family, const std::string& measurement, std::int64_t microseconds) {
    const std::string slug = registry::slug_of(moment(microseconds));
    scratch_.write("experiments/artifacts/perf-baselines/" + family + "/" + measurement + "/" + slug + "/baseline.json",
                   R"({"family":")" + family + R"(","measurement":")" + measurement +
                       R"(","value":310,"unit":"GB/s","source_path":"/a","source_sha256":"","notes":""})");
    return slug;
  }

  registry::Published bundle(const std::string& family, const std::string& measurement, std::int64_t microseconds,
                             const std::vector<std::pair<std::string, std::string>>& files) {
    auto staging = store_->stage(registry::Kind::bundle, family, measurement);
    EXPECT_TRUE(staging);
    for (const auto& [name, text] : files) EXPECT_TRUE((*staging)->add(name, text));
    auto published = store_->publish(std::move(*staging), moment(microseconds));
    EXPECT_TRUE(published);
    return published ? *published : registry::Published{};
  }
  registry::Published red_bundle(std::int64_t microseconds = 50) {
    return bundle(
        "demo", "throughput", microseconds,
        {{"diff.json",
          R"({"schema":"plumbline.diff.v1","verdict":"RED","tier":"VERDICT","promote":[],"reasons":[{"code":"headline_regressed",)"
          R"("keys":["busbw"],"message":"busbw fell by 14 %"},{"code":"other","message":"later"}],"deltas_top20":[]})"},
         {"diff.md", "# RED\n"},
         {"deltas.jsonl", "{\"key\":\"a\"}\n{\"key\":\"b\"}\n"},
         {"current-snapshot/rank 0.json", "{}\n"}});
  }

  void accept(const std::string& family, const std::string& measurement, const std::string& slug, std::string sha256) {
    core::Acceptance acceptance;
    acceptance.family = family;
    acceptance.measurement = measurement;
    acceptance.slug = slug;
    acceptance.entry_sha256 = std::move(sha256);
    acceptance.reason = "test";
    const auto accepted = store_->accept(acceptance, [](const core::Acceptance& numbered) {
      return json{{"seq", numbered.seq},
                  {"family", numbered.family},
                  {"measurement", numbered.measurement},
                  {"slug", numbered.slug},
                  {"entry_sha256", numbered.entry_sha256}}
          .dump();
    });
    ASSERT_TRUE(accepted) << accepted.error().message;
  }

  // What is published is read-only; whoever tampers with it is not held up by that.
  static void overwrite(const std::string& path, const std::string& text) {
    std::filesystem::permissions(path, std::filesystem::perms::owner_all);
    std::ofstream(path) << text;
  }

  json list(std::string_view cursor = "") {
    const auto page = catalogue_.resources().list(cursor, call_);
    EXPECT_TRUE(page) << page.error().message;
    if (!page) return json::array();
    next_ = page->next;
    return json::parse("[" + page->items + "]");
  }
  json registry_list() {
    json items = list();
    items.erase(items.begin(), items.begin() + static_cast<std::ptrdiff_t>(fixed_));
    return items;
  }
  json read(std::string_view uri) {
    const ReadResult result = catalogue_.resources().read(uri, call_);
    EXPECT_FALSE(result.protocol_error) << result.protocol_error->message;
    if (result.protocol_error) return json::object();
    const json contents = json::parse(result.contents);
    EXPECT_EQ(contents.size(), 1U);
    return contents.at(0);
  }
  jsonrpc::RpcError refused(std::string_view uri) {
    const ReadResult result = catalogue_.resources().read(uri, call_);
    EXPECT_TRUE(result.protocol_error) << result.contents;
    return result.protocol_error.value_or(jsonrpc::RpcError{});
  }

  registry::test::Scratch scratch_;
  std::unique_ptr<registry::Store> store_;
  ServeOptions options_;
  Catalogue catalogue_;
  CallContext call_;
  std::string next_;                                 // cursor of the last list()
  std::size_t fixed_ = 1 + schemas::names().size();  // the ceilings and the schemas come first
};

}  // namespace plumbline::server::mcp
