#include "registry/attest/acceptance.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "registry/acceptance_names.hpp"
#include "registry/posix/store.hpp"

namespace plumbline::registry {

using core::Acceptance;
using core::ErrorCode;
using core::fail;

namespace {

struct Listing {
  std::vector<AcceptanceName> records;  // highest seq first
  std::vector<std::uint64_t> claims;
  std::uint64_t highest = 0;  // claims included
};

core::Expected<Listing> list_acceptances(int folder, const std::string& path) {
  const auto names = io::list_folder(folder, path, 1'000'000);
  if (!names) return fail(names.error());
  Listing listing;
  for (const auto& entry : *names) {
    if (entry.name.starts_with(kAcceptanceClaim)) {
      const auto claimed = claimed_number(entry.name);
      listing.highest = std::max(listing.highest, claimed.value_or(0));
      if (claimed) listing.claims.push_back(*claimed);
    } else if (auto record = parse_acceptance_name(entry.name)) {
      listing.highest = std::max(listing.highest, record->seq);
      if (S_ISREG(entry.type)) listing.records.push_back(std::move(*record));
    }
  }
  std::sort(listing.records.begin(), listing.records.end(),
            [](const AcceptanceName& a, const AcceptanceName& b) { return a.seq != b.seq ? a.seq > b.seq : a.slug > b.slug; });
  return listing;
}

std::optional<Acceptance> read_acceptance(int folder, const std::string& path, const AcceptanceName& name,
                                          std::string_view family, std::string_view measurement) {
  const auto text = io::read_text_at(folder, name.file, io::join(path, name.file), kAcceptanceAtMost);
  return text ? parse_acceptance(*text, name, family, measurement) : std::nullopt;
}

std::optional<Acceptance> highest_valid(int folder, const std::string& path, const Listing& listing, std::string_view family,
                                        std::string_view measurement) {
  for (const auto& name : listing.records) {
    if (auto acceptance = read_acceptance(folder, path, name, family, measurement)) return acceptance;
  }
  return std::nullopt;
}

// A seq held by an empty file that only one writer can create; given back when the record is there or the writer fails.
class SeqClaim {
 public:
  SeqClaim(int folder, std::uint64_t seq) : folder_(folder), name_(acceptance_claim(seq)) {
    const io::Descriptor fd(::openat(folder, name_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0444));
    error_ = fd.valid() ? 0 : errno;
  }
  ~SeqClaim() {
    if (error_ == 0) ::unlinkat(folder_, name_.c_str(), 0);
  }
  SeqClaim(const SeqClaim&) = delete;
  SeqClaim& operator=(const SeqClaim&) = delete;
  [[nodiscard]] int error() const { return error_; }

