#include "server/site/template.hpp"

#include <kainjow/mustache.hpp>

#include "reports/text.hpp"

namespace plumbline::server::site {

namespace mustache = kainjow::mustache;

struct Engine {
  static mustache::data object_of(const Data& data) {
    mustache::data object(mustache::data::type::object);
    for (const auto& [name, text] : data.texts_) object.set(name, text);
    for (const auto& [name, holds] : data.flags_) {
      object.set(name, holds ? mustache::data::type::bool_true : mustache::data::type::bool_false);
    }
    for (const auto& [name, items] : data.lists_) {
      mustache::data list(mustache::data::type::list);
      for (const Data& item : items) list.push_back(object_of(item));
      object.set(name, list);
    }
    return object;
  }
};

Data& Data::set(const std::string& name, std::string_view text) {
  flags_["has_" + name] = !text.empty();
  texts_[name] = reports::one_line(text);
  return *this;
}

Data& Data::set(const std::string& name, std::string_view text, int columns) {
  return set(name, reports::shorten_middle(reports::one_line(text), columns));
}

Data& Data::flag(const std::string& name, bool holds) {
  flags_[name] = holds;
  return *this;
}

Data& Data::part(const std::string& name, std::string markup) {
  flags_["has_" + name] = !markup.empty();
  texts_[name] = std::move(markup);
  return *this;
}

Data& Data::item(const std::string& list) { return lists_[list].emplace_back(); }

std::string render(std::string_view sheet, const Data& data) {
  mustache::mustache engine{std::string(sheet)};
  return engine.render(Engine::object_of(data));
}

}  // namespace plumbline::server::site
