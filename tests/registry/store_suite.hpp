// What every store must do, whatever it keeps things in. A store's test names a factory and instantiates the suite:
//   INSTANTIATE_TEST_SUITE_P(Posix, StoreSuite, ::testing::Values(StoreFactory{"posix", &posix_store}));
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <string>

#include "registry/store.hpp"
#include "tests/registry/scratch.hpp"

namespace plumbline::registry::test {

struct StoreFactory {
  std::string name;
  std::function<std::unique_ptr<Store>(std::string root)> make;
  friend void PrintTo(const StoreFactory& factory, std::ostream* out) { *out << factory.name; }
};

class StoreSuite : public ::testing::TestWithParam<StoreFactory> {
 protected:
  Scratch scratch_;
  std::unique_ptr<Store> store_ = GetParam().make(scratch_.path());
};

TEST_P(StoreSuite, PublishesACompleteEntry) {
  const auto published = publish_entry(*store_);
  EXPECT_EQ(published.slug, slug_of(moment()));
  EXPECT_EQ(published.path, store_->directory(Kind::entry, "demo", "throughput") + "/" + published.slug);
  EXPECT_EQ(published.path, *store_->place(Kind::entry, "demo", "throughput", published.slug));
  EXPECT_TRUE(is_sha256_hex(published.sha256));
  EXPECT_TRUE(published.warnings.empty());
  ASSERT_EQ(published.files.size(), 3U);
  EXPECT_EQ(published.files[0].name, "SHA256SUMS");
  EXPECT_EQ(published.files[0].sha256, published.sha256);
  EXPECT_EQ(published.files[2].name, "source-snapshot.txt");
  EXPECT_EQ(published.files[2].bytes, 4U);
  EXPECT_EQ(published.files[2].path, published.path + "/source-snapshot.txt");
  const auto entry = store_->open(published.path, {});
  ASSERT_TRUE(entry) << entry.error().message;
  EXPECT_EQ(entry->entry_sha256, published.sha256);
  EXPECT_EQ(entry->slug, published.slug);
  EXPECT_EQ(entry->family, "demo");
  EXPECT_EQ(entry->record.value, 100);
  EXPECT_EQ(entry->snapshot, published.path + "/source-snapshot.txt");
  EXPECT_TRUE(entry->warnings.empty());
}

TEST_P(StoreSuite, ListsOldestFirstAndNothingThatIsStaged) {
  EXPECT_TRUE(store_->slugs(Kind::entry, "demo", "throughput")->empty());
  EXPECT_TRUE(store_->measurements(Kind::entry)->empty());
  const auto second = publish_entry(*store_, "demo", "throughput", moment(5));
  const auto first = publish_entry(*store_, "demo", "throughput", moment());
  publish_entry(*store_, "a", "z", moment());
  auto staging = store_->stage(Kind::entry, "demo", "throughput");
  ASSERT_TRUE((*staging)->add("baseline.json", "{}"));
  EXPECT_EQ(*store_->slugs(Kind::entry, "demo", "throughput"), (std::vector<std::string>{first.slug, second.slug}));
  EXPECT_EQ(*store_->measurements(Kind::entry),
            (std::vector<std::pair<std::string, std::string>>{{"a", "z"}, {"demo", "throughput"}}));
  EXPECT_TRUE(store_->measurements(Kind::bundle)->empty());
}

TEST_P(StoreSuite, TakesTheNextMicrosecondWhenASlugIsTaken) {
  EXPECT_EQ(publish_entry(*store_).slug, slug_of(moment()));
  EXPECT_EQ(publish_entry(*store_).slug, slug_of(moment(1)));
  EXPECT_EQ(publish_entry(*store_).slug, slug_of(moment(2)));
}

TEST_P(StoreSuite, NeverReplaces) {
  const auto published = publish_entry(*store_);
  auto staging = store_->stage(Kind::entry, "demo", "throughput");
  ASSERT_TRUE((*staging)->add("baseline.json", baseline_text("demo", "throughput", R"(,"reason":"other")")));
  const auto again = store_->publish_as(std::move(*staging), published.slug);
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().code, core::ErrorCode::already_exists);
  EXPECT_EQ(again.error().message, "registry entry already exists: " + published.path);
  EXPECT_TRUE(store_->open(published.path, {}));
  EXPECT_EQ(store_->slugs(Kind::entry, "demo", "throughput")->size(), 1U);
}

