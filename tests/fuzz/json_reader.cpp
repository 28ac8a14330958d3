// links: formats nlohmann_json::nlohmann_json
// Any bytes: the lenient reader must not crash, and what nlohmann accepts strictly it must accept with the same values.
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>

#include "formats/format.hpp"
#include "formats/json/document.hpp"

namespace {

plumbline::formats::Input input(const char* name, std::string_view bytes) {
  plumbline::formats::Input made;
  made.name = name;
  made.bytes = bytes;
  return made;
}

using plumbline::formats::json::Document;
using plumbline::formats::json::Kind;
using plumbline::formats::json::Value;

[[noreturn]] void differ() { std::abort(); }

// Depth-first over both, members in order; duplicates are nlohmann's to lose, so texts with any are only read.
class Walk : public nlohmann::json_sax<nlohmann::json> {
 public:
  explicit Walk(const Document& document) : document_(document) {}
  bool null() override { return take(Kind::null); }
  bool boolean(bool value) override {
    if ((document_.node(next_).u != 0) != value) differ();
    return take(Kind::boolean);
  }
  bool number_integer(number_integer_t value) override {
    if (Value(&document_, next_).number() != static_cast<double>(value)) differ();
    if (document_.node(next_).kind == Kind::integer && document_.node(next_).i != value) differ();
    ++next_;
    return true;
  }
  bool number_unsigned(number_unsigned_t value) override {
    const auto& node = document_.node(next_);
    if ((node.kind != Kind::integer && node.kind != Kind::unsigned_integer) || node.u != value) differ();
    ++next_;
    return true;
  }
  bool number_float(number_float_t value, const string_t&) override {
    if (!Value(&document_, next_).is_number()) differ();
    if (Value(&document_, next_).number() != value) differ();
    ++next_;
    return true;
  }
  bool string(string_t& value) override { return text(value); }
  bool binary(binary_t&) override { return true; }
  bool start_object(std::size_t) override { return take(Kind::object); }
  bool key(string_t& value) override { return text(value); }
  bool end_object() override { return true; }
  bool start_array(std::size_t) override { return take(Kind::array); }
  bool end_array() override { return true; }
  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception&) override { return false; }
  [[nodiscard]] std::uint32_t next() const { return next_; }

 private:
  bool take(Kind kind) {
    if (document_.node(next_).kind != kind) differ();
    ++next_;
    return true;
  }
  bool text(const std::string& value) {
    if (Value(&document_, next_).string() != value || !Value(&document_, next_).is_string()) differ();
    ++next_;
    return true;
  }
  const Document& document_;
  std::uint32_t next_ = 1;
};

// The tree, or the error, must not depend on the way it was read.
void same(const plumbline::core::Expected<Document>& a, const plumbline::core::Expected<Document>& b) {
  if (a.has_value() != b.has_value()) differ();
  if (!a) {
    if (a.error().message != b.error().message || a.error().where != b.error().where) differ();
    return;
  }
  if (a->node_count() != b->node_count() || a->member_count() != b->member_count()) differ();
  for (std::uint32_t i = 0; i < a->node_count(); ++i) {
    const auto& x = a->node(i);
    const auto& y = b->node(i);
    if (x.kind != y.kind || x.flags != y.flags || x.next != y.next || x.length != y.length || x.offset != y.offset) differ();
    const bool is_text = x.kind == Kind::string;
    if (is_text ? std::string_view(x.s, x.length) != std::string_view(y.s, y.length) : x.u != y.u) differ();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  plumbline::formats::json::ParseOptions options;
  options.max_depth = 1000;
  options.index_from = SIZE_MAX;
  const auto document = plumbline::formats::json::parse(text, "fuzz.json", options);
  options.index_from = 0;
  same(document, plumbline::formats::json::parse(text, "fuzz.json", options));
  options.halves_from = 0;
  same(document, plumbline::formats::json::parse(text, "fuzz.json", options));
  if (auto flat = plumbline::formats::json::parse_flat(text, options)) same(document, std::move(*flat));
  // nlohmann takes a zero byte for the end of its input: no yardstick there.
  if (text.find(char{0}) == std::string::npos && nlohmann::json::accept(text)) {
    if (!document) {
      if (document.error().code != plumbline::core::ErrorCode::limit_exceeded) differ();
    } else {
      Walk walk(*document);
      nlohmann::json::sax_parse(text, &walk);
      if (walk.next() != document->node_count()) differ();
    }
  }
  plumbline::formats::ReadOptions read;
  read.max_rows = 100000;
  (void)plumbline::formats::read(input("fuzz.json", text), read);
  read.format = "generic-json";
  (void)plumbline::formats::read(input("fuzz.json", text), read);
  read.format = "inference_perfbench_v1";
  (void)plumbline::formats::read(input("fuzz.json", text), read);
  return 0;
}
