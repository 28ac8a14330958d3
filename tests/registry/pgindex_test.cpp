// The derived index without a server: addresses, texts on their way into statements, contexts as bytes.
// tests/program/test_pg_index.py has the rest.
#include <gtest/gtest.h>

#include "registry/pgindex/address.hpp"
#include "registry/pgindex/index.hpp"
#include "registry/pgindex/migrations.hpp"
#include "registry/pgindex/parameters.hpp"
#include "registry/pgindex/rows.hpp"
#include "registry/pgindex/searched.hpp"

namespace plumbline::registry::pgindex {
namespace {

using namespace std::string_literals;

TEST(PgAddress, IsShownWithoutPasswords) {
  EXPECT_EQ(shown_address("postgresql://u:secret@db:5432/x?sslmode=verify-full&password=secret&sslpassword=secret"),
            "postgresql://u@db:5432/x?sslmode=verify-full");
  EXPECT_EQ(shown_address("postgres://u:a@b:c@db/x"), "postgres://u@db/x");
  EXPECT_EQ(shown_address("postgresql:///x?pass%77ord=secret"), "postgresql:///x");
  EXPECT_EQ(shown_address("postgresql://db/x?host=%2Frun"), "postgresql://db/x?host=%2Frun");
  for (const char* with :
       {"postgresql://u:p@h/x", "postgresql://h/x?password=p", "postgresql://h/x?PassWord=p", "postgresql://h/?pa%73sword=p"})
    EXPECT_TRUE(has_password(with)) << with;
  for (const char* without : {"postgresql://u@h/x", "postgresql://h/x?user=p", "postgresql:///x"})
    EXPECT_FALSE(has_password(without)) << without;
}

// libpq cites what it cannot read: what may have been meant for a password is neither shown nor handed to it.
TEST(PgAddress, IsShownWithoutPasswordsThatLibpqWouldNotRead) {
  EXPECT_EQ(shown_address("postgresql://u:pa/ss@db/x"), "postgresql://u@db/x");
  EXPECT_EQ(shown_address("postgresql://u:pa?ss@db/x?sslmode=require"), "postgresql://u@db/x?sslmode=require");
  EXPECT_EQ(shown_address("postgresql://u:p@w/x@db/x"), "postgresql://u@db/x");
  EXPECT_EQ(shown_address("postgresql://db/x?user=a@b&password=secret"), "postgresql://db/x?user=a@b");
  for (const char* bad :
       {"postgresql://u:pa/ss@db/x", "postgresql://u:p@w@db/x", "postgresql://u:geh%eim@db/x", "postgresql://db/x%"}) {
    const auto checked = check_address(bad, "index");
    ASSERT_FALSE(checked) << bad;
    EXPECT_EQ(checked.error().code, core::ErrorCode::usage);
    for (const char* part : {"pa/ss", "p@w", "geh"}) EXPECT_EQ(checked.error().message.find(part), std::string::npos) << bad;
  }
  EXPECT_TRUE(check_address("postgresql://u:p%2Fw%40@db/x?user=a", "index"));
  EXPECT_TRUE(check_address("postgresql://db/x?user=a@b", "index"));
  EXPECT_EQ(shown_address("host=db password=secret"), "host");
  EXPECT_EQ(shown_address("db.example.org/plumbline"), "db.example.org/plumbline");
}

TEST(PgAddress, StandsInNoMessageWithItsPassword) {
  const std::string address = "postgresql://u:secret@[::1/x?sslpassword=hidden";
  EXPECT_EQ(without_password("end of string reached in URI: \"" + address + "\"", address),
            "end of string reached in URI: \"postgresql://u@[::1/x\"");
  EXPECT_EQ(without_password("invalid token \"secret\", \"hidden\"", address), "invalid token \"[redacted]\", \"[redacted]\"");
  EXPECT_EQ(without_password("FATAL: no user \"u\"", address), "FATAL: no user \"u\"");
}

TEST(PgAddress, SaysWhetherItLeavesTheMachine) {
  for (const char* here :
       {"postgresql:///x", "postgresql://u@localhost:5432/x", "postgresql://127.0.0.1/x", "postgresql://[::1]:5432/x",
        "postgresql:///x?host=%2Frun", "postgresql://%2Frun/x", "postgresql://u@/x?hostaddr=::1"})
    EXPECT_FALSE(leaves_machine(here)) << here;
  for (const char* away :
       {"postgresql://db/x", "postgresql://127.evil.org/x", "postgresql://localhost,db/x", "postgresql:///x?host=db",
        "postgresql:///x?hostaddr=::ffff:8.8.8.8", "postgresql:///x?h%6Fst=db", "postgresql://[::2]/x"})
    EXPECT_TRUE(leaves_machine(away)) << away;
  EXPECT_TRUE(verifies_server("postgresql://db/x?sslmode=verify-full&sslrootcert=system"));
  for (const char* trusting :
       {"postgresql://db/x", "postgresql://db/x?sslmode=require", "postgresql://db/x?sslmode=verify-full&sslmode=disable",
        "postgresql://db/x?sslmode=verify-full&ssl%6Dode=disable"})
    EXPECT_FALSE(verifies_server(trusting)) << trusting;
  EXPECT_EQ(shown_address(without_surrounding_password("postgresql://u@db/x?sslmode=verify-full")),
            "postgresql://u@db/x?sslmode=verify-full");
}

TEST(PgAddress, OtherThingsAreRefusedByWhatTheyAre) {
  const auto bad = check_address("mysql://u:secret@h/x", "PLUMBLINE_INDEX");
  ASSERT_FALSE(bad);
  EXPECT_EQ(bad.error().code, core::ErrorCode::usage);
  EXPECT_EQ(bad.error().message.find("secret"), std::string::npos) << bad.error().message;
  EXPECT_TRUE(bad.error().message.starts_with("PLUMBLINE_INDEX must be a postgresql:// address")) << bad.error().message;
  EXPECT_FALSE(check_address("postgresql://h/x\n", "index"));
  EXPECT_FALSE(check_address("postgresql://h/"s + std::string(5000, 'x'), "index"));
  EXPECT_TRUE(check_address("postgresql://u@h/x?sslmode=require", "index"));
}

TEST(PgParameters, TextsAreWhatTheServerTakes) {
  EXPECT_EQ(clean("a\0b"s),
            "a\xEF\xBF\xBD"
            "b");
  EXPECT_EQ(clean("\xff\xc3\xa9\xc3"), "\xEF\xBF\xBD\xc3\xa9\xEF\xBF\xBD");
  EXPECT_EQ(clean("\xed\xa0\x80").find('\xed'), std::string::npos) << "half of a surrogate is no character";
  EXPECT_EQ(clean("plain é 漢"), "plain é 漢");
  Array texts;
  for (const char* text : {"", "NULL", "a\"b\\c", "{,}", "line\nbreak"}) texts.add(text);
  texts.add_null();
  EXPECT_EQ(texts.take(), R"({"","NULL","a\"b\\c","{,}","line)"
                          "\n"
                          R"(break",NULL})");
  Array numbers;
  numbers.add_number(0.1);
  numbers.add_number(std::int64_t{-7});
  numbers.add_number(1e300);
  EXPECT_EQ(numbers.take(), "{0.1,-7,1e+300}");
  Array bytes;
  bytes.add_bytes("\0\xff"s);
  EXPECT_EQ(bytes.take(), R"({"\\x00ff"})");
  EXPECT_EQ(Array().take(), "{}");
}

TEST(PgParameters, BytesComeBack) {
  const std::string all = "\0\x01\x7f\x80\xff'\"\\"s;
  EXPECT_EQ(bytes_of(hex_bytes(all)), all);
  for (const char* bad : {"", "00", "\\x0", "\\x0g", "\\X00"}) EXPECT_FALSE(bytes_of(bad)) << bad;
}

TEST(PgParameters, AWordMatchesItself) { EXPECT_EQ(like_literal("100%_of\\it"), "100\\%\\_of\\\\it"); }

TEST(PgRows, ContextsComeBackWhateverIsInThem) {
  const core::Context context = {
      {"hardware.gpu", "H100"}, {"environment.a", "\0:12:"s}, {"workload.x", ""}, {"stack.y", "\xff'\""}};
  EXPECT_EQ(unpack_context(pack_context(context)), context);
  EXPECT_EQ(unpack_context(""), core::Context());
  for (const char* bad : {"x", "5:abc", "3:abc", "-1:", "99999999999999999999:a"}) EXPECT_FALSE(unpack_context(bad)) << bad;
  EXPECT_EQ(context_json({{"hardware.gpu", "a\0b"s}}),
            "{\"hardware.gpu\": \"a\xEF\xBF\xBD"
            "b\"}");
}

TEST(PgRows, ContextsAreShownWithoutSecrets) {
  const std::string shown = context_json({{"stack.command", "run --token hunter2-9f8e7d6c"}, {"hardware.gpu", "H100"}});
  EXPECT_EQ(shown.find("hunter2"), std::string::npos) << shown;
  EXPECT_NE(shown.find("H100"), std::string::npos) << shown;
}

TEST(PgRows, SeriesAreToldApartByAllThreeParts) {
  EXPECT_NE(series_sha256("a", "b", ""), series_sha256("ab", "", ""));
  EXPECT_NE(series_sha256("a", "ms", "lower-is-better"), series_sha256("a", "s", "lower-is-better"));
  EXPECT_EQ(series_sha256("a", "b", "c").size(), 32U);
}

TEST(PgSearch, SaysWhenItsAnswerIsExact) {
  EXPECT_TRUE(is_exact({{"word", "100%"}, "", "", "", "row*", "", ""}));
  EXPECT_FALSE(is_exact({{"nul\0"s}, "", "", "", "", "", ""}));
  EXPECT_FALSE(is_exact({{}, "", "", "", "a?c", "", ""})) << "one character here, any number there";
  EXPECT_FALSE(is_exact({{}, "", "", "", "*", "", ""})) << "a key may be empty";
}

TEST(PgMigrations, AreBuiltInOneForEachVersion) {
  for (int version = 1; version <= kSchemaVersion; ++version) EXPECT_FALSE(migration(version).empty()) << version;
  EXPECT_TRUE(migration(kSchemaVersion + 1).empty());
  EXPECT_TRUE(migration(0).empty());
}

}  // namespace
}  // namespace plumbline::registry::pgindex
