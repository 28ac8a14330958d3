// Names in a bucket. Keys come sorted by bytes, so publications come in the order of their time, and of each one SHA256SUMS comes
// before every other file: a publication that is not complete is seen by its absence, without a question about it.
#include <fcntl.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <utility>

#include "core/text.hpp"
#include "registry/bundle_heads.hpp"
#include "registry/manifest/tree.hpp"
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
constexpr std::chrono::hours kWeekend(80);  // from Friday morning to Monday afternoon
constexpr std::chrono::hours kAges(24 * 3660);
constexpr int kShorterAtMost = 4;

// Of the files of a publication: those that say that it is signed, and what a bundle is known by.
bool is_kept(std::string_view file) {
  return file.starts_with("attest/") ||
         std::find(kBundleDocuments.begin(), kBundleDocuments.end(), file) != kBundleDocuments.end();
}

}  // namespace

Expected<S3Store::Listing> S3Store::list_from(const Line& line, const std::string& start, std::size_t pages,
                                              const std::string& until) const {
  Listing listing;
  std::vector<Listed>& out = listing.publications;
  std::string after = line.key + std::max(start, std::string(kFirstSlug)), token;
  for (; pages > 0; --pages) {
    const auto page = client_.list(line.key, after, {}, token);
    if (!page) return fail(page.error());
    std::size_t of_last = 0;
    for (std::size_t i = 0; i < page->keys.size(); ++i) {
      const auto name = std::string_view(page->keys[i]).substr(line.key.size());
      if (name >= kAfterSlugs || (!until.empty() && name >= until)) return listing;
      const auto slash = name.find('/');
      if (slash == std::string_view::npos || !is_slug(name.substr(0, slash))) continue;
      const auto slug = name.substr(0, slash), file = name.substr(slash + 1);
      const bool known = !out.empty() && out.back().slug == slug;
      of_last = known ? of_last + 1 : 1;
      if (!known && file != kManifest) continue;  // never finished, or on its way
      if (!known) out.push_back({std::string(slug), {}, page->etags[i]});
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

// What is before that which is known, from `from` on. False: it is more than these pages, and nothing of it is known.
Expected<bool> S3Store::extend(const Line& line, Known& known, const std::string& from, std::size_t pages) const {
  if (known.from && *known.from <= from) return true;
  auto listing = list_from(line, from, pages, known.from.value_or(std::string()));
  if (!listing) return fail(listing.error());
  if (!listing->whole) return false;
  std::vector<Listed>& before = listing->publications;
  std::move(known.publications.begin(), known.publications.end(), std::back_inserter(before));
  known.publications = std::move(before);
  known.from = from;
  return true;
}

// Where a listing may begin, by what is in the copy: the last so many of it. They may be gone from the bucket, and there may be
// newer ones, which the listing tells; "": the copy does not say.
std::string S3Store::hint(const Line& line, std::size_t at_most) const {
  const io::Descriptor folder(::open(line.path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!folder.valid()) return {};
  const auto there = slugs_in(folder.get(), line.path);
  if (!there || there->size() < at_most) return {};
  return (*there)[there->size() - at_most];
}

// Keys can only be listed upwards. What was published since Friday is one page of a line in use, and of one that was not used for
// long the copy often knows where its end was. Else looks go back in larger and larger steps, each as far as the one before;
// before the larger ones it is seen whether the whole line is one page. Of a line with more than a page in that time shorter ones
// are looked at: by how far the page came, half a page.
core::Status S3Store::know_newest(const Line& line, Known& known, std::size_t at_most) const {
  const auto enough = [&] { return known.from && (known.from->empty() || known.publications.size() >= at_most); };
  if (enough()) return {};
  if (at_most == SIZE_MAX) {
    const auto all = extend(line, known, {}, SIZE_MAX);
    return all ? core::Status() : fail(all.error());
  }
  const auto now = std::chrono::system_clock::now();
  if (!known.from) {
    auto span = std::chrono::duration_cast<std::chrono::system_clock::duration>(kWeekend);
    std::string start = slug_of(now - span);
    if (const std::string known_here = hint(line, at_most); !known_here.empty()) start = std::min(start, known_here);
    for (int shorter = 0; !known.from; ++shorter) {
      const std::size_t pages = shorter < kShorterAtMost ? 1 : SIZE_MAX;
      auto listing = list_from(line, start, pages);
      if (!listing) return fail(listing.error());
      if (listing->whole) {
        known.publications = std::move(listing->publications);
        known.from = start;
        break;
      }
      const auto began = time_of_slug(start).value_or(now);
      const auto came_to =
          listing->publications.empty() ? began : time_of_slug(listing->publications.back().slug).value_or(began);
      span = std::min(came_to > began ? (came_to - began) / 2 : span / 16, now - began);
      start = slug_of(now - std::max<std::chrono::system_clock::duration>(span, std::chrono::seconds(1)));
    }
  }
  bool whole_tried = false;
  while (!enough()) {
    const auto began = time_of_slug(*known.from).value_or(now);
    const auto back = std::max<std::chrono::system_clock::duration>((now - began) * 4, std::chrono::seconds(4));
    if (!whole_tried && back > kWeekend * 4) {
      whole_tried = true;
      const auto all = extend(line, known, {}, 1);
      if (!all) return fail(all.error());
      continue;
    }
    std::string from = back > kAges ? std::string() : slug_of(now - back);
    if (from >= *known.from) from.clear();  // what it begins with is no time
    const auto listed = extend(line, known, from, SIZE_MAX);
    if (!listed) return fail(listed.error());
  }
  return {};
}

Expected<std::vector<S3Store::Listed>> S3Store::newest(const Line& line, std::size_t at_most) const {
  Known unshared;
  Seen* const before = seen(line);
  Known& known = before == nullptr ? unshared : before->known;
  if (auto done = know_newest(line, known, at_most); !done) return fail(done.error());
  const auto& all = known.publications;
  std::vector<Listed> found(all.rbegin(), all.rbegin() + static_cast<std::ptrdiff_t>(std::min(at_most, all.size())));
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
