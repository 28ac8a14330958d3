#include "registry/pgindex/index.hpp"

#include <map>

#include "core/citing.hpp"
#include "registry/pgindex/address.hpp"
#include "registry/pgindex/lease.hpp"
#include "registry/pgindex/migrations.hpp"

namespace plumbline::registry::pgindex {

using core::ErrorCode;
using core::fail;
using std::chrono::steady_clock;

namespace {

constexpr std::chrono::milliseconds kConnectAtMost{3000};
constexpr std::chrono::seconds kLeftAlone{10};
constexpr std::chrono::seconds kBelieved{60};
constexpr std::size_t kIdleAtMost = 16;
constexpr const char* kNoSchema = "3F000";
constexpr const char* kNoTable = "42P01";

// Names are looked up in our schema alone. Dates are in UTC, numbers in their shortest exact form, and nobody else's planner
// settings change what a statement means. Nor does the server go on with one that nobody waits for any more ($1).
// $2: whether it waits for its disk.
constexpr const char* kBegin =
    "SELECT set_config('search_path', 'plumbline', false), set_config('TimeZone', 'UTC', false), "
    "set_config('DateStyle', 'ISO', false), set_config('extra_float_digits', '1', false), set_config('bytea_output', 'hex', "
    "false), set_config('standard_conforming_strings', 'on', false), set_config('jit', 'off', false), "
    "set_config('statement_timeout', $1, false), "
    "set_config('synchronous_commit', coalesce($2, current_setting('synchronous_commit')), false)";

// One of several who make, change or drop the tables at a time; the others wait for him.
constexpr const char* kLock = "SELECT pg_advisory_lock(7302616, 1);";
constexpr const char* kUnlock = "SELECT pg_advisory_unlock(7302616, 1);";

// An extension that an older program made in our schema is other people's, too.
constexpr const char* kMoveExtension = R"sql(
DO $$
BEGIN
  IF EXISTS (SELECT FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace
             WHERE e.extname = 'pg_trgm' AND n.nspname = 'plumbline') THEN
    ALTER EXTENSION pg_trgm SET SCHEMA public;
  END IF;
END $$)sql";

struct State {
  int version = 0;
  std::string origin;
};

core::Expected<State> state_of(Connection& connection, const Stop& stop) {
  const auto rows = connection.run(
      "SELECT (SELECT coalesce(max(version), 0) FROM plumbline.migrations), (SELECT address FROM plumbline.origin)", {},
      kConnectAtMost, stop);
  if (rows) return State{static_cast<int>(rows->integer(0, 0)), std::string(rows->text(0, 1))};
  if (connection.sql_state() == kNoSchema || connection.sql_state() == kNoTable) return State();
  return fail(rows.error());
}

// Texts of publications may hold any character.
core::Status check_encoding(Connection& connection, const Stop& stop) {
  const auto rows = connection.run("SHOW server_encoding", {}, kConnectAtMost, stop);
  if (!rows) return fail(rows.error());
  if (rows->text(0, 0) == "UTF8") return {};
  return fail(ErrorCode::environment, "its database has the encoding " + std::string(rows->text(0, 0)) + ", not UTF8",
              "`createdb -E UTF8 -T template0 NAME` makes one that can hold every text");
}

}  // namespace

Index::Index(std::string address, std::string origin)
    : address_(std::move(address)), shown_(shown_address(address_)), origin_(std::move(origin)) {}
Index::~Index() = default;

core::Error Index::said(const core::Error& error) const {
  if (error.code == ErrorCode::cancelled) return error;
  return {error.code, "the index " + core::cited_path(shown_) + ": " + error.message, error.hint, ""};
}

core::Expected<Index::Session> Index::connected(const Stop& stop) {
  if (auto ok = check_address(address_, "the index"); !ok) return fail(ok.error());
  auto connection = Connection::open(address_, kConnectAtMost, stop);
  if (!connection) return fail(connection.error());
  if (auto ok = (*connection)->run(kBegin, {std::to_string(patience_.count()), synchronous_commit_}, kConnectAtMost, stop); !ok)
    return fail(ok.error());
  auto state = state_of(**connection, stop);
  if (!state) return fail(state.error());
  return Session{std::move(*connection), state->version, std::move(state->origin), steady_clock::now()};
}

