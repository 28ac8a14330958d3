#include "core/json_writer.hpp"

#include <cmath>

#include "core/privacy.hpp"
#include "core/text.hpp"

namespace plumbline::core {

void JsonWriter::line() {
  if (indent_ < 0) return;
  out_ += '\n';
  out_.append(static_cast<std::size_t>(depth_) * static_cast<std::size_t>(indent_), ' ');
}

// Before a key, or before a value that is an element: the comma and the new line. Directly after a key: nothing.
void JsonWriter::separate() {
  if (after_key_) {
    after_key_ = false;
    return;
  }
  if (!first_) out_ += indent_ < 0 ? ", " : ",";
  if (depth_ > 0) line();
  first_ = false;
}

JsonWriter& JsonWriter::begin_object() {
  separate();
  out_ += '{';
  ++depth_;
  first_ = true;
  return *this;
}

JsonWriter& JsonWriter::end_object() {
  --depth_;
  if (!first_) line();
  out_ += '}';
  first_ = false;
  return *this;
}

JsonWriter& JsonWriter::begin_array() {
  separate();
  out_ += '[';
  ++depth_;
  first_ = true;
  return *this;
}

JsonWriter& JsonWriter::end_array() {
  --depth_;
  if (!first_) line();
  out_ += ']';
  first_ = false;
  return *this;
}

// Whatever stands in a document of ours has passed the screen for secrets: names that users chose, notes and paths too.
void JsonWriter::append_screened(std::string_view text) {
  if (may_hold_secret(text)) {
    if (secrets_ == nullptr) secrets_ = std::make_unique<SecretFinder>();
    if (const auto clean = secrets_->scrubbed(text)) return append_quoted(out_, *clean);
  }
  append_quoted(out_, text);
}

JsonWriter& JsonWriter::key(std::string_view name) {
  separate();
  append_screened(name);
  out_ += ": ";
  after_key_ = true;
  return *this;
}

JsonWriter& JsonWriter::value(std::string_view text) {
  separate();
  append_screened(text);
  return *this;
}

JsonWriter& JsonWriter::place(std::string_view name, std::string_view path) {
  key(name);
  separate();
  append_quoted(out_, path);
  return *this;
}
JsonWriter& JsonWriter::place_or_null(std::string_view name, std::string_view path) {
  return path.empty() ? key(name).null() : place(name, path);
}

JsonWriter& JsonWriter::value(double number) {
  separate();
  if (std::isfinite(number))
    append_number(out_, number);
  else
    out_ += "null";
  return *this;
}

JsonWriter& JsonWriter::value(std::int64_t number) {
  separate();
  append_number(out_, number);
  return *this;
}

JsonWriter& JsonWriter::value(std::uint64_t number) {
  separate();
  append_number(out_, number);
  return *this;
}

JsonWriter& JsonWriter::value(bool truth) {
  separate();
  out_ += truth ? "true" : "false";
  return *this;
}

JsonWriter& JsonWriter::null() {
  separate();
  out_ += "null";
  return *this;
}

JsonWriter::JsonWriter(std::string& out, int indent) : out_(out), indent_(indent) {}
JsonWriter::~JsonWriter() = default;

JsonWriter& JsonWriter::raw(std::string_view json) {
  separate();
  out_ += json;
  return *this;
}

void write_omitted(JsonWriter& json, std::string_view name, std::size_t all, std::size_t shown) {
  if (all > shown) json.field(std::string(name) + "_omitted", std::uint64_t{all - shown});
}

}  // namespace plumbline::core
