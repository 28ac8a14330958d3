// Names in a bucket. Keys come sorted by bytes, so publications come in the order of their time, and of each one SHA256SUMS comes
// before every other file: a publication that is not complete is seen by its absence, without a question about it.
#include <algorithm>
#include <array>
#include <iterator>

#include "core/text.hpp"
#include "registry/bundle_heads.hpp"
#include "registry/s3/store.hpp"

namespace plumbline::registry::s3 {

using core::Expected;
using core::fail;

namespace {

constexpr std::string_view kManifest = "SHA256SUMS";
constexpr std::string_view kFirstSlug = "0", kAfterSlugs = ":";  // slugs begin with a digit
// So many keys of one publication in a row are a folder of files: the listing goes on behind it.
constexpr std::size_t kFolderOfFiles = 500;
constexpr std::size_t kNamesAtMost = 64;

// Of the files of a publication: those that say that it is signed, and what a bundle is known by.
bool is_kept(std::string_view file) {
  return file.starts_with("attest/") ||
         std::find(kBundleDocuments.begin(), kBundleDocuments.end(), file) != kBundleDocuments.end();
}

}  // namespace

Expected<S3Store::Listing> S3Store::list_from(const Line& line, const std::string& start, std::size_t pages) const {
  Listing listing;
  std::vector<Listed>& out = listing.publications;
  std::string after = line.key + std::max(start, std::string(kFirstSlug)), token;
  for (; pages > 0; --pages) {
    const auto page = client_.list(line.key, after, {}, token);
    if (!page) return fail(page.error());
    std::size_t of_last = 0;
    for (const std::string& key : page->keys) {
      const auto name = std::string_view(key).substr(line.key.size());
      if (name >= kAfterSlugs) return listing;
      const auto slash = name.find('/');
      if (slash == std::string_view::npos || !is_slug(name.substr(0, slash))) continue;
      const auto slug = name.substr(0, slash), file = name.substr(slash + 1);
      const bool known = !out.empty() && out.back().slug == slug;
      of_last = known ? of_last + 1 : 1;
      if (!known && file != kManifest) continue;  // never finished, or on its way
      if (!known) out.push_back({std::string(slug), {}});
      if (is_kept(file) && out.back().names.size() < kNamesAtMost) out.back().names.emplace_back(file);
    }
    if (page->next.empty()) return listing;
    token = page->next;
    if (page->keys.empty()) continue;
    after = page->keys.back();
    if (of_last < kFolderOfFiles) continue;
    after = after.substr(0, after.find('/', line.key.size())) + "0";  // the character behind the slash
    token.clear();
  }
  listing.whole = false;
  return listing;
}

// Keys can only be listed upwards. The last day of a line in use is one page; where more was published the last hour is looked at
// first. Of one that was not used for a day the whole is one page if it is short; of a long one two weeks are looked at, then a
// year.
Expected<std::vector<S3Store::Listed>> S3Store::newest(const Line& line, std::size_t at_most) const {
  const auto now = std::chrono::system_clock::now();
  struct Look {
    int hours;  // back; 0: all
    std::size_t pages;
  };
  static constexpr std::array<Look, 7> kLooks = {
      {{24, 1}, {1, SIZE_MAX}, {24, SIZE_MAX}, {0, 1}, {24 * 14, SIZE_MAX}, {24 * 366, SIZE_MAX}, {0, SIZE_MAX}}};
  Listing listing;
  bool busy = false;  // more than a page in a day
  for (std::size_t i = at_most == SIZE_MAX ? kLooks.size() - 1 : 0; i < kLooks.size(); ++i) {
    if ((i == 1 || i == 2) && !busy) continue;
    const Look& look = kLooks[i];
    auto seen = list_from(line, look.hours == 0 ? std::string() : slug_of(now - std::chrono::hours(look.hours)), look.pages);
    if (!seen) return fail(seen.error());
    listing = std::move(*seen);
    if (i == 0) busy = !listing.whole;
    if (listing.whole && (look.hours == 0 || listing.publications.size() >= at_most)) break;
  }
  std::vector<Listed> found = std::move(listing.publications);
  std::reverse(found.begin(), found.end());
  if (found.size() > at_most) found.resize(at_most);
  return found;
}

Expected<std::vector<std::string>> S3Store::folders_in(const std::string& prefix) const {
  std::vector<std::string> out;
  std::string token, after;
  do {
    const auto page = client_.list(prefix, after, "/", token);
    if (!page) return fail(page.error());
    for (const std::string& folder : page->prefixes) {
      if (folder.size() > prefix.size() + 1) out.push_back(folder.substr(prefix.size(), folder.size() - prefix.size() - 1));
    }
    if (!page->keys.empty()) after = page->keys.back();
    if (!page->prefixes.empty()) after = std::max(after, page->prefixes.back());
    token = page->next;
  } while (!token.empty());
  return out;
}

Expected<std::vector<std::string>> S3Store::keys_in(const std::string& prefix) const {
  std::vector<std::string> out;
  std::string token, after;
  do {
    auto page = client_.list(prefix, after, {}, token);
    if (!page) return fail(page.error());
    if (!page->keys.empty()) after = page->keys.back();
    std::move(page->keys.begin(), page->keys.end(), std::back_inserter(out));
    token = page->next;
  } while (!token.empty());
  return out;
}

}  // namespace plumbline::registry::s3
