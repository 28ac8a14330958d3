#include "verbs/indexing/journal_pass.hpp"

#include <algorithm>
#include <chrono>
#include <set>
#include <utility>

#include "registry/pgindex/indexed_store.hpp"
#include "verbs/indexing/sender.hpp"

namespace plumbline::verbs {

using registry::Noted;
using registry::NotedAs;

namespace {

class JournalPass {
 public:
  JournalPass(const registry::Store& store, const Derivation& derivation, core::IndexResult& result, const Context& context)
      : store_(store),
        index_(*registry::pgindex::index_of(store)),
        derivation_(derivation),
        result_(result),
        context_(context),
        stop_([&context] { return context.stop_asked(); }),
        sender_(index_, stop_) {}

  Status run(const registry::Journal& journal, const registry::pgindex::Followed& before) {
    const auto from = *registry::time_of_slug(before.journal) - registry::kNotedLate;
    last_ = before.journal;
    // A line of the far future would hide those that come until then.
    latest_ = registry::slug_of(std::chrono::system_clock::now() + registry::kNotedLate);
    const auto take = [this](const std::vector<Noted>& lines) { return page(lines); };
    if (auto ok = journal.noted_since(registry::slug_of(from), take); !ok) return ok;
    if (auto ok = sender_.land(); !ok) return ok;
    result_.added -= sender_.refused();
    result_.unreadable += sender_.refused();
    result_.lines = seen_.size();
    result_.by_journal = true;
    if (!failed_.empty()) last_ = std::min(last_, failed_);
    return last_ > before.journal ? index_.set_followed({last_, before.compared}, stop_) : Status();
  }

 private:
  Status page(const std::vector<Noted>& lines) {
    result_.publications += static_cast<std::uint64_t>(
        std::ranges::count_if(lines, [](const Noted& line) { return line.what != NotedAs::acceptance; }));
    for (const Noted& line : lines) {
      seen_.emplace(line.what == NotedAs::bundle, line.family + "/" + line.measurement);
      if (line.at <= latest_) last_ = std::max(last_, line.at);
    }
    const auto unknown = index_.unknown(lines, stop_);
    if (!unknown) return core::fail(unknown.error());
    std::set<std::pair<std::string, std::string>> accepted;
    for (const std::size_t i : *unknown) {
      if (context_.stop_asked()) return core::fail(cancelled_error());
      const Noted& line = lines[i];
      if (line.what == NotedAs::acceptance && !accepted.emplace(line.family, line.measurement).second) continue;
      auto ok = line.what == NotedAs::acceptance ? acceptance(line)
                : line.what == NotedAs::entry    ? add(line, derivation_.entry(line.family, line.measurement, line.slug))
                                                 : add(line, derivation_.bundle(line.family, line.measurement, line.slug));
      if (!ok) return ok;
    }
    return {};
  }

  static const std::string& digest_of(const registry::pgindex::EntryRow& row) { return row.entry_sha256; }
  static const std::string& digest_of(const registry::pgindex::BundleRow& row) { return row.bundle_sha256; }

  template <class Row>
  Status add(const Noted& line, Expected<Row> row) {
    if (!row) return not_read(line, row.error());
    if (digest_of(*row).empty()) return {};  // never finished: no publisher notes that
    ++result_.added;
    return sender_.add(std::move(*row));
  }

  // The one that holds.
  Status acceptance(const Noted& line) {
    const auto accepted = store_.accepted(line.family, line.measurement);
    if (!accepted) return not_read(line, accepted.error());
    return *accepted ? index_.add(**accepted, stop_) : Status();
  }

  // What the store could not say now is asked again the next time.
  Status not_read(const Noted& line, const Error& error) {
    if (error.code == ErrorCode::cancelled) return core::fail(error);
    if (error.code == ErrorCode::environment && (failed_.empty() || line.at < failed_)) failed_ = line.at;
    if (error.code != ErrorCode::not_found) ++result_.unreadable;  // else it has expired
    return {};
  }

  const registry::Store& store_;
  registry::pgindex::Index& index_;
  const Derivation& derivation_;
  core::IndexResult& result_;
  const Context& context_;
  registry::pgindex::Stop stop_;
  Sender sender_;
  std::set<std::pair<bool, std::string>> seen_;
  std::string last_, latest_;
  std::string failed_;  // the time of the first line whose publication could not be asked for
};

}  // namespace

Status follow_journal(const registry::Journal& journal, const registry::Store& store, const Derivation& derivation,
                      const registry::pgindex::Followed& before, core::IndexResult& result, const Context& context) {
  return JournalPass(store, derivation, result, context).run(journal, before);
}

}  // namespace plumbline::verbs
