// Making things: staged in the copy as on any file system, then put object by object.
#include <fcntl.h>

#include <algorithm>
#include <thread>
#include <utility>

#include "core/citing.hpp"
#include "registry/posix/staging.hpp"
#include "registry/s3/probe.hpp"
#include "registry/s3/store.hpp"

namespace plumbline::registry::s3 {

using core::ErrorCode;
using core::Expected;
using core::fail;

namespace {

constexpr std::string_view kManifest = "SHA256SUMS";
constexpr auto kLongestWait = std::chrono::seconds(60);

struct Object {
  std::string name;  // relative to the publication
  Content content;
};
// A file, or its parts.
std::vector<Object> objects_of(const core::FileRef& file, const FileParts& parts) {
  if (parts.empty()) return {{file.name, {{}, file.path, file.bytes, file.sha256, 0}}};
  std::vector<Object> objects;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const std::uint64_t start = parts[i].offset, end = i + 1 == parts.size() ? file.bytes : parts[i + 1].offset;
    objects.push_back({part_name(file.name, start), {{}, file.path, end - start, parts[i].sha256, start}});
  }
  return objects;
}
std::vector<Object> objects_of(const PosixStaging& staging) {
  std::vector<Object> objects;
  for (const core::FileRef& file : staging.files(staging.folder())) {
    for (Object& one : objects_of(file, staging.parts_of(file.name))) objects.push_back(std::move(one));
  }
  return objects;
}

// The file that claims a slug: one that every publication of its kind has.
std::string claiming(const std::vector<Object>& objects, Kind kind) {
  for (const std::string_view name : {kind == Kind::entry ? "baseline.json" : "diff.md", "diff.json", "outliers.json"}) {
    if (std::any_of(objects.begin(), objects.end(), [&](const Object& one) { return one.name == name; }))
      return std::string(name);
  }
  // Never SHA256SUMS, which is the last.
  return std::find_if(objects.begin(), objects.end(), [](const Object& one) { return one.name != kManifest; })->name;
}

Expected<PosixStaging*> ours(const std::unique_ptr<Staging>& staging) {
  auto* const posix = dynamic_cast<PosixStaging*>(staging.get());
  if (posix == nullptr) return fail(ErrorCode::internal, "the staged files belong to another store");
  return posix;
}

tl::unexpected<core::Error> no_condition(const std::string& address) {
  return fail(ErrorCode::environment,
              "the server of " + address + " knows no If-None-Match: two writers could replace each other's entries",
              "docs/stores.md lists servers that keep the condition", address);
}

}  // namespace

core::Status S3Store::check_server() const {
  const std::lock_guard lock(checking_);
  if (checked_) return {};
  auto checked = check_bucket(client_, root());
  checked_ = checked.has_value();
  return checked;
}

Expected<std::unique_ptr<Staging>> S3Store::stage(Kind kind, std::string_view family, std::string_view measurement) {
  auto staging = local_.stage(kind, family, measurement);
  if (!staging) return staging;
  (*staging)->in_batch();  // the bucket is what must last, not the copy
  if (auto posix = ours(*staging)) (*posix)->set_part_bytes(client_.settings().part_bytes);
  return staging;
}

// A signer's turn in its line: the lock in the copy, and over all machines an object that says who comes after the publication
// before. Given back by whoever does not publish; unsigned publications have nothing to wait for.
class S3Store::Turn {
 public:
  explicit Turn(SignedLine line) : line_(std::move(line)) {}
  Turn(SignedLine line, Client& client, std::string claim) : line_(std::move(line)), client_(&client), claim_(std::move(claim)) {}
  Turn(Turn&& other) noexcept
      : line_(std::move(other.line_)), client_(other.client_), claim_(std::exchange(other.claim_, std::string())) {}
  Turn& operator=(Turn&&) = delete;
  ~Turn() {
    if (!claim_.empty()) client_->remove(claim_);
  }
  [[nodiscard]] SignedLine& line() { return line_; }
  // The publication is there, or may be: who comes next finds out.
  void keep() { claim_.clear(); }

 private:
  SignedLine line_;
  Client* client_ = nullptr;
  std::string claim_;  // its key
};

