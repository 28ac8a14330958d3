// Python's text of numbers and strings: what other systems hash.
#include "systems/python_text.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace plumbline::systems {
namespace {

std::string number(double value) {
  std::string out;
  append_python_number(out, value);
  return out;
}
std::string text(std::string_view value, bool ascii = true) {
  std::string out;
  append_python_string(out, value, ascii);
  return out;
}

TEST(PythonJson, floats_are_their_repr) {
  EXPECT_EQ(number(0), "0.0");
  EXPECT_EQ(number(-0.0), "-0.0");
  EXPECT_EQ(number(1), "1.0");
  EXPECT_EQ(number(-12.5), "-12.5");
  EXPECT_EQ(number(0.1), "0.1");
  EXPECT_EQ(number(1.0 / 3), "0.3333333333333333");
  EXPECT_EQ(number(0.0001), "0.0001");
  EXPECT_EQ(number(0.00001), "1e-05");
  EXPECT_EQ(number(1.25e-7), "1.25e-07");
  EXPECT_EQ(number(5e-324), "5e-324");
  EXPECT_EQ(number(123456789012345680.0), "1.2345678901234568e+17");
  EXPECT_EQ(number(9007199254740992.0), "9007199254740992.0");
  EXPECT_EQ(number(1e15), "1000000000000000.0");
  EXPECT_EQ(number(1e16), "1e+16");
  EXPECT_EQ(number(1e22), "1e+22");
  EXPECT_EQ(number(1.7976931348623157e308), "1.7976931348623157e+308");
  EXPECT_EQ(number(std::numeric_limits<double>::quiet_NaN()), "NaN");
  EXPECT_EQ(number(std::numeric_limits<double>::infinity()), "Infinity");
  EXPECT_EQ(number(-std::numeric_limits<double>::infinity()), "-Infinity");
}

TEST(PythonJson, strings_are_ascii_or_as_they_stand) {
  EXPECT_EQ(text("a\"b\\c/\n\r\t\b\f\x01\x7f"), R"("a\"b\\c/\n\r\t\b\f\u0001\u007f")");
  EXPECT_EQ(text("a\"b\\c/\n\x01\x7f", false), "\"a\\\"b\\\\c/\\n\\u0001\x7f\"");
  EXPECT_EQ(text("é模\U0001F600\u2028"), R"("\u00e9\u6a21\ud83d\ude00\u2028")");
  EXPECT_EQ(text("é模\U0001F600", false), "\"é模\U0001F600\"");
}

TEST(PythonJson, what_is_no_utf8_becomes_the_replacement_character) {
  EXPECT_EQ(text("\xFF\xC3"), R"("\ufffd\ufffd")");
  EXPECT_EQ(text("\xC0\x80"), R"("\ufffd\ufffd")");
  EXPECT_EQ(text("\xED\xA0\x80"), R"("\ud800")");
  EXPECT_EQ(text("\xED\xA0\x80", false), "\"\xEF\xBF\xBD\"");
}

}  // namespace
}  // namespace plumbline::systems
