// What must not come out again, and digits that are names: through the public read().
#include <gtest/gtest.h>

#include "formats/format.hpp"

namespace plumbline::formats {
namespace {

std::string told(std::string_view name, std::string_view bytes) {
  Input input;
  input.name = name;
  input.bytes = bytes;
  const auto m = read(input, {});
  if (!m) return "error: " + m.error().message;
  std::string out;
  for (const core::Row& row : m->rows()) {
    out += std::string(m->key(row)) + " " + std::string(core::to_string(row.state)) + " " +
           std::string(m->pool().view(row.text)) + "\n";
  }
  return out;
}

TEST(Privacy, SecretsAreRowsWithoutTheirValue) {
  EXPECT_EQ(told("a.json", R"({"x_ms": 1, "api_token": "hunter2", "password": "123456", "tokens": "5"})"),
            "x_ms number \napi_token text [redacted]\npassword text [redacted]\ntokens numeric_string \n");
}

TEST(Privacy, SecretsTellNoRecordsApart) {
  const std::string rows =
      told("a.json", R"([{"op": "a", "api_key": "k1", "x_ms": 1}, {"op": "b", "api_key": "k2", "x_ms": 2}])");
  EXPECT_EQ(rows.find("k1"), std::string::npos) << rows;
  EXPECT_NE(rows.find("[op=a].x_ms number"), std::string::npos) << rows;
}

TEST(Privacy, SecretsOfTablesNeither) {
  const std::string rows = told("a.csv", "op,api_key,time_ms\na,k1,1\nb,k2,2\n");
  EXPECT_EQ(rows.find("k1"), std::string::npos) << rows;
}

TEST(Digits, ThatAreNamesAreNoNumbers) {
  EXPECT_EQ(told("a.json", R"({"x_ms": 1, "baseline_commit": "3481e4074", "hash": "0000000000000000000000000000000000000000"})"),
            "x_ms number \nbaseline_commit text 3481e4074\nhash text 0000000000000000000000000000000000000000\n");
}

}  // namespace
}  // namespace plumbline::formats