Expected<S3Store::Turn> S3Store::enter_line(PosixStaging& staging) {
  if (staging.signing() == nullptr) {
    auto entered = SignedLine::enter(staging, local_.index());
    if (!entered) return fail(entered.error());
    return Turn(std::move(*entered));
  }
  const std::string measurement(io::base_of(staging.parent())), family(io::base_of(io::parent_of(staging.parent())));
  const auto line = line_of(staging.kind(), family, measurement);
  if (!line) return fail(line.error());
  const auto end = std::chrono::steady_clock::now() + kLongestWait;
  for (;;) {
    if (auto brought = bring_newest_signed(*line); !brought) return fail(brought.error());
    auto entered = SignedLine::enter(staging, local_.index());
    if (!entered) return fail(entered.error());
    const std::string claim =
        line->key + ".after-" + (entered->previous().empty() ? std::string("nothing") : entered->previous());
    const std::string text = "a signed publication comes here: " + io::hex_random(16) + "\n";
    if (limits_.stop && limits_.stop()) return fail(ErrorCode::cancelled, "stopped");
    // To its end: a claim that nobody knows to be made would lock the line.
    const auto made = client_.put_once(claim, {text, {}, text.size(), sha256_hex(text)}, true);
    if (!made) return fail(made.error());
    if (*made == Put::unsupported) return no_condition(address_.text());
    if (*made == Put::made) return Turn(std::move(*entered), client_, claim);
    entered->leave();
    if (limits_.stop && limits_.stop()) return fail(ErrorCode::cancelled, "stopped while waiting for another signer");
    if (std::chrono::steady_clock::now() > end) {
      return fail(ErrorCode::environment,
                  "another signer said more than a minute ago that it publishes after the newest signed one",
                  "repeat the call; if that signer was killed, remove s3://" + address_.bucket + "/" + claim, claim);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
  }
}

core::Status S3Store::bring_newest_signed(const Line& line) const {
  Known known;  // listed now, whatever was seen before: another signer may have come to his end
  for (const std::size_t at_most : {std::size_t{1}, std::size_t{32}, std::size_t{1024}, SIZE_MAX}) {
    if (auto done = know_newest(line, known, at_most); !done) return done;
    if (known.publications.empty()) return {};
    const auto last = std::find_if(known.publications.rbegin(), known.publications.rend(), [](const Listed& one) {
      return std::any_of(one.names.begin(), one.names.end(), [](const auto& name) { return name.starts_with("attest/"); });
    });
    if (last == known.publications.rend()) continue;  // so far
    if (auto brought = bring_heads(line, {known.publications.back()}); !brought) return brought;
    return bring_attestation(line, *last);
  }
  return bring_heads(line, {known.publications.back()});
}

core::Status S3Store::put_rest(PosixStaging& staging, const std::string& prefix, const std::string& first) {
  auto objects = objects_of(staging);
  std::erase_if(objects, [&](const Object& one) { return one.name == first || one.name == kManifest; });
  const auto put = [&](const Object& one) -> core::Status {
    const auto made = client_.put_once(prefix + one.name, one.content);
    if (!made) return fail(made.error());
    if (*made == Put::made) return {};
    return fail(ErrorCode::environment,
                "s3://" + address_.bucket + "/" + prefix + one.name + " is there already, and not from this call",
                "repeat the call", prefix);
  };
  if (objects.size() > 3) return in_parallel(objects.size(), [&](std::size_t i) { return put(objects[i]); });
  for (const Object& one : objects) {
    if (auto done = put(one); !done) return done;
  }
  return {};
}

Published S3Store::visible(PosixStaging& staging, const std::string& slug, const std::string& bundle) const {
  Published published;
  published.path = io::join(staging.parent(), slug);
  published.address = address_of(published.path);
  published.slug = slug;
  published.sha256 = bundle;
  published.files = staging.files(published.path);
  const int error = staging.rename_to(slug);
  const bool here = error == 0 || (error == EEXIST && move_in(staging.folder(), published.path, published.files));
  const std::string measurement(io::base_of(staging.parent())), family(io::base_of(io::parent_of(staging.parent())));
  const auto line = line_of(staging.kind(), family, measurement);
  // Else it is fetched when it is asked for.
  if (here && line) static_cast<void>(mark_whole(mark_of(*line, slug, bundle)));
  return published;
}

// already_exists when somebody else has the slug.
Expected<Published> S3Store::upload(PosixStaging& staging, const std::string& slug, const std::string& bundle, Turn& turn) {
  const auto objects = objects_of(staging);
  const std::string place = io::join(staging.parent(), slug);
  const std::string prefix = key_of(place) + "/";
  const std::string measurement(io::base_of(staging.parent())), family(io::base_of(io::parent_of(staging.parent())));
  if (const auto line = line_of(staging.kind(), family, measurement)) forget_seen(*line);
  const std::string first = claiming(objects, staging.kind());
  const auto by_name = [&](std::string_view name) {
    return std::find_if(objects.begin(), objects.end(), [&](const Object& one) { return one.name == name; })->content;
  };
  const auto claimed = client_.put_once(prefix + first, by_name(first));
  if (!claimed) return fail(claimed.error());
  if (*claimed == Put::unsupported) return no_condition(address_.text());
  if (*claimed == Put::taken)
    return fail(ErrorCode::already_exists, "registry entry already exists: " + address_of(place), {}, address_of(place));
  if (auto put = put_rest(staging, prefix, first); !put) return fail(put.error());
  if (limits_.stop && limits_.stop()) return fail(ErrorCode::cancelled, "stopped");
  const auto committed = client_.put_once(prefix + std::string(kManifest), by_name(kManifest), true);
  if (!committed) {
    turn.keep();  // a lost answer: it may be there
    return fail(committed.error());
  }
  if (*committed != Put::made)
    return fail(ErrorCode::already_exists, "registry entry already exists: " + address_of(place), {}, address_of(place));
  turn.keep();
  Published published = visible(staging, slug, bundle);
  const NotedAs what = staging.kind() == Kind::entry ? NotedAs::entry : NotedAs::bundle;
  if (auto noted = note({{}, what, family, measurement, slug}); !noted)
    published.warnings.push_back({"index_not_fed", "published, but not noted in the store's journal: " + noted.error().message});
  return published;
}

Expected<Published> S3Store::publish(std::unique_ptr<Staging> staging, std::chrono::system_clock::time_point now) {
  const auto posix = ours(staging);
  if (!posix) return fail(posix.error());
  const auto bundle = (*posix)->seal();
  if (!bundle) return fail(bundle.error());
  if (auto good = check_server(); !good) return fail(good.error());
  auto turn = enter_line(**posix);
  if (!turn) return fail(turn.error());
  for (auto time = turn->line().not_before(now);; time += std::chrono::microseconds(1)) {
    const std::string slug = slug_of(time);
    if (auto done = turn->line().sign(slug); !done) return fail(done.error());
    auto published = upload(**posix, slug, *bundle, *turn);
    if (published || published.error().code != ErrorCode::already_exists) return published;
  }
}

Expected<Published> S3Store::publish_as(std::unique_ptr<Staging> staging, std::string_view slug) {
  const auto posix = ours(staging);
  if (!posix) return fail(posix.error());
  if (auto good = check_segment("slug", slug); !good) return fail(good.error());
  const auto bundle = (*posix)->seal();
  if (!bundle) return fail(bundle.error());
  if (auto good = check_server(); !good) return fail(good.error());
  auto turn = enter_line(**posix);
  if (!turn) return fail(turn.error());
  if (auto done = turn->line().sign(std::string(slug)); !done) return fail(done.error());
  return upload(**posix, std::string(slug), *bundle, *turn);
}

Expected<std::vector<Published>> S3Store::publish_all(std::vector<std::unique_ptr<Staging>> stagings,
                                                      std::chrono::system_clock::time_point now) {
  std::vector<Published> published;
  auto time = now;
  for (auto& staging : stagings) {
    auto one = publish(std::move(staging), time);
    if (!one) return fail(one.error());
    time = time_of_slug(one->slug).value_or(time) + std::chrono::microseconds(1);
    published.push_back(std::move(*one));
  }
  return published;
}

}  // namespace plumbline::registry::s3