TEST_P(StoreSuite, PublishesUnderAReservedSlug) {
  auto staging = store_->stage(Kind::bundle, "adhoc", "vllm");
  ASSERT_TRUE((*staging)->add("diff.json", "{}"));
  const auto published = store_->publish_as(std::move(*staging), "20261120T150359221206Z");
  ASSERT_TRUE(published);
  EXPECT_EQ(published->path, *store_->place(Kind::bundle, "adhoc", "vllm", "20261120T150359221206Z"));
}

TEST_P(StoreSuite, RefusesUnsafeNames) {
  for (const std::string name : {"../outside", "/outside", "nested/x", "nested\\x", "", "."}) {
    EXPECT_EQ(
        store_->stage(Kind::entry, name, "m").error().message,
        "family must be one safe path segment: " + (name == "nested\\x" ? std::string("\"nested\\\\x\"") : "\"" + name + "\""));
    EXPECT_EQ(store_->place(Kind::bundle, "f", name, "s").error().code, core::ErrorCode::usage);
    EXPECT_FALSE(store_->slugs(Kind::entry, "f", name));
  }
  EXPECT_EQ(store_->directory(Kind::entry, "f", "m").rfind(scratch_.path(), 0), 0U);
}

TEST_P(StoreSuite, HashesWhileItWrites) {
  auto staging = store_->stage(Kind::bundle, "f", "m");
  const std::string large(3'500'001, 'y');
  ASSERT_TRUE((*staging)->add("large", large));
  EXPECT_EQ((*staging)->digest_of("large"), sha256_hex(large));
  ASSERT_TRUE((*staging)->add_stream("pieces/deltas.jsonl", [](const auto& write) -> core::Status {
    for (int i = 0; i < 3; ++i) {
      if (auto done = write("row\n"); !done) return done;
    }
    return {};
  }));
  EXPECT_EQ((*staging)->digest_of("pieces/deltas.jsonl"), sha256_hex("row\nrow\nrow\n"));
  const auto source = open_source(scratch_.write("current.json", "{\"a\":1}"), {});
  const auto copied = (*staging)->add_copy("current-snapshot.json", source->files[0], {});
  ASSERT_TRUE(copied);
  EXPECT_EQ(copied->sha256, sha256_hex("{\"a\":1}"));
  EXPECT_EQ(copied->bytes, 7U);
  EXPECT_EQ((*staging)->digest_of("none"), std::nullopt);
  const auto manifest = (*staging)->manifest();
  ASSERT_TRUE((*staging)->add("attest/statement.json", "{}"));
  EXPECT_EQ((*staging)->manifest(), manifest);  // what is signed does not list the signature
  const auto published = store_->publish(std::move(*staging), moment());
  ASSERT_TRUE(published);
  EXPECT_EQ(published->sha256, sha256_hex(manifest));
  EXPECT_EQ(read(published->path + "/SHA256SUMS"), manifest);
  EXPECT_EQ(read(published->path + "/large"), large);
}

TEST_P(StoreSuite, RefusesNamesThatAManifestCannotList) {
  auto staging = store_->stage(Kind::bundle, "f", "m");
  for (const std::string name : {"", "/x", "../x", "a/../x", "a//b", "line\nbreak", "back\\slash"}) {
    const auto added = (*staging)->add(name, "1");
    ASSERT_FALSE(added) << name;
    EXPECT_EQ(added.error().code, core::ErrorCode::invalid_input);
  }
  EXPECT_EQ((*staging)->add("../x", "1").error().message, "the file name \"../x\" cannot be listed in SHA256SUMS");
}

