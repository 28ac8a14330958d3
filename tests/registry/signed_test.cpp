// What the store signs when it publishes, the chain that this makes of a line, and what verification says of both.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include "registry/attest/chain.hpp"
#include "registry/attest/statement.hpp"
#include "registry/verification.hpp"
#include "tests/registry/scratch.hpp"

namespace plumbline::registry::test {
namespace {

using attest::Algorithm;
using attest::PrivateKey;

const char* const kLine = "experiments/artifacts/perf-baselines/demo/throughput";

// The key of RFC 6979 A.2.5.
constexpr std::string_view kKey =
    "-----BEGIN PRIVATE KEY-----\nMIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgya+p2EW6dRZrXCFX\n"
    "Z7HWk05Qw9s26JsSe4piKxIPZyGhRANCAARg/tS6JVqdMclh63TGNW1owEm4kjth\n"
    "+mzmaWIuYPKftnkD/hAIuLyZpBrp6VYovGTy8bIMLX6fUXejwpTURiKZ\n-----END PRIVATE KEY-----\n";

std::shared_ptr<const PrivateKey> key() { return std::make_shared<const PrivateKey>(std::move(*PrivateKey::parse(kKey, "k"))); }
std::shared_ptr<const PrivateKey> new_key(Algorithm algorithm = Algorithm::ed25519) {
  return std::make_shared<const PrivateKey>(std::move(*PrivateKey::make(algorithm)));
}

attest::Signing signing(std::shared_ptr<const PrivateKey> by) {
  attest::Claim claim;
  claim.verb = "record";
  claim.parameters = {{"family", "\"demo\""}};
  claim.dependencies = {{"source", std::string(64, 'a'), "/data/run.json"}, {"trial", "", ""}};
  claim.version = "1.2.3";
  claim.operator_user = "mara";
  claim.hostname = "node-1";
  claim.uname = "Linux node-1";
  claim.asked_at_utc = "2026-11-20T15:03:58Z";
  claim.result = {{"shape", "\"scalar\""}};
  return {std::move(by), std::move(claim)};
}

core::Expected<Published> try_to_publish(Store& store, const std::shared_ptr<const PrivateKey>& by,
                                         std::chrono::system_clock::time_point now = moment(),
                                         const std::string& content = "100\n") {
  auto staging = store.stage(Kind::entry, "demo", "throughput");
  if (auto ok = (*staging)->add("baseline.json", baseline_text()); !ok) return core::fail(ok.error());
  if (auto ok = (*staging)->add("source-snapshot.txt", content); !ok) return core::fail(ok.error());
  if (by != nullptr) (*staging)->attest(signing(by));
  return store.publish(std::move(*staging), now);
}

Published publish_signed(Store& store, const std::shared_ptr<const PrivateKey>& by,
                         std::chrono::system_clock::time_point now = moment()) {
  auto published = try_to_publish(store, by, now);
  EXPECT_TRUE(published) << published.error().message;
  return published ? *published : Published{};
}

Trust trust(const std::shared_ptr<const PrivateKey>& in) { return {{in->public_key()}}; }

std::vector<std::string> codes(const core::VerifyResult& result) {
  std::vector<std::string> out;
  for (const auto& problem : result.problems) out.emplace_back(problem.code.text());
  return out;
}

core::VerifyResult verified(const std::string& path, const Trust& by) {
  auto result = verify(path, by, {});
  EXPECT_TRUE(result) << result.error().message;
  return result ? *result : core::VerifyResult{};
}

core::VerifyResult line_verified(const Scratch& root, const Trust& by, const std::vector<core::ChainHead>* pinned = nullptr) {
  const auto lines = lines_in(root / kLine, {});
  EXPECT_TRUE(lines && *lines);
  const auto result = verify_lines(**lines, [&](const Line&) { return by; }, pinned, {});
  EXPECT_TRUE(result) << result.error().message;
  return *result;
}

TEST(Signed, PublicationsHoldTheStatementAndItsCopies) {
  const Scratch scratch;
  const auto store = posix_store(scratch.path());
  const auto published = publish_signed(*store, key());
  EXPECT_EQ(tree(published.path + "/attest"),
            (std::vector<std::string>{"pae.bin", "statement.dsse.json", "statement.json", "statement.sig"}));
  const std::string statement = read(published.path + "/attest/statement.json");
  EXPECT_EQ(read(published.path + "/attest/pae.bin"),
            "DSSEv1 28 application/vnd.in-toto+json " + std::to_string(statement.size()) + " " + statement);
  EXPECT_EQ(statement, R"({
  "_type": "https://in-toto.io/Statement/v1",
  "subject": [
    {"name": "SHA256SUMS", "digest": {"sha256": ")" +
                           published.sha256 + R"("}},
    {"name": "baseline.json", "digest": {"sha256": ")" +
                           sha256_hex(baseline_text()) + R"("}}
  ],
  "predicateType": "https://plumbline.invalid/attestation/publication/v1",
  "predicate": {
    "externalParameters": {
      "verb": "record",
      "arguments": {
        "family": "demo"
      }
    },
    "resolvedDependencies": [
      {"name": "source", "digest": {"sha256": ")" +
                           std::string(64, 'a') + R"("}, "annotations": {"path": "/data/run.json"}},
      {"name": "trial"}
    ],
    "builder": {
      "id": "https://plumbline.invalid/plumbline",
      "version": "1.2.3"
    },
    "identity": {
      "registeredBy": {
        "operatorUser": "mara"
      },
      "workstation": {
        "hostname": "node-1",
        "uname": "Linux node-1"
      }
    },
    "metadata": {
      "askedAt": "2026-11-20T15:03:58Z",
      "publishedAt": ")" + utc_text(moment()) +
                           R"("
    },
    "place": {
      "kind": "entry",
      "family": "demo",
      "measurement": "throughput",
      "slug": ")" + published.slug +
                           R"("
    },
    "result": {
      "shape": "scalar"
    },
    "chain": {
      "sequence": 1,
      "previous": null
    }
  }
}
)");
  for (const core::FileRef& file : published.files) EXPECT_EQ(sha256_hex(read(file.path)), file.sha256) << file.name;
  EXPECT_EQ(published.files.size(), 7U);
}

TEST(Signed, VerifyTellsTrustedFromUncheckedFromForged) {
  const Scratch scratch;
  const auto store = posix_store(scratch.path());
  for (const auto& by : {key(), new_key(), new_key(Algorithm::p256)}) {
    const auto published = publish_signed(*store, by);
    const auto good = verified(published.path, trust(by));
    EXPECT_TRUE(good.ok && good.is_signed && good.trusted) << codes(good).empty();
    ASSERT_TRUE(good.attested);
    EXPECT_EQ(good.attested->slug, published.slug);
    EXPECT_EQ(good.attested->operator_user, "mara");
    EXPECT_EQ(good.attested->envelope_sha256, sha256_hex(read(published.path + "/attest/statement.dsse.json")));
    const auto unchecked = verified(published.path, {});
    EXPECT_TRUE(unchecked.ok && unchecked.is_signed && !unchecked.trusted);
    ASSERT_EQ(unchecked.warnings.size(), 1U);
    EXPECT_EQ(unchecked.warnings[0].code.text(), "signature_unchecked");
    const auto others = verified(published.path, trust(new_key()));
    EXPECT_FALSE(others.ok || others.trusted);
    EXPECT_EQ(codes(others), std::vector<std::string>{"untrusted_key"});
    EXPECT_TRUE(verified(published.path, {{new_key()->public_key(), by->public_key()}}).trusted);
  }
  const auto bare = publish_signed(*store, nullptr);
  EXPECT_TRUE(verified(bare.path, {}).ok);
  EXPECT_EQ(codes(verified(bare.path, trust(key()))), std::vector<std::string>{"unsigned"});
}

TEST(Signed, TheSameInputsClockAndIdentityGiveTheSameBytes) {
  for (const auto& by : {key(), new_key()}) {
    // An ECDSA signature has a random number in it, and the next statement names it.
    const bool random = by->public_key().algorithm == Algorithm::p256;
    std::string first;
    for (int i = 0; i < 2; ++i) {
      const Scratch scratch;
      const auto store = posix_store(scratch.path());
      std::string all;
      for (int entry = 0; entry < 3; ++entry) {
        const auto published = publish_signed(*store, by);
        for (const auto& file : published.files) {
          if (!random || !file.name.starts_with("attest/")) all += file.name + " " + file.sha256 + "\n";
        }
      }
      if (i == 0) first = all;
      EXPECT_EQ(all, first);
    }
  }
}

TEST(Signed, EachNamesTheOneBeforeIt) {
  const Scratch scratch;
  const auto store = posix_store(scratch.path());
  const auto by = key();
  std::string previous;
  for (std::uint64_t sequence = 1; sequence <= 3; ++sequence) {
    if (sequence == 2) publish_signed(*store, nullptr);  // no link of the chain
    const auto published = publish_signed(*store, by);
    const auto result = verified(published.path, trust(by));
    ASSERT_TRUE(result.attested);
    EXPECT_EQ(result.attested->sequence, sequence);
    EXPECT_EQ(result.attested->previous, previous);
    previous = result.attested->envelope_sha256;
  }
  const auto line = line_verified(scratch, {});
  EXPECT_TRUE(line.ok && !line.is_signed && line.kind == "line");
  ASSERT_TRUE(line.counts);
  EXPECT_EQ(line.counts->publications, 4U);
  EXPECT_EQ(line.counts->with_signature, 3U);
  EXPECT_EQ(codes(line_verified(scratch, trust(by))), std::vector<std::string>{"unsigned"});

  const auto lines = lines_in(scratch.path(), {});
  ASSERT_TRUE(lines && *lines);
  const auto heads = chain_heads(**lines, {});
  ASSERT_TRUE(heads);
  ASSERT_EQ(heads->heads.size(), 1U);
  EXPECT_EQ(heads->heads[0].envelope_sha256, previous);
  EXPECT_EQ(heads->heads[0].sequence, 3U);
}

TEST(Signed, ManyAtOnceMakeOneChain) {
  const Scratch scratch;
  const auto by = key();
  constexpr int kWriters = 8, kEach = 3;
  std::vector<pid_t> children;
  for (int i = 0; i < kWriters; ++i) {
    const pid_t pid = ::fork();
    if (pid == 0) {
      const auto store = posix_store(scratch.path());
      bool good = true;
      for (int n = 0; n < kEach; ++n) good = good && try_to_publish(*store, i % 4 == 3 ? nullptr : by, moment(i)).has_value();
      ::_exit(good ? 0 : 1);
    }
    children.push_back(pid);
  }
  for (const pid_t pid : children) {
    int status = 0;
    ::waitpid(pid, &status, 0);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  }
  const auto line = line_verified(scratch, {});
  EXPECT_TRUE(line.ok) << (line.problems.empty() ? "" : line.problems.front().message);
  EXPECT_EQ(line.counts->publications, 24U);
  EXPECT_EQ(line.counts->with_signature, 18U);
  for (const auto& name : tree(scratch / kLine)) EXPECT_NE(name.front(), '.') << name;  // neither staging nor lock is left
}

TEST(Signed, SlugsFollowTheSequenceWhateverTheClockSays) {
  const Scratch scratch;
  const auto store = posix_store(scratch.path());
  const auto by = key();
  const auto first = publish_signed(*store, by, moment(1'000'000));
  const auto second = publish_signed(*store, by, moment());
  EXPECT_EQ(second.slug, slug_of(moment(1'000'001)));
  EXPECT_TRUE(line_verified(scratch, trust(by)).trusted);
  auto staging = store->stage(Kind::entry, "demo", "throughput");
  ASSERT_TRUE((*staging)->add("baseline.json", baseline_text()));
  (*staging)->attest(signing(by));
  const auto older = store->publish_as(std::move(*staging), slug_of(moment()));
  ASSERT_FALSE(older);
  EXPECT_EQ(older.error().code, core::ErrorCode::already_exists);
  EXPECT_EQ(older.error().message, "a signed publication comes after all that are in its line, the newest is " + second.slug);
}

TEST(Signed, NothingIsBuiltOnAnEnvelopeThatCannotBeRead) {
  const Scratch scratch;
  const auto store = posix_store(scratch.path());
  const auto first = publish_signed(*store, key());
  const std::string envelope = std::string(kLine) + "/" + first.slug + "/attest/statement.dsse.json";
  scratch.write(envelope, "{}");
  const auto before = tree(scratch.path());
  const auto second = try_to_publish(*store, key());
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().message,
            "the signed publication before this one cannot be continued: attest/statement.dsse.json: no text \"payloadType\"");
  EXPECT_EQ(tree(scratch.path()), before);
}

