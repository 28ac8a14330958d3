// JSON as this program writes it, token by token: shortest numbers, no NaN, every text escaped. It reads none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace plumbline::core {

class SecretFinder;

// Streaming JSON writer of every renderer and of the verbs that answer small documents. Keys and texts lose what looks like a
// secret (core/privacy.hpp).
class JsonWriter {
 public:
  explicit JsonWriter(std::string& out, int indent = 2);  // indent < 0: one line
  JsonWriter(const JsonWriter&) = delete;
  JsonWriter& operator=(const JsonWriter&) = delete;
  ~JsonWriter();
  JsonWriter& begin_object();
  JsonWriter& end_object();
  JsonWriter& begin_array();
  JsonWriter& end_array();
  JsonWriter& key(std::string_view name);
  JsonWriter& value(std::string_view text);
  JsonWriter& value(const char* text) { return value(std::string_view(text)); }
  JsonWriter& value(const std::string& text) { return value(std::string_view(text)); }
  JsonWriter& value(double number);  // NaN and infinities become null
  JsonWriter& value(std::int64_t number);
  JsonWriter& value(std::uint64_t number);
  JsonWriter& value(std::uint32_t number) { return value(static_cast<std::uint64_t>(number)); }
  JsonWriter& value(int number) { return value(static_cast<std::int64_t>(number)); }
  JsonWriter& value(bool truth);
  JsonWriter& null();
  JsonWriter& raw(std::string_view json);  // a complete value, spliced as it is
  // Where something of ours lies, as it stands: callers open it.
  JsonWriter& place(std::string_view name, std::string_view path);
  JsonWriter& place_or_null(std::string_view name, std::string_view path);  // "" is null
  template <class T>
  JsonWriter& field(std::string_view name, const T& v) {
    key(name);
    return value(v);
  }
  template <class T>
  JsonWriter& field_or_null(std::string_view name, const std::optional<T>& v) {
    key(name);
    return v ? value(*v) : null();
  }

 private:
  void separate();
  void line();
  void append_screened(std::string_view text);
  std::string& out_;
  int indent_;
  int depth_ = 0;
  bool first_ = true, after_key_ = false;
  std::unique_ptr<SecretFinder> secrets_;  // made with the first text that may hold one
};

// An element on one line: f(JsonWriter&) writes exactly one value.
template <class F>
void compact(JsonWriter& json, F&& write) {
  std::string text;
  JsonWriter inner(text, -1);
  write(inner);
  json.raw(text);
}

// "<name>_omitted", when anything was.
void write_omitted(JsonWriter& json, std::string_view name, std::size_t all, std::size_t shown);

}  // namespace plumbline::core
