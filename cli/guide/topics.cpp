#include <algorithm>

#include "cli/guide/guide.hpp"
#include "cli/program.hpp"

namespace plumbline::docs {
std::string_view embedded_file(std::string_view name);
std::string_view embedded_name(unsigned index);
}  // namespace plumbline::docs

namespace plumbline::cli {
namespace {

constexpr std::string_view kEnding = ".md";

// Pages are embedded under names without a slash: "verbs@diff.md". Help of a page that is called like a command is the command's,
// unless it is asked for as docs/digest.
std::string topic_of(std::string_view file) {
  std::string topic(file.substr(0, file.size() - kEnding.size()));
  std::replace(topic.begin(), topic.end(), '@', '/');
  return verbs::find(topic) != nullptr || find_own_command(topic) != nullptr ? "docs/" + topic : topic;
}

std::string_view title_of(std::string_view page) {
  const std::string_view first = page.substr(0, page.find('\n'));
  return first.starts_with("# ") ? first.substr(2) : first;
}

}  // namespace

std::vector<std::string> topics() {
  std::vector<std::string> all;
  for (unsigned i = 0; !docs::embedded_name(i).empty(); ++i) all.push_back(topic_of(docs::embedded_name(i)));
  std::sort(all.begin(), all.end());
  return all;
}

std::string_view topic_text(std::string_view topic) {
  std::string file(topic);
  if (file.starts_with("docs/")) file.erase(0, 5);
  if (file.ends_with(kEnding)) file.resize(file.size() - kEnding.size());
  std::replace(file.begin(), file.end(), '/', '@');
  return docs::embedded_file(file + std::string(kEnding));
}

std::string topics_text() {
  std::string text = "Pages, for plumbline help PAGE:\n\n";
  for (const std::string& topic : topics()) {
    text += "  " + topic;
    text.append(topic.size() < 24 ? 24 - topic.size() : 1, ' ');
    text += std::string(title_of(topic_text(topic))) + "\n";
  }
  return text;
}

}  // namespace plumbline::cli