 private:
  int folder_;
  std::string name_;
  int error_ = 0;
};

int write_record(int folder, const std::string& file, std::string_view text) {
  const std::string temporary = ".tmp-accept-" + io::hex_random(16);
  io::Descriptor fd(::openat(folder, temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0444));
  if (!fd.valid()) return errno;
  bool confirmed = true;
  int error = io::write_all(fd.get(), text);
  if (error == 0 && ::fchmod(fd.get(), 0444) != 0) error = errno;
  if (error == 0) error = io::sync(fd.get(), &confirmed);
  if (error == 0) error = fd.close_checked();
  if (error == 0) error = io::rename_no_replace(folder, temporary.c_str(), file.c_str());
  if (error != 0) {
    ::unlinkat(folder, temporary.c_str(), 0);
    return error;
  }
  return io::sync(folder, &confirmed);
}

// Before the record, which must not hold without it. What a writer left that never came to its record is replaced: only who has
// the number writes under it.
int write_signature(int accepted, const std::string& file, std::string_view text) {
  if (::mkdirat(accepted, attest::kAcceptedFolder, 0755) != 0 && errno != EEXIST) return errno;
  const io::Descriptor folder(::openat(accepted, attest::kAcceptedFolder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!folder.valid()) return errno;
  const std::string name = attest::envelope_of_record(file);
  ::unlinkat(folder.get(), name.c_str(), 0);
  return write_record(folder.get(), name, text);
}

}  // namespace

core::Expected<std::optional<Acceptance>> PosixStore::accepted(std::string_view family, std::string_view measurement) const {
  const auto inside = checked_inside(Kind::entry, family, measurement);
  if (!inside) return fail(inside.error());
  const std::string path = io::join(io::join(root_, *inside), "accepted");
  const auto folder = open_inside(io::join(*inside, "accepted"));
  if (!folder) return fail(folder.error());
  if (!folder->valid()) return std::optional<Acceptance>{};
  const auto listing = list_acceptances(folder->get(), path);
  if (!listing) return fail(listing.error());
  return highest_valid(folder->get(), path, *listing, family, measurement);
}

core::Expected<std::vector<std::uint64_t>> PosixStore::open_claims(std::string_view family, std::string_view measurement) const {
  const auto inside = checked_inside(Kind::entry, family, measurement);
  if (!inside) return fail(inside.error());
  const std::string within = io::join(*inside, "accepted");
  const auto folder = open_inside(within);
  if (!folder) return fail(folder.error());
  if (!folder->valid()) return std::vector<std::uint64_t>{};
  auto listing = list_acceptances(folder->get(), io::join(root_, within));
  if (!listing) return fail(listing.error());
  return without_record(std::move(listing->claims), listing->records);
}

core::Expected<std::string> PosixStore::accept(Acceptance acceptance, const std::function<std::string(const Acceptance&)>& text,
                                               const attest::Signing* signing) {
  const auto inside = checked_inside(Kind::entry, acceptance.family, acceptance.measurement);
  if (!inside) return fail(inside.error());
  if (auto good = check_segment("slug", acceptance.slug); !good) return fail(good.error());
  const std::string measurement = io::join(root_, *inside);
  const auto opened = open_inside(*inside);
  if (!opened) return fail(opened.error());
  const int parent = opened->get();
  struct stat info {};
  if (!opened->valid() || ::fstatat(parent, acceptance.slug.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISDIR(info.st_mode)) {
    const auto there = slugs(Kind::entry, acceptance.family, acceptance.measurement);
    return fail(ErrorCode::not_found,
                "there is no entry " + acceptance.slug + " in " + acceptance.family + "/" + acceptance.measurement,
                there && !there->empty() ? "the newest is " + there->back() : "nothing is recorded there", measurement);
  }
  const std::string path = io::join(measurement, "accepted");
  const bool made = ::mkdirat(parent, "accepted", 0755) == 0;
  if (!made && errno != EEXIST) return fail(io::write_error("accepted", measurement, errno));
  const io::Descriptor folder(::openat(parent, "accepted", O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!folder.valid()) return fail(io::write_error("accepted", measurement, errno));
  const auto failed = [&](const std::string& file, int error) {
    if (made) ::unlinkat(parent, "accepted", AT_REMOVEDIR);  // only when nothing is in it
    return fail(io::write_error(file, path, error));
  };
  for (;;) {
    auto listing = list_acceptances(folder.get(), path);
    if (!listing) return fail(listing.error());
    acceptance.seq = listing->highest + 1;
    const std::string file = acceptance_file(acceptance.seq, acceptance.slug);
    int error = 0;
    {
      const SeqClaim claim(folder.get(), acceptance.seq);
      error = claim.error();
      if (error == EEXIST) continue;  // another writer has it: the next number
      if (error == 0) {
        // Its last holder may have published under it between our look and our claim.
        listing = list_acceptances(folder.get(), path);
        if (!listing) return fail(listing.error());
        if (std::any_of(listing->records.begin(), listing->records.end(),
                        [&](const auto& name) { return name.seq >= acceptance.seq; }))
          continue;
        const auto previous = highest_valid(folder.get(), path, *listing, acceptance.family, acceptance.measurement);
        acceptance.previous = previous ? std::optional(previous->slug) : std::nullopt;
        const std::string record = text(acceptance);
        const auto signature =
            signing == nullptr ? core::Expected<std::string>() : attest::sign_acceptance(*signing, acceptance, file, record);
        if (!signature) return fail(signature.error());
        if (!signature->empty()) error = write_signature(folder.get(), file, *signature);
        if (error == 0) error = write_record(folder.get(), file, record);
      }
    }
    if (error == EEXIST) continue;
    if (error != 0) return failed(file, error);
    if (made) {
      bool confirmed = true;
      error = io::sync(parent, &confirmed);
      if (error != 0) return failed(file, error);
    }
    return io::join(path, file);
  }
}

}  // namespace plumbline::registry
