// The token file, looking tokens up, and the Authorization header.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <thread>

#include "registry/files.hpp"
#include "server/access/tokens.hpp"
#include "tests/registry/scratch.hpp"

namespace plumbline::server::access {
namespace {

using registry::test::Scratch;
using testing::HasSubstr;
using testing::Not;

const std::string kCi = "ci-token-0123456789";
const std::string kDesk = "desk-token-987654321";

std::string secret_file(const Scratch& folder, std::string_view text) {
  const std::string path = folder.write("tokens", text);
  std::filesystem::permissions(path, std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
  return path;
}

std::string problem_of(std::string_view text) {
  const auto entries = parse_tokens(text, "tokens");
  return entries ? "none" : entries.error().message;
}

TEST(Principal, HasAnIdThatTellsPartiesOfDifferentKindsApart) {
  EXPECT_EQ((Principal{"ci", How::token}.id()), "token:ci");
  EXPECT_EQ((Principal{"1000", How::unix_peer}.id()), "uid:1000");
  EXPECT_EQ((Principal{"CN=ci", How::certificate}.id()), "certificate:CN=ci");
  EXPECT_EQ((Principal{"ci", Principal::How::oauth}.id()), "oauth:ci");
  EXPECT_EQ((Principal{"", How::stdio}.id()), "stdio");
  EXPECT_EQ((Principal{"", How::loopback}.id()), "loopback");
}

TEST(TokenFile, HoldsOneTokenALineWithOptionalPermissionsAndComments) {
  const auto entries = parse_tokens("# who may come in\n\nci " + kCi + "\r\n\tdesk\t" + kDesk + "  read # looks only\n" +
                                        "robot robot-token-abcdefg write\nboth@lab both-token-abcdefgh read write",
                                    "tokens");
  ASSERT_TRUE(entries) << entries.error().message;
  ASSERT_EQ(entries->size(), 4U);
  const auto says = [&](std::size_t i) {
    const Principal& who = (*entries)[i].principal;
    return who.id() + (who.may_read ? " read" : "") + (who.may_write ? " write" : "");
  };
  EXPECT_EQ(says(0), "token:ci read write");
  EXPECT_EQ(says(1), "token:desk read");
  EXPECT_EQ(says(2), "token:robot read write");
  EXPECT_EQ(says(3), "token:both@lab read write");
  EXPECT_EQ((*entries)[0].digest, registry::sha256_hex(kCi));
}

TEST(TokenFile, IsRefusedWithTheLineThatIsWrong) {
  EXPECT_EQ(problem_of("ci\n"), "tokens:1: the token is missing");
  EXPECT_EQ(problem_of("\nci # later\n"), "tokens:2: the token is missing");
  EXPECT_EQ(problem_of("c/i " + kCi), "tokens:1: the name is not one");
  EXPECT_EQ(problem_of(std::string(65, 'n') + " " + kCi), "tokens:1: the name is not one");
  EXPECT_EQ(problem_of("ci 0123456789abcde"), "tokens:1: a token has 16 to 512 visible ASCII characters, this one does not");
  EXPECT_EQ(problem_of("ci " + std::string(513, 'x')),
            "tokens:1: a token has 16 to 512 visible ASCII characters, this one does not");
  EXPECT_EQ(problem_of("ci t\xC3\xB6ken-0123456789abc"),
            "tokens:1: a token has 16 to 512 visible ASCII characters, this one does not");
  EXPECT_EQ(problem_of("ci " + kCi + " admin"), "tokens:1: what follows the token is neither read nor write");
  EXPECT_EQ(problem_of("ci " + kCi + "\n\nci " + kDesk), "tokens:3: the name is that of line 1");
  EXPECT_EQ(problem_of("# two\nci " + kCi + "\ndesk " + kCi), "tokens:3: the token is that of line 2");
  EXPECT_EQ(problem_of(""), "tokens holds no token");
  EXPECT_EQ(problem_of("# nobody\n"), "tokens holds no token");
  std::string many;
  for (int i = 0; i <= 1024; ++i) many += "n" + std::to_string(i) + " 0123456789abcdef" + std::to_string(i) + "\n";
  EXPECT_EQ(problem_of(many), "tokens:1025: at most 1024 tokens are accepted");
}

TEST(TokenFile, NeverShowsAWordOfItselfInAnError) {
  const std::string secret = "s3cret-s3cret-s3cret";
  for (const std::string& text :
       {secret + " ci", "c/i " + secret, "ci desk " + secret, "ci " + secret + " " + secret, secret + "\n",
        "ci " + secret + "\ndesk " + secret, secret + " " + secret + "\n" + secret + " x"}) {
    const auto entries = parse_tokens(text, "tokens");
    ASSERT_FALSE(entries) << text;
    EXPECT_THAT(entries.error().message + entries.error().hint + entries.error().where, Not(HasSubstr("s3cret"))) << text;
  }
}

TEST(TokenFile, MustBeReadableByItsOwnerOnly) {
  const Scratch folder;
  const std::string path = secret_file(folder, "ci " + kCi);
  EXPECT_TRUE(Tokens::load(path));
  for (const auto mode : {0640U, 0604U, 0620U, 0602U, 0644U, 0660U, 0777U}) {
    std::filesystem::permissions(path, static_cast<std::filesystem::perms>(mode));
    const auto tokens = Tokens::load(path);
    ASSERT_FALSE(tokens) << mode;
    EXPECT_EQ(tokens.error().code, core::ErrorCode::usage);
    EXPECT_EQ(tokens.error().hint, "chmod 600 " + path);
  }
  std::filesystem::permissions(path, std::filesystem::perms(0644));
  EXPECT_EQ(Tokens::load(path).error().message, path + " can be read or changed by other accounts (mode 0644)");
}

TEST(TokenFile, MustBeARegularFileOfBoundedSize) {
  const Scratch folder;
  EXPECT_EQ(Tokens::load(folder.path()).error().message, folder.path() + " is not a regular file");
  ASSERT_EQ(mkfifo((folder / "pipe").c_str(), 0600), 0);
  EXPECT_EQ(Tokens::load(folder / "pipe").error().message, folder / "pipe" + " is not a regular file");
  const auto none = Tokens::load(folder / "none");
  EXPECT_EQ(none.error().message, "cannot read " + (folder / "none") + ": No such file or directory");
  EXPECT_EQ(none.error().code, core::ErrorCode::not_found);
  const std::string big = secret_file(folder, std::string((1U << 20) + 1, '#'));
  EXPECT_EQ(Tokens::load(big).error().message, big + " has more than 1048576 bytes");
}

TEST(Tokens, FindWhoPresentsThem) {
  const Scratch folder;
  const auto tokens = Tokens::load(secret_file(folder, "ci " + kCi + "\ndesk " + kDesk + " read\n"));
  ASSERT_TRUE(tokens);
  ASSERT_TRUE((*tokens)->find(kCi));
  EXPECT_EQ((*tokens)->find(kCi)->id(), "token:ci");
  EXPECT_TRUE((*tokens)->find(kCi)->may_write);
  ASSERT_TRUE((*tokens)->find(kDesk));
  EXPECT_FALSE((*tokens)->find(kDesk)->may_write);
  for (const std::string& other : {std::string(), kCi.substr(1), kCi + " ", kCi + std::string(1, '\0'),
                                   std::string("CI-token-0123456789"), registry::sha256_hex(kCi), std::string("ci")}) {
    EXPECT_FALSE((*tokens)->find(other)) << other;
  }
}

TEST(Tokens, AreReplacedByAReloadAndKeptWhenTheNewFileIsBad) {
  const Scratch folder;
  const auto loaded = Tokens::load(secret_file(folder, "ci " + kCi));
  ASSERT_TRUE(loaded);
  Tokens& tokens = **loaded;
  secret_file(folder, "desk " + kDesk);
  EXPECT_FALSE(tokens.find(kDesk));
  ASSERT_TRUE(tokens.reload());
  EXPECT_FALSE(tokens.find(kCi));
  EXPECT_TRUE(tokens.find(kDesk));

  const std::string path = secret_file(folder, "desk short");
  EXPECT_EQ(tokens.reload().error().message, path + ":1: a token has 16 to 512 visible ASCII characters, this one does not");
  EXPECT_TRUE(tokens.find(kDesk));
  std::filesystem::remove(path);
  EXPECT_FALSE(tokens.reload());
  EXPECT_EQ(tokens.size(), 1U);
}

TEST(Tokens, MayBeReloadedWhileOthersLookThemUp) {
  const Scratch folder;
  const auto tokens = Tokens::load(secret_file(folder, "ci " + kCi));
  ASSERT_TRUE(tokens);
  std::vector<std::thread> readers;
  std::atomic<int> found{0};
  for (int i = 0; i < 4; ++i) {
    readers.emplace_back([&] {
      for (int n = 0; n < 200; ++n) found += (*tokens)->find(kCi) ? 1 : 0;
    });
  }
  for (int n = 0; n < 50; ++n) EXPECT_TRUE((*tokens)->reload());
  for (auto& reader : readers) reader.join();
  EXPECT_EQ(found, 800);
}

TEST(Authorization, IsABearerTokenWhateverTheCaseOfTheScheme) {
  for (const std::string header : {"Bearer abc", "bearer abc", "BEARER   abc"}) {
    const auto read = parse_authorization(header);
    EXPECT_EQ(read.kind, Authorization::Kind::bearer) << header;
    EXPECT_EQ(read.token, "abc") << header;
  }
  const std::string longest = "Bearer " + std::string(kBearerBytes, 'x');
  EXPECT_EQ(parse_authorization(longest).kind, Authorization::Kind::bearer);
}

TEST(Authorization, OfAnotherSchemeCountsAsNone) {
  EXPECT_EQ(parse_authorization(std::nullopt).kind, Authorization::Kind::absent);
  for (const std::string header : {"Basic dXNlcjpwYXNz", "Digest username=\"x\", realm=\"y\"", "Bearerabc", "Negotiate"}) {
    EXPECT_EQ(parse_authorization(header).kind, Authorization::Kind::absent) << header;
  }
}

TEST(Authorization, ThatCannotBeReadIsMalformed) {
  const std::string too_long = "Bearer " + std::string(kBearerBytes + 1, 'x');
  for (const std::string& header : {std::string(), std::string("Bearer"), std::string("Bearer "), std::string("Bearer a b"),
                                    std::string("Bearer a, Bearer b"), std::string("Bearer a\tb"), std::string("Bearer \xC3\xB6"),
                                    std::string("Bearer\ta"), std::string("\"x\" y"), std::string(" Bearer a"), too_long}) {
    EXPECT_EQ(parse_authorization(header).kind, Authorization::Kind::malformed) << header;
    EXPECT_EQ(parse_authorization(header).token, "") << header;
  }
}

}  // namespace
}  // namespace plumbline::server::access