TEST(Signed, ALockThatAKilledSignerLeftHoldsNobodyUp) {
  const Scratch scratch;
  const auto store = posix_store(scratch.path());
  publish_signed(*store, key());
  scratch.write(std::string(kLine) + "/.attest-lock", "");
  publish_signed(*store, key());
  EXPECT_FALSE(std::filesystem::exists(scratch / kLine + "/.attest-lock"));
  EXPECT_TRUE(line_verified(scratch, trust(key())).trusted);
}

// A sequence of what was published, and what a checkpoint of it notices later.
TEST(Checkpoint, HoldsALineToItsHead) {
  const Scratch scratch;
  const auto store = posix_store(scratch.path());
  const auto by = key();
  std::vector<Published> all;
  for (int i = 0; i < 3; ++i) all.push_back(publish_signed(*store, by));
  const auto head = chain_heads(**lines_in(scratch.path(), {}), {})->heads;
  EXPECT_TRUE(line_verified(scratch, trust(by), &head).trusted);
  publish_signed(*store, by);
  EXPECT_TRUE(line_verified(scratch, trust(by), &head).trusted) << "a line may go on";
  std::filesystem::remove_all(scratch / kLine + "/" + all[2].slug);
  EXPECT_EQ(codes(line_verified(scratch, trust(by), &head)), (std::vector<std::string>{"chain_gap", "chain_gap"}));
  const auto left = *store->slugs(Kind::entry, "demo", "throughput");
  for (const std::string& slug : left) {
    if (slug > all[1].slug) std::filesystem::remove_all(scratch / kLine + "/" + slug);
  }
  EXPECT_TRUE(line_verified(scratch, trust(by)).trusted) << "without a checkpoint nobody knows that there was more";
  EXPECT_EQ(codes(line_verified(scratch, trust(by), &head)), std::vector<std::string>{"chain_truncated"});
  // Another history, signed by the same key.
  ASSERT_TRUE(try_to_publish(*store, by, moment(), "101\n"));
  EXPECT_TRUE(line_verified(scratch, trust(by)).trusted);
  EXPECT_EQ(codes(line_verified(scratch, trust(by), &head)), std::vector<std::string>{"broken_chain"});
  // The line is gone.
  std::filesystem::remove_all(scratch / kLine);
  const auto empty = verify_lines(**lines_in(scratch.path(), {}), [](const Line&) { return Trust{}; }, &head, {});
  EXPECT_EQ(codes(*empty), std::vector<std::string>{"chain_truncated"});
}