core::Expected<Index::Lease> Index::lease(const Stop& stop, bool as_it_is) {
  Session session;
  bool used = false;
  {
    const std::lock_guard lock(mutex_);
    if (steady_clock::now() < down_until_) return fail(down_);
    if (!idle_.empty()) {
      session = std::move(idle_.back());
      idle_.pop_back();
      used = true;
    }
  }
  // Others may have dropped, changed or claimed the tables since it was last asked.
  if (session.connection != nullptr && steady_clock::now() - session.asked > kBelieved) {
    auto state = state_of(*session.connection, stop);
    if (state)
      session = Session{std::move(session.connection), state->version, std::move(state->origin), steady_clock::now()};
    else
      session = Session(), used = false;
  }
  if (session.connection == nullptr) {
    auto made = connected(stop);
    if (!made) {
      const core::Error error = said(made.error());
      if (error.code == ErrorCode::cancelled) return fail(error);
      const std::lock_guard lock(mutex_);
      down_ = error;
      down_until_ = steady_clock::now() + kLeftAlone;
      return fail(error);
    }
    session = std::move(*made);
  }
  Lease lease(*this, std::move(session), used, stop);
  if (as_it_is) return lease;
  if (auto ok = check(lease.session()); !ok) return fail(said(ok.error()));
  return lease;
}

core::Status Index::check(const Session& session) const {
  if (session.version == 0) return fail(ErrorCode::environment, "it has no tables yet", "`plumbline index rebuild` makes them");
  if (session.version > kSchemaVersion)
    return fail(ErrorCode::environment,
                "its tables are those of a newer plumbline: version " + std::to_string(session.version) + ", this one knows " +
                    std::to_string(kSchemaVersion),
                "use the same release of plumbline everywhere");
  if (session.version < kSchemaVersion)
    return fail(ErrorCode::environment,
                "its tables are of version " + std::to_string(session.version) + ", not " + std::to_string(kSchemaVersion),
                "`plumbline index follow` brings them up to date");
  if (session.origin != origin_)
    return fail(ErrorCode::environment,
                "it is of another registry: " + core::cited_path(session.origin) + ", not " + core::cited_path(origin_),
                "this one wants a database of its own; `--repo-root` or `--store` names that one");
  return {};
}

Index::Lease::~Lease() {
  if (session_.connection == nullptr || session_.connection->is_broken()) return;
  const std::lock_guard lock(index_->mutex_);
  if (index_->idle_.size() < kIdleAtMost) index_->idle_.push_back(std::move(session_));
}

core::Expected<Rows> Index::Lease::ask(const char* sql, const Parameters& parameters) {
  auto rows = connection().run(sql, parameters, index_->patience_, stop_);
  if (!rows && std::exchange(used_, false) && connection().is_broken() && rows.error().code != ErrorCode::cancelled) {
    auto again = index_->connected(stop_);
    if (!again) return fail(index_->said(again.error()));
    session_ = std::move(*again);
    rows = connection().run(sql, parameters, index_->patience_, stop_);
  }
  if (!rows) return fail(index_->said(rows.error()));
  return rows;
}

core::Status Index::apply(Connection& connection, int version, const Stop& stop) {
  std::string script = "BEGIN; SET LOCAL search_path = plumbline;\n";
  script += migration(version);
  script += "\nINSERT INTO plumbline.migrations(version) VALUES (" + std::to_string(version) + "); COMMIT;";
  auto done = connection.run_script(script, patience_, stop);
  if (!done && !connection.is_broken()) (void)connection.run_script("ROLLBACK", patience_, stop);
  return done;
}

