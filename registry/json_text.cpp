#include "registry/json_text.hpp"

#include <nlohmann/json.hpp>
#include <vector>

#include "core/citing.hpp"
#include "core/text.hpp"

namespace plumbline::registry {

using nlohmann::json;

namespace {

constexpr std::size_t kDepth = 64;

// Builds the document, and stops at what the library would let pass: a key that stands twice, endless nesting.
class Builder final : public json::json_sax_t {
 public:
  json document;
  std::string problem, raw_value;

  bool null() override { return put(nullptr) != nullptr; }
  bool boolean(bool truth) override { return put(truth) != nullptr; }
  bool number_integer(number_integer_t number) override { return put(number) != nullptr; }
  bool number_unsigned(number_unsigned_t number) override { return put(number) != nullptr; }
  bool number_float(number_float_t number, const string_t& text) override {
    if (levels_.size() == 1 && key_ == "value") raw_value = text;
    return put(number) != nullptr;
  }
  bool string(string_t& text) override { return put(std::move(text)) != nullptr; }
  bool binary(binary_t&) override { return false; }
  bool start_object(std::size_t) override { return open(json::object()); }
  bool start_array(std::size_t) override { return open(json::array()); }
  bool key(string_t& name) override {
    if (levels_.back()->contains(name)) {
      problem = "the key " + core::cited(name) + " appears twice in one object";
      return false;
    }
    key_ = std::move(name);
    return true;
  }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }
  bool parse_error(std::size_t position, const std::string& token, const json::exception& error) override {
    if (error.id == 406) {
      problem = "the number " + token + " is beyond the range of a double";
    } else {
      problem = "not valid JSON at byte " + std::to_string(position);
    }
    return false;
  }

 private:
  template <class T>
  json* put(T&& value) {
    if (levels_.empty()) {
      document = std::forward<T>(value);
      return &document;
    }
    json& into = *levels_.back();
    if (into.is_array()) {
      into.push_back(std::forward<T>(value));
      return &into.back();
    }
    json& slot = into[key_];
    slot = std::forward<T>(value);
    return &slot;
  }
  bool open(json empty) {
    if (levels_.size() == kDepth) {
      problem = "nested more than " + std::to_string(kDepth) + " deep";
      return false;
    }
    levels_.push_back(put(std::move(empty)));
    return true;
  }
  bool close() {
    levels_.pop_back();
    return true;
  }
  std::vector<json*> levels_;  // open objects and arrays; only the innermost grows, so the others stay where they are
  std::string key_;
};

const json* member(const json& object, const char* name) {
  if (!object.is_object()) return nullptr;
  const auto found = object.find(name);
  return found == object.end() ? nullptr : &*found;
}

}  // namespace

core::Expected<json> parse_json(std::string_view text, std::string* raw_value) {
  Builder builder;
  try {
    if (!json::sax_parse(text.begin(), text.end(), &builder)) {
      return core::fail(core::ErrorCode::invalid_input, builder.problem.empty() ? "not valid JSON" : builder.problem);
    }
  } catch (const json::exception& error) {
    return core::fail(core::ErrorCode::invalid_input, std::string("not valid JSON: ") + error.what());
  }
  if (raw_value != nullptr) *raw_value = std::move(builder.raw_value);
  return std::move(builder.document);
}

std::optional<std::string> text_of(const json& object, const char* name) {
  const auto* found = member(object, name);
  if (found == nullptr || !found->is_string()) return std::nullopt;
  return found->get<std::string>();
}

std::string text_or_empty(const json& object, const char* name) { return text_of(object, name).value_or(std::string()); }

std::optional<double> number_of(const json& object, const char* name) {
  const auto* found = member(object, name);
  if (found == nullptr || !found->is_number()) return std::nullopt;
  return found->get<double>();
}

std::uint64_t count_of(const json& object, const char* name, std::uint64_t otherwise) {
  const auto* found = member(object, name);
  if (found == nullptr || !found->is_number_integer() || (!found->is_number_unsigned() && found->get<std::int64_t>() < 0))
    return otherwise;
  return found->get<std::uint64_t>();
}

}  // namespace plumbline::registry