TEST(Checkpoint, IsReadAsItIsPrinted) {
  const std::string digest(64, 'a');
  const auto heads =
      parse_checkpoint("# kept by CI\n\n" + digest + "  12  bundle/adhoc/profile\n" + digest + " 1 entry/f/m\r\n", "heads");
  ASSERT_TRUE(heads) << heads.error().message;
  ASSERT_EQ(heads->size(), 2U);
  EXPECT_EQ((*heads)[0].sequence, 12U);
  EXPECT_EQ((*heads)[0].kind, "bundle");
  EXPECT_EQ((*heads)[1].measurement, "m");
  for (const std::string& line :
       {digest + "  0  entry/f/m", digest + "  1  entry/f", digest + "  1  entry/../m", digest + "  1  what/f/m",
        digest.substr(1) + "  1  entry/f/m", digest + "  1  entry/f/m more", std::string("hello")}) {
    const auto wrong = parse_checkpoint("\n" + line, "heads");
    ASSERT_FALSE(wrong) << line;
    EXPECT_EQ(wrong.error().message, "heads:2: no line of a checkpoint");
  }
}

TEST(Statement, WhatIsNoneIsSaid) {
  const Scratch scratch;
  const auto store = posix_store(scratch.path());
  const std::string good = read(publish_signed(*store, key()).path + "/attest/statement.json");
  ASSERT_TRUE(attest::parse_statement(good));
  const struct {
    std::string from, to, message;
  } cases[] = {
      {"in-toto.io/Statement/v1", "in-toto.io/Statement/v0",
       "the payload is \"https://in-toto.io/Statement/v0\", not an in-toto Statement v1"},
      {"publication/v1", "publication/v2",
       "the statement's predicate is \"https://plumbline.invalid/attestation/publication/v2\", not "
       "https://plumbline.invalid/attestation/publication/v1"},
      {"\"subject\"", "\"object\"", "no list \"subject\" of 1 to 1000 in the statement"},
      {"\"SHA256SUMS\"", "\"../SHA256SUMS\"", "a subject of the statement has no safe name"},
      {"\"SHA256SUMS\"", "\"SUMS\"", "the first subject of the statement is \"SUMS\", not SHA256SUMS"},
      {"\"digest\"", "\"digests\"", "no sha256 of the subject \"SHA256SUMS\" in the statement"},
      {"\"predicate\"", "\"predicament\"", "no object \"predicate\" in the statement"},
      {"\"place\"", "\"places\"", "no object \"place\" in the statement"},
      {"\"entry\"", "\"exit\"", "the statement's place has the kind \"exit\", not entry or bundle"},
      {"\"throughput\"", "\"../x\"", "the statement's place is no family, measurement and slug"},
      {"\"sequence\": 1", "\"sequence\": 0", "the statement's chain has no sequence from 1"},
      {"\"sequence\": 1", "\"sequence\": -1", "the statement's chain has no sequence from 1"},
      {"\"sequence\": 1", "\"sequence\": 1e300", "the statement's chain has no sequence from 1"},
      {"\"previous\"", "\"former\"", "the statement's chain does not say what was previous"},
      {"\"previous\": null", "\"previous\": \"x\"", "the statement's chain has no sha256 of the previous one"},
      {"{", "[", "not valid JSON at byte 12"},
  };
  for (const auto& one : cases) {
    std::string text = good;
    text.replace(text.find(one.from), one.from.size(), one.to);
    const auto statement = attest::parse_statement(text);
    ASSERT_FALSE(statement) << one.to;
    EXPECT_EQ(statement.error().message, one.message);
  }
}

TEST(Slugs, AreReadBackAsTheirTime) {
  EXPECT_EQ(time_of_slug(slug_of(moment())), moment());
  EXPECT_EQ(time_of_slug("20260229T000000000000Z"), std::nullopt);
  EXPECT_EQ(time_of_slug("20261301T000000000000Z"), std::nullopt);
  EXPECT_EQ(time_of_slug("hello"), std::nullopt);
}

}  // namespace
}  // namespace plumbline::registry::test