core::Status Index::migrate(const Stop& stop) {
  auto leased = lease(stop, true);
  if (!leased) return fail(leased.error());
  Connection& connection = leased->connection();
  const auto failed = [&](const core::Error& error) { return fail(said(error)); };
  if (auto ok = check_encoding(connection, stop); !ok) return failed(ok.error());
  if (auto ok = connection.run_script(kLock, patience_, stop); !ok) return failed(ok.error());
  auto ok = connection.run_script(
      "CREATE SCHEMA IF NOT EXISTS plumbline; CREATE TABLE IF NOT EXISTS plumbline.migrations (version int PRIMARY KEY, "
      "applied_at timestamptz NOT NULL DEFAULT now());",
      patience_, stop);
  auto state = ok ? state_of(connection, stop) : core::Expected<State>(fail(ok.error()));
  for (; ok && state && state->version < kSchemaVersion; ++state->version) ok = apply(connection, state->version + 1, stop);
  if (ok && state) {
    // Who finds it empty makes it his.
    auto put = connection.run("INSERT INTO plumbline.origin(address) VALUES ($1) ON CONFLICT DO NOTHING", {clean(origin_)},
                              patience_, stop);
    state = put ? state_of(connection, stop) : core::Expected<State>(fail(put.error()));
  }
  if (!connection.is_broken()) (void)connection.run_script(kUnlock, patience_, stop);
  if (!ok) return failed(ok.error());
  if (!state) return failed(state.error());
  leased->session().version = state->version;
  leased->session().origin = state->origin;
  if (auto fine = check(leased->session()); !fine) return failed(fine.error());
  return {};
}

core::Status Index::analyse(const Stop& stop) {
  auto leased = lease(stop);
  if (!leased) return fail(leased.error());
  for (const char* sql :
       {"ANALYZE measurements", "ANALYZE contexts", "ANALYZE series", "ANALYZE entries", "ANALYZE points", "ANALYZE bundles"}) {
    if (auto done = leased->ask(sql, {}); !done) return fail(done.error());
  }
  return {};
}

core::Status Index::drop_tables(Lease& lease, bool by_force, const Stop& stop) {
  Connection& connection = lease.connection();
  const auto state = state_of(connection, stop);  // others may have made it since we connected
  if (!state) return fail(state.error());
  constexpr const char* kForce = "`--force` drops it all the same";
  if (!by_force && !state->origin.empty() && state->origin != origin_)
    return fail(ErrorCode::environment,
                "it is of another registry: " + core::cited_path(state->origin) + ", not " + core::cited_path(origin_), kForce);
  if (!by_force && state->version > kSchemaVersion)
    return fail(ErrorCode::environment,
                "its tables are those of a newer plumbline: version " + std::to_string(state->version) + ", this one knows " +
                    std::to_string(kSchemaVersion),
                kForce);
  if (auto moved = connection.run_script(kMoveExtension, patience_, stop); !moved && !by_force) {
    core::Error error = moved.error();
    error.message = "the extension pg_trgm in it, which others may use, cannot be moved: " + error.message;
    error.hint = "ALTER EXTENSION pg_trgm SET SCHEMA public, as who may";
    return fail(std::move(error));
  }
  return connection.run_script("DROP SCHEMA IF EXISTS plumbline CASCADE", patience_, stop);
}

core::Status Index::drop(bool by_force, const Stop& stop) {
  auto leased = lease(stop, true);
  if (!leased) return fail(leased.error());
  Connection& connection = leased->connection();
  auto ok = connection.run_script(kLock, patience_, stop);
  if (ok) ok = drop_tables(*leased, by_force, stop);
  if (!connection.is_broken()) (void)connection.run_script(kUnlock, patience_, stop);
  if (!ok) return fail(said(ok.error()));
  leased->session().version = 0;
  const std::lock_guard lock(mutex_);
  idle_.clear();  // they believe that there are tables
  return {};
}

std::shared_ptr<Index> index_at(const std::string& address, const std::string& origin) {
  static std::mutex mutex;
  static std::map<std::pair<std::string, std::string>, std::shared_ptr<Index>> known;
  const std::lock_guard lock(mutex);
  auto& index = known[{address, origin}];
  if (!index) index = std::make_shared<Index>(address, origin);
  return index;
}

}  // namespace plumbline::registry::pgindex
