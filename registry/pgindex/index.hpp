// A derived index of one store, in PostgreSQL: who asks it for the newest entry of a context, the values of a series or a word
// gets an answer that costs the same whatever the number of entries. The store is the truth. The index may be dropped at any time
// and made again, may lack what was published while it was away, and may know what is gone: whoever asks it holds every answer
// against the store before he believes it (pgindex/fit.hpp, search.cpp).
// Shared by the threads of a process. It connects when it is first asked; after a failure it is left alone for a while.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "registry/journal.hpp"
#include "registry/pgindex/connection.hpp"
#include "registry/pgindex/rows.hpp"

namespace plumbline::registry::pgindex {

// Counts the steps in migrations/. Whoever changes what cache::pack or pack_context write adds one that empties the tables of it.
inline constexpr int kSchemaVersion = 8;

struct KnownContext {
  std::int64_t id = 0;
  core::Context context;
};
struct KnownEntry {
  std::string slug, measured;
  std::int64_t context_id = 0;
};
struct KnownRecord {
  std::string slug;
  core::BaselineRecord record;  // as Records::read has it
};
// What a search is about; every condition may give too much and never too little.
struct Wanted {
  std::vector<std::string> words;  // in lower case
  std::string family, measurement, verdict, key_glob, since, until;
};
// What is found is what reading everything would find: every condition can be asked as it is meant.
[[nodiscard]] bool is_exact(const Wanted& wanted);
struct FoundPlace {
  Kind kind = Kind::entry;
  std::string family, measurement, slug;
};
struct Counts {
  std::uint64_t measurements = 0, contexts = 0, series = 0, entries = 0, points = 0, bundles = 0, acceptances = 0, bytes = 0;
};

// How far somebody went who follows the store, in times as slugs; "": nobody did.
struct Followed {
  std::string journal;   // the lines of its journal up to then are here
  std::string compared;  // when all that the store lists was last compared with this
};

class Index {
 public:
  // `origin`: which store it is of, by its address; a database that was filled from another one is not used.
  Index(std::string address, std::string origin);
  ~Index();
  [[nodiscard]] const std::string& shown() const { return shown_; }

  // Newest first by `measured`, then by slug: one for each of the contexts that has any.
  [[nodiscard]] core::Expected<std::vector<KnownContext>> contexts(std::string_view family, std::string_view measurement,
                                                                   const Stop& stop);
  [[nodiscard]] core::Expected<std::vector<KnownEntry>> newest_of(std::string_view family, std::string_view measurement,
                                                                  std::span<const std::int64_t> contexts, const Stop& stop);
  // The newest of a context that stand before `below` (of newest_of), newest first.
  [[nodiscard]] core::Expected<std::vector<KnownEntry>> older_than(std::string_view family, std::string_view measurement,
                                                                   const KnownEntry& below, std::size_t at_most,
                                                                   const Stop& stop);
  // Sorted; `since` and later, "" for all.
  [[nodiscard]] core::Expected<std::vector<std::string>> slugs(Kind kind, std::string_view family, std::string_view measurement,
                                                               std::string_view since, const Stop& stop);
  [[nodiscard]] core::Expected<std::vector<std::pair<std::string, std::string>>> measurements(const Stop& stop);
  // Newest first, a million at most.
  [[nodiscard]] core::Expected<std::vector<KnownRecord>> records(std::string_view family, std::string_view measurement,
                                                                 const Stop& stop);
  // Newest first; of the same moment entries before bundles, then by name.
  [[nodiscard]] core::Expected<std::vector<FoundPlace>> search(const Wanted& wanted, std::size_t at_most, const Stop& stop);
  // All that it knows of the families, measurements and times that are wanted, in no order.
  [[nodiscard]] core::Expected<std::vector<FoundPlace>> places(const Wanted& wanted, const Stop& stop);
  // The digests that stand for what it knows of a measurement, by slug: bundle ids.
  [[nodiscard]] core::Expected<std::vector<std::pair<std::string, std::string>>> digests(Kind kind, std::string_view family,
                                                                                         std::string_view measurement,
                                                                                         std::string_view since,
                                                                                         const Stop& stop);
  // The slug of the acceptance with the highest number; "" for none.
  [[nodiscard]] core::Expected<std::string> accepted(std::string_view family, std::string_view measurement, const Stop& stop);
  // `about`: as the planner believes since it was last analysed.
  [[nodiscard]] core::Expected<Counts> counts(bool about, const Stop& stop);

  // What is there already stays as it is. Each of these is one transaction; an error has changed nothing.
  [[nodiscard]] core::Status add(std::span<const EntryRow> rows, const Stop& stop);
  [[nodiscard]] core::Status add(std::span<const BundleRow> rows, const Stop& stop);
  [[nodiscard]] core::Status add(const core::Acceptance& acceptance, const Stop& stop);
  [[nodiscard]] core::Status forget(Kind kind, std::string_view family, std::string_view measurement,
                                    std::span<const std::string> slugs, const Stop& stop);

  // Which of these lines of the store's journal it does not know yet. Of acceptances it knows one when it knows that or a later
  // one.
  [[nodiscard]] core::Expected<std::vector<std::size_t>> unknown(std::span<const Noted> lines, const Stop& stop);
  [[nodiscard]] core::Expected<Followed> followed(const Stop& stop);
  // Never goes back.
  [[nodiscard]] core::Status set_followed(const Followed& followed, const Stop& stop);

  // The tables as this program knows them: made, or brought up to date. A schema of a newer program is an error.
  [[nodiscard]] core::Status migrate(const Stop& stop);
  // After much was added: what its planner goes by.
  [[nodiscard]] core::Status analyse(const Stop& stop);
  // Everything in it is removed, and the tables with it. What is of another registry, or of a newer program, is so only by force.
  [[nodiscard]] core::Status drop(bool by_force, const Stop& stop);

  // For callers who are in no hurry (`plumbline index`), and can derive again what a server that dies has not kept.
  void be_patient() {
    patience_ = std::chrono::minutes(30);
    synchronous_commit_ = "off";
  }

 private:
  class Lease;
  struct Session {
    std::unique_ptr<Connection> connection;
    int version = 0;                              // of its schema
    std::string origin;                           // of what it holds
    std::chrono::steady_clock::time_point asked;  // when that was so
  };
  [[nodiscard]] core::Expected<Session> connected(const Stop& stop);
  [[nodiscard]] core::Expected<Lease> lease(const Stop& stop, bool as_it_is = false);
  [[nodiscard]] core::Status check(const Session& session) const;
  [[nodiscard]] core::Error said(const core::Error& error) const;
  [[nodiscard]] core::Status drop_tables(Lease& lease, bool by_force, const Stop& stop);
  [[nodiscard]] core::Status apply(Connection& connection, int version, const Stop& stop);
  [[nodiscard]] core::Expected<std::optional<std::string>> measurement_id(Lease& lease, std::string_view family,
                                                                          std::string_view measurement);
  [[nodiscard]] core::Status add_names(Connection& connection, std::span<const EntryRow> rows, const Stop& stop);
  [[nodiscard]] core::Status add_measurements(Connection& connection, const Parameters& names, const Stop& stop);

  std::string address_, shown_, origin_;
  std::chrono::milliseconds patience_{5000};
  std::optional<std::string> synchronous_commit_;  // else as the server has it
  std::mutex mutex_;
  std::vector<Session> idle_;
  std::chrono::steady_clock::time_point down_until_;
  core::Error down_;
};

// One object for an address and a store in a process.
[[nodiscard]] std::shared_ptr<Index> index_at(const std::string& address, const std::string& origin);

}  // namespace plumbline::registry::pgindex
