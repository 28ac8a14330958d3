// A registry in a bucket: the same tree of names as on a file system, each object made once and never replaced. A publication is
// its files, SHA256SUMS last: without that it is not there. What is read goes through a copy on this machine, a tree of the same
// names whose files are checked against SHA256SUMS as they come. Safe for many machines at once: names are claimed by the
// condition of the PUT that makes them, which a probe has seen the server keep.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "registry/acceptance_names.hpp"
#include "registry/far_lines.hpp"
#include "registry/journal.hpp"
#include "registry/look.hpp"
#include "registry/posix/signed_line.hpp"
#include "registry/posix/store.hpp"
#include "registry/s3/client.hpp"

namespace plumbline::registry::s3 {

class S3Store final : public Store, public FarLines, public Journal {
 public:
  // `copy` is a folder that exists.
  S3Store(Settings settings, const Environment& environment, const std::string& copy, PathLimits limits);

  std::string root() const override { return local_.root(); }
  std::string address_of(const std::string& path) const override;
  core::Expected<std::string> path_of(const std::string& address) const override;
  core::Status bring(const StorePart& part) const override;
  core::Status bring_heads(Kind kind, std::string_view family, std::string_view measurement,
                           std::span<const std::string> slugs) const override;
  core::Status removes() const override;

  core::Expected<std::string> place(Kind kind, std::string_view family, std::string_view measurement,
                                    std::string_view slug) const override;
  core::Expected<std::unique_ptr<Staging>> stage(Kind kind, std::string_view family, std::string_view measurement) override;
  core::Expected<Published> publish(std::unique_ptr<Staging> staging, std::chrono::system_clock::time_point now) override;
  core::Expected<Published> publish_as(std::unique_ptr<Staging> staging, std::string_view slug) override;
  core::Expected<std::vector<Published>> publish_all(std::vector<std::unique_ptr<Staging>> stagings,
                                                     std::chrono::system_clock::time_point now) override;
  core::Expected<Entry> open(const std::string& directory, const PathLimits& limits) const override;
  core::Expected<std::vector<std::string>> slugs(Kind kind, std::string_view family, std::string_view measurement) const override;
  core::Expected<std::vector<std::string>> names(Kind kind, std::string_view family, std::string_view measurement,
                                                 std::string_view since) const override;
  core::Expected<std::vector<std::string>> newest_slugs(Kind kind, std::string_view family, std::string_view measurement,
                                                        std::size_t at_most) const override;
  core::Expected<std::vector<std::string>> newest_names(Kind kind, std::string_view family, std::string_view measurement,
                                                        std::size_t at_most) const override;
  core::Expected<std::vector<std::pair<std::string, std::string>>> measurements(Kind kind) const override;
  std::string directory(Kind kind, std::string_view family, std::string_view measurement) const override;
  core::Expected<std::optional<core::Acceptance>> accepted(std::string_view family, std::string_view measurement) const override;
  core::Expected<std::vector<std::uint64_t>> open_claims(std::string_view family, std::string_view measurement) const override;
  core::Expected<std::string> accept(core::Acceptance acceptance, const std::function<std::string(const core::Acceptance&)>& text,
                                     const attest::Signing* signing) override;
  core::Status noted_since(const std::string& since,
                           const std::function<core::Status(const std::vector<Noted>&)>& take) const override;

 private:
  struct Line {
    Kind kind = Kind::entry;
    std::string family, measurement;
    std::string path;  // in the copy
    std::string key;   // with a slash at its end
  };
  // What a listing tells of a publication.
  struct Listed {
    std::string slug;
    std::vector<std::string> names;  // of its attestation, and of the document that a bundle is known by
    std::string etag;                // of its SHA256SUMS; "" where the server tells none
  };
  struct Acceptances {
    std::vector<AcceptanceName> records;  // highest first
    std::vector<std::uint64_t> claims;
    std::uint64_t highest = 0;  // claims included
    bool all = true;            // else those at the end, and `claims` of those behind the last record
  };
  // What is known of the end of a line, from `from` on.
  struct Known {
    std::vector<Listed> publications;  // oldest first
    std::optional<std::string> from;   // "": everything; nothing: not listed yet
  };
  // What was seen of a line in the look of this thread (registry/look.hpp).
  struct Seen final : Look::Seen {
    Known known;
    std::optional<Acceptances> acceptances;
    std::optional<std::optional<core::Acceptance>> holds;
    std::set<std::string> whole;  // in the copy as they are in the bucket
  };

