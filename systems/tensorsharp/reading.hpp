// What the two readers of TensorSharp's files share: its JSON (comments, trailing commas, names in any case, the last of two of
// one name counts), what its deserialiser would refuse, and the rows of one cell.
#pragma once

#include <string>
#include <string_view>

#include "formats/declared_rows.hpp"
#include "formats/readers.hpp"
#include "systems/tensorsharp/model.hpp"

namespace plumbline::systems::tensorsharp {

// The text with comments blanked, so that places stay right; nothing is copied where there are none.
class Text {
 public:
  explicit Text(std::string_view bytes);
  [[nodiscard]] std::string_view view() const { return own_.empty() ? bytes_ : std::string_view(own_); }

 private:
  std::string_view bytes_;
  std::string own_;
};

// Fields of one object. What that tool's deserialiser would stop on is remembered, the first of it with its place; the value is
// read all the same where it says something.
class Fields {
 public:
  Fields(const formats::json::Value& object, std::string_view path) : object_(object), path_(path) {}
  [[nodiscard]] formats::json::Value find(std::string_view name) const;
  std::string text(std::string_view name);                          // "" when absent or null
  std::optional<std::string> optional_text(std::string_view name);  // nullopt when absent or null
  bool flag(std::string_view name);
  std::optional<bool> optional_flag(std::string_view name);
  double number(std::string_view name);
  std::string time(std::string_view name);  // as that tool writes it
  [[nodiscard]] const std::string& refused() const { return refused_; }
  void refuse(const formats::json::Value& value, std::string_view name, std::string_view expected);

 private:
  formats::json::Value object_;
  std::string path_, refused_;
};

[[nodiscard]] Entry read_entry(Fields& fields);

// Rows "<case>.decode_tps", "<case>.prefill_tps", "<case>.ok", … `why` is what a cell that failed says; `skipped` has no values.
void add_cell(const Entry& entry, bool skipped, std::string_view why, formats::DeclaredRows& rows);

// "model__backend__feature__variant" -> its parts; all empty when the id is of another shape.
struct CaseName {
  std::string_view model, backend, feature, variant;
};
[[nodiscard]] CaseName case_name(std::string_view case_id);

// What the readers declare of both sides: tolerance and the context that all cells agree on.
class Agreement {
 public:
  void see(std::string_view case_id);
  void declare(formats::DeclaredRows& rows) const;

 private:
  std::string model_, backend_;
  bool first_ = true;
};

}  // namespace plumbline::systems::tensorsharp
