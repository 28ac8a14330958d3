// The store's journal (registry/journal.hpp): a small object for each publication and acceptance, whose name says it all, so that
// a page of a listing is a thousand lines and nothing is fetched. Below a prefix of its own, which a lifecycle rule may empty.
#include <chrono>
#include <utility>

#include "registry/s3/store.hpp"

namespace plumbline::registry::s3 {

using core::fail;

std::string S3Store::journal_prefix() const {
  return (address_.prefix.empty() ? std::string() : address_.prefix + "/") + ".plumbline-journal/";
}

// Of what is complete: asked to stop it goes on, and what goes wrong with it harms nothing.
core::Status S3Store::note(Noted noted) const {
  noted.at = slug_of(std::chrono::system_clock::now());
  const std::string name = journal_name(noted), text = name + "\n";
  const auto made = client_.put_once(journal_prefix() + name, {text, {}, text.size(), sha256_hex(text)}, true);
  return made ? core::Status() : fail(made.error());
}

core::Status S3Store::noted_since(const std::string& since,
                                  const std::function<core::Status(const std::vector<Noted>&)>& take) const {
  const std::string prefix = journal_prefix();
  std::string token, after = prefix + since;
  do {
    const auto page = client_.list(prefix, after, {}, token);
    if (!page) return fail(page.error());
    std::vector<Noted> lines;
    for (const std::string& key : page->keys) {
      if (auto line = parse_journal_name(std::string_view(key).substr(prefix.size()))) lines.push_back(std::move(*line));
    }
    if (auto taken = take(lines); !taken) return taken;
    if (!page->keys.empty()) after = page->keys.back();
    token = page->next;
  } while (!token.empty());
  return {};
}

}  // namespace plumbline::registry::s3
