// Acceptances: accepted/.seq-N is made first, which gives one writer the number, then the record. Nothing is taken away, so a
// claim whose writer never came to its record stays, and its number is passed over (open_claims() tells of it).
#include "registry/attest/acceptance.hpp"

#include <algorithm>

#include "registry/acceptance_names.hpp"
#include "registry/s3/store.hpp"

namespace plumbline::registry::s3 {

using core::Acceptance;
using core::ErrorCode;
using core::Expected;
using core::fail;

namespace {

constexpr std::uint64_t kRecordsOfAPage = 1000;
constexpr std::uint64_t kSixDigits = 999'000;  // beyond that names are not in the order of their numbers

void sort_highest_first(std::vector<AcceptanceName>& records) {
  std::sort(records.begin(), records.end(),
            [](const AcceptanceName& a, const AcceptanceName& b) { return a.seq != b.seq ? a.seq > b.seq : a.slug > b.slug; });
}

}  // namespace

// The last page of records: whether there is one above a number is a question that has an answer whatever numbers were left out,
// so the end is found by doubling and halving.
Expected<std::vector<AcceptanceName>> S3Store::newest_records(const std::string& prefix) const {
  struct Above {
    std::vector<AcceptanceName> records;
    bool last = false;
  };
  const auto above = [&](std::uint64_t seq) -> Expected<Above> {
    const std::string first = acceptance_file(seq + 1, {});
    const auto page = client_.list(prefix, prefix + first.substr(0, first.find('-')), {}, {});
    if (!page) return fail(page.error());
    Above out{{}, page->next.empty()};
    for (const std::string& key : page->keys) {
      if (auto record = parse_acceptance_name(key.substr(prefix.size()))) out.records.push_back(std::move(*record));
    }
    return out;
  };
  auto page = above(0);
  if (!page) return fail(page.error());
  std::uint64_t none = 0;  // above this one; 0: not known
  for (std::uint64_t step = kRecordsOfAPage; !page->last && !page->records.empty();) {
    const std::uint64_t low = page->records.back().seq;
    const std::uint64_t at = none == 0 ? low + step : none - low <= kRecordsOfAPage ? low : low + (none - low) / 2;
    step *= 2;
    auto further = above(at);
    if (!further) return fail(further.error());
    if (further->records.empty()) {
      if (at == low) break;
      none = at;
    } else {
      page = std::move(further);
    }
  }
  return std::move(page->records);
}

// Claims come before records. `all`: those of long ago, too, which are asked for where open claims are told.
Expected<S3Store::Acceptances> S3Store::list_acceptances(const Line& line, bool all) const {
  const std::string prefix = line.key + "accepted/";
  Acceptances out;
  const auto take = [&](const std::string& key) {
    const std::string file = key.substr(prefix.size());
    if (const auto claimed = claimed_number(file)) {
      out.highest = std::max(out.highest, *claimed);
      out.claims.push_back(*claimed);
    } else if (auto record = parse_acceptance_name(file)) {
      out.highest = std::max(out.highest, record->seq);
      out.records.push_back(std::move(*record));
    }
  };
  if (!all) {
    const auto first = client_.list(prefix, {}, {}, {});
    if (!first) return fail(first.error());
    if (first->next.empty()) {
      std::for_each(first->keys.begin(), first->keys.end(), take);
      sort_highest_first(out.records);
      return out;
    }
    auto records = newest_records(prefix);
    if (!records) return fail(records.error());
    const std::uint64_t last = records->empty() ? 0 : records->back().seq;
    if (last < kSixDigits) {
      const auto behind = client_.list(prefix, prefix + acceptance_claim(last), {}, {});
      if (!behind) return fail(behind.error());
      for (const std::string& key : behind->keys) {
        if (claimed_number(key.substr(prefix.size()))) take(key);
      }
      out.highest = std::max(out.highest, last);
      out.records = std::move(*records);
      out.all = false;
      sort_highest_first(out.records);
      // A page of nothing but claims: somebody claims and never writes.
      if (behind->next.empty() || out.claims.size() < behind->keys.size()) return out;
    }
    out = {};
  }
  const auto keys = keys_in(prefix);
  if (!keys) return fail(keys.error());
  std::for_each(keys->begin(), keys->end(), take);
  sort_highest_first(out.records);
  return out;
}

// Asked of the bucket each time: a copy that lost a record, or half of it, would let an older one hold.
Expected<std::optional<Acceptance>> S3Store::highest_valid(const Line& line, const Acceptances& listed) const {
  for (const AcceptanceName& record : listed.records) {
    const auto text = client_.get(line.key + "accepted/" + record.file, kAcceptanceAtMost);
    if (!text) {
      const ErrorCode code = text.error().code;
      if (code == ErrorCode::not_found || code == ErrorCode::limit_exceeded) continue;  // expired meanwhile, or no record
      return fail(text.error());
    }
    if (auto acceptance = parse_acceptance(*text, record, line.family, line.measurement)) return acceptance;
  }
  if (listed.all) return std::optional<Acceptance>();
  const auto older = list_acceptances(line, true);
  return older ? highest_valid(line, *older) : Expected<std::optional<Acceptance>>(fail(older.error()));
}

Expected<std::optional<Acceptance>> S3Store::accepted(std::string_view family, std::string_view measurement) const {
  const auto line = line_of(Kind::entry, family, measurement);
  if (!line) return fail(line.error());
  Seen* const before = seen(*line);
  if (before != nullptr && before->holds) return *before->holds;
  auto listed = list_acceptances(*line);
  if (!listed) return fail(listed.error());
  auto holds = highest_valid(*line, *listed);
  if (holds && before != nullptr) {
    before->holds = *holds;
    before->acceptances = std::move(*listed);
  }
  return holds;
}

Expected<std::vector<std::uint64_t>> S3Store::open_claims(std::string_view family, std::string_view measurement) const {
  const auto line = line_of(Kind::entry, family, measurement);
  if (!line) return fail(line.error());
  const Seen* const before = seen(*line);
  auto listed = before != nullptr && before->acceptances && before->acceptances->all ? Expected<Acceptances>(*before->acceptances)
                                                                                     : list_acceptances(*line, true);
  if (!listed) return fail(listed.error());
  return without_record(std::move(listed->claims), listed->records);
}

Expected<std::string> S3Store::accept(Acceptance acceptance, const std::function<std::string(const Acceptance&)>& text,
                                      const attest::Signing* signing) {
  const auto line = line_of(Kind::entry, acceptance.family, acceptance.measurement);
  if (!line) return fail(line.error());
  if (auto good = check_segment("slug", acceptance.slug); !good) return fail(good.error());
  const auto there = client_.exists(line->key + acceptance.slug + "/SHA256SUMS");
  if (!there) return fail(there.error());
  if (!*there) {
    const auto known = newest_slugs(Kind::entry, acceptance.family, acceptance.measurement, 1);
    return fail(
        ErrorCode::not_found, "there is no entry " + acceptance.slug + " in " + acceptance.family + "/" + acceptance.measurement,
        known && !known->empty() ? "the newest is " + known->front() : "nothing is recorded there", address_of(line->path));
  }
  if (auto good = check_server(); !good) return fail(good.error());
  const std::string prefix = line->key + "accepted/";
  const auto put = [&](const std::string& name, std::string_view bytes) {
    return client_.put_once(prefix + name, {bytes, {}, bytes.size(), sha256_hex(bytes)});
  };
  for (;;) {
    if (limits_.stop && limits_.stop()) return fail(ErrorCode::cancelled, "stopped");
    auto listed = list_acceptances(*line);
    if (!listed) return fail(listed.error());
    acceptance.seq = listed->highest + 1;
    // No two alike: a server that keeps no writer's name would tell both that theirs is there.
    const std::string claim = io::hex_random(16) + "\n";
    auto claimed = put(acceptance_claim(acceptance.seq), claim);
    // Others are at it: the numbers that follow are tried before everything is listed again.
    for (int more = 0; claimed && *claimed == Put::taken && more < 8; ++more)
      claimed = put(acceptance_claim(++acceptance.seq), claim);
    if (!claimed) return fail(claimed.error());
    if (*claimed == Put::taken) continue;
    if (*claimed == Put::unsupported)
      return fail(ErrorCode::environment, "the server of " + address_.text() + " knows no If-None-Match", {}, address_.text());
    // Others may have come to their records since it was listed.
    listed = list_acceptances(*line);
    if (!listed) return fail(listed.error());
    Acceptances before_it = *listed;
    std::erase_if(before_it.records, [&](const AcceptanceName& record) { return record.seq >= acceptance.seq; });
    const auto previous = highest_valid(*line, before_it);
    if (!previous) return fail(previous.error());
    acceptance.previous = *previous ? std::optional((*previous)->slug) : std::nullopt;
    const std::string file = acceptance_file(acceptance.seq, acceptance.slug), record = text(acceptance);
    if (signing != nullptr) {
      const auto signature = attest::sign_acceptance(*signing, acceptance, file, record);
      if (!signature) return fail(signature.error());
      const auto made = put(std::string(attest::kAcceptedFolder) + "/" + attest::envelope_of_record(file), *signature);
      if (!made) return fail(made.error());
    }
    if (limits_.stop && limits_.stop()) return fail(ErrorCode::cancelled, "stopped");
    const auto made = client_.put_once(prefix + file, {record, {}, record.size(), sha256_hex(record)}, true);
    if (Seen* const before = seen(*line)) {  // what was seen does not hold any more; this listing has all but the new record
      before->holds.reset();
      before->acceptances = std::move(*listed);
      before->acceptances->records.insert(before->acceptances->records.begin(), {acceptance.seq, acceptance.slug, file});
    }
    if (!made) return fail(made.error());
    if (*made != Put::made)
      return fail(ErrorCode::already_exists, address_of(io::join(io::join(line->path, "accepted"), file)) + " exists already", {},
                  address_of(line->path));
    // Not being noted harms nothing: who follows finds it when he compares.
    static_cast<void>(note({{}, NotedAs::acceptance, line->family, line->measurement, acceptance.slug, acceptance.seq}));
    return io::join(io::join(line->path, "accepted"), file);
  }
}

}  // namespace plumbline::registry::s3