TEST_P(StoreSuite, NoticesAFileThatChangedSinceItWasLookedAt) {
  const auto source = open_source(scratch_.write("current.json", "1"), {});
  scratch_.write("current.json", "22");
  auto staging = store_->stage(Kind::bundle, "f", "m");
  const auto copied = (*staging)->add_copy("current-snapshot.json", source->files[0], {});
  ASSERT_FALSE(copied);
  EXPECT_EQ(copied.error().message, scratch_ / "current.json" + " changed while it was being read");
}

TEST_P(StoreSuite, LeavesNothingBehindWhenGivenUp) {
  const auto before = tree(scratch_.path());
  {
    auto staging = store_->stage(Kind::entry, "demo", "throughput");
    EXPECT_EQ(tree(scratch_.path()), before);  // nothing exists before the first file
    ASSERT_TRUE((*staging)->add("source-snapshot/deep/er/a", "1"));
    EXPECT_NE(tree(scratch_.path()), before);
  }
  EXPECT_EQ(tree(scratch_.path()), before);
  {
    auto staging = store_->stage(Kind::entry, "demo", "throughput");
    const auto failed = (*staging)->add_stream("deltas.jsonl", [](const auto& write) -> core::Status {
      if (auto done = write("half"); !done) return done;
      return core::fail(core::ErrorCode::cancelled, "stopped");
    });
    EXPECT_EQ(failed.error().message, "stopped");
    EXPECT_EQ((*staging)->digest_of("deltas.jsonl"), std::nullopt);
  }
  EXPECT_EQ(tree(scratch_.path()), before);
  EXPECT_EQ(store_->publish(std::move(*store_->stage(Kind::entry, "demo", "throughput")), moment()).error().message,
            "nothing was staged for publication");
  EXPECT_EQ(tree(scratch_.path()), before);
}

inline std::string acceptance_text(const core::Acceptance& a) {
  return "{\"seq\":" + std::to_string(a.seq) + ",\"family\":\"" + a.family + "\",\"measurement\":\"" + a.measurement +
         "\",\"slug\":\"" + a.slug + "\",\"reason\":\"" + a.reason +
         "\",\"previous\":" + (a.previous ? "\"" + *a.previous + "\"" : "null") + "}\n";
}

TEST_P(StoreSuite, AcceptsInSequence) {
  const auto first = publish_entry(*store_);
  const auto second = publish_entry(*store_);
  EXPECT_EQ(*store_->accepted("demo", "throughput"), std::nullopt);
  core::Acceptance acceptance;
  acceptance.family = "demo";
  acceptance.measurement = "throughput";
  acceptance.slug = first.slug;
  acceptance.reason = "first";
  ASSERT_TRUE(store_->accept(acceptance, acceptance_text));
  acceptance.slug = second.slug;
  const auto path = store_->accept(acceptance, acceptance_text);
  ASSERT_TRUE(path);
  EXPECT_EQ(*path, store_->directory(Kind::entry, "demo", "throughput") + "/accepted/000002-" + second.slug + ".json");
  const auto holds = store_->accepted("demo", "throughput");
  ASSERT_TRUE(holds && *holds);
  EXPECT_EQ((*holds)->seq, 2U);
  EXPECT_EQ((*holds)->slug, second.slug);
  EXPECT_EQ((*holds)->previous, first.slug);
  EXPECT_EQ(store_->slugs(Kind::entry, "demo", "throughput")->size(), 2U);
  acceptance.slug = "20200101T000000000000Z";
  const auto unknown = store_->accept(acceptance, acceptance_text);
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().message, "there is no entry 20200101T000000000000Z in demo/throughput");
  EXPECT_EQ(unknown.error().hint, "the newest is " + second.slug);
}

}  // namespace plumbline::registry::test
