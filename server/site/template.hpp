// The data of a page and the engine that puts it into the page's template (mustache, as the reports use it). {{name}} is escaped
// by the engine, and what is set was made harmless to read before: valid UTF-8 on one line, without deceptive characters and
// without what looks like a secret. Only what render() itself made may be put in unescaped, with {{{name}}}.
#pragma once

#include <deque>
#include <map>
#include <string>
#include <string_view>

namespace plumbline::server::site {

class Data {
 public:
  // A text; `has_NAME` holds where it is not empty.
  Data& set(const std::string& name, std::string_view text);
  // The same, shortened in the middle to so many columns.
  Data& set(const std::string& name, std::string_view text, int columns);
  Data& flag(const std::string& name, bool holds);
  // What render() made.
  Data& part(const std::string& name, std::string markup);
  // Another item of a list; stays where it is.
  Data& item(const std::string& list);

 private:
  friend struct Engine;
  std::map<std::string, std::string> texts_;
  std::map<std::string, bool> flags_;
  std::map<std::string, std::deque<Data>> lists_;
};

[[nodiscard]] std::string render(std::string_view sheet, const Data& data);

}  // namespace plumbline::server::site