  core::Expected<Line> line_of(Kind kind, std::string_view family, std::string_view measurement) const;
  [[nodiscard]] std::string key_of(const std::string& path) const;  // of a path in the copy
  [[nodiscard]] Seen* seen(const Line& line) const;                 // null: nobody looks
  void forget_seen(const Line& line) const;
  // Of what is sorted by slug; null: it is not there.
  [[nodiscard]] static const Listed* find(const std::vector<Listed>& listed, const std::string& slug);

  // listing.cpp
  struct Listing {
    std::vector<Listed> publications;  // oldest first
    bool whole = true;                 // to the end of the line
  };
  // Those before `until` ("": to the end).
  core::Expected<Listing> list_from(const Line& line, const std::string& start, std::size_t pages,
                                    const std::string& until = {}) const;
  core::Expected<bool> extend(const Line& line, Known& known, const std::string& from, std::size_t pages) const;
  [[nodiscard]] std::string hint(const Line& line, std::size_t at_most) const;
  core::Status know_newest(const Line& line, Known& known, std::size_t at_most) const;
  core::Expected<std::vector<Listed>> newest(const Line& line, std::size_t at_most) const;
  core::Expected<std::vector<std::string>> folders_in(const std::string& prefix) const;
  core::Expected<std::vector<std::string>> keys_in(const std::string& prefix) const;

  // copy.cpp
  core::Status bring_heads(const Line& line, const std::vector<Listed>& listed) const;
  // Gives its digest, which has to be `sha256` where that is given.
  core::Expected<std::string> bring_file(const std::string& key, const std::string& path, const std::string& sha256) const;
  core::Status bring_attestation(const Line& line, const Listed& listed) const;
  core::Status bring_head(const Line& line, const std::string& slug) const;
  core::Status complete(const Line& line, const std::string& slug, bool anew) const;
  core::Status join_parts(const std::string& folder, const std::string& name, const FileParts& parts) const;
  [[nodiscard]] bool is_as_listed(const Line& line, const std::string& slug) const;
  core::Status keep(const std::string& path, std::string_view bytes) const;
  core::Status bring_line(const Line& line, bool anew) const;
  [[nodiscard]] std::string mark_of(const Line& line, const std::string& slug, const std::string& sha256) const;
  core::Status mark_whole(const std::string& mark) const;
  bool move_in(const std::string& from, const std::string& folder, const std::vector<core::FileRef>& files) const;
  void forget(const Line& line, const std::string& slug) const;

  // publishing.cpp
  class Turn;
  core::Expected<Published> upload(PosixStaging& staging, const std::string& slug, const std::string& bundle, Turn& turn);
  core::Status put_rest(PosixStaging& staging, const std::string& prefix, const std::string& first);
  Published visible(PosixStaging& staging, const std::string& slug, const std::string& bundle) const;
  core::Expected<Turn> enter_line(PosixStaging& staging);
  core::Status bring_newest_signed(const Line& line) const;
  core::Status check_server() const;

  // journal.cpp
  [[nodiscard]] std::string journal_prefix() const;
  core::Status note(Noted noted) const;

  // acceptance.cpp
  core::Expected<Acceptances> list_acceptances(const Line& line, bool all = false) const;
  core::Expected<std::vector<AcceptanceName>> newest_records(const std::string& prefix) const;
  core::Expected<std::optional<core::Acceptance>> highest_valid(const Line& line, const Acceptances& listed) const;

  Address address_;
  PathLimits limits_;
  PosixStore local_;
  mutable Client client_;
  mutable std::mutex checking_;
  mutable bool checked_ = false;
};

}  // namespace plumbline::registry::s3
