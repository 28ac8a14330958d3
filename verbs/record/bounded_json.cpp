#include "verbs/record/bounded_json.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>

namespace plumbline::verbs {

namespace {

using Json = nlohmann::json;
constexpr int kMaxDepth = 256;

class DepthMeter final : public nlohmann::json_sax<Json> {
 public:
  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(number_integer_t) override { return true; }
  bool number_unsigned(number_unsigned_t) override { return true; }
  bool number_float(number_float_t, const string_t&) override { return true; }
  bool string(string_t&) override { return true; }
  bool binary(binary_t&) override { return true; }
  bool key(string_t&) override { return true; }
  bool start_object(std::size_t) override { return open(); }
  bool start_array(std::size_t) override { return open(); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }
  bool parse_error(std::size_t, const std::string&, const Json::exception& error) override {
    problem = error.what();
    return false;
  }

  int deepest = 0;
  std::string problem;

 private:
  bool open() {
    deepest = std::max(deepest, ++depth_);
    if (depth_ <= kMaxDepth) return true;
    problem = "nested deeper than " + std::to_string(kMaxDepth);
    return false;
  }
  bool close() {
    --depth_;
    return true;
  }

  int depth_ = 0;
};

}  // namespace

core::Expected<int> json_depth(std::string_view text) {
  DepthMeter meter;
  if (!Json::sax_parse(text.begin(), text.end(), &meter)) return core::fail(core::ErrorCode::invalid_input, meter.problem);
  return meter.deepest;
}

}  // namespace plumbline::verbs
