// The JSON of a digest -> Digest. Every value is looked at before it is believed: what a file claims can be damaged or hostile.
#include <simdjson.h>

#include <algorithm>
#include <array>
#include <functional>
#include <limits>

#include "core/citing.hpp"
#include "core/results/gap_causes.hpp"
#include "profiles/analysis/aggregates.hpp"
#include "profiles/analysis/collectives.hpp"
#include "profiles/analysis/ranges.hpp"
#include "profiles/digest/blank.hpp"
#include "profiles/digest/compact.hpp"
#include "profiles/digest/digest.hpp"
#include "profiles/digest/fields.hpp"

namespace plumbline::profiles {
namespace {

namespace dom = simdjson::dom;

constexpr std::uint64_t kMostCount = std::uint64_t{1} << 48;
constexpr std::size_t kDepth = 32;
constexpr std::int64_t kMostRank = std::int64_t{1} << 31;
constexpr std::size_t kMostKinds = 1024;  // of a collective, as ranks see it: sizes, types, groups

// What all tables of a file share.
class Source {
 public:
  explicit Source(std::string file) : file_(std::move(file)) {}

  [[nodiscard]] bool good() const { return status_.has_value(); }
  [[nodiscard]] const core::Status& status() const { return status_; }
  void fail(const std::string& place, const std::string& problem) {
    if (good()) {
      status_ = core::fail(core::ErrorCode::invalid_input, "the digest is damaged: " + place + " " + problem,
                           "make it again from the capture: `plumbline digest CAPTURE --out FILE`", file_);
    }
  }
  bool room_for(std::size_t rows) {
    rows_ += rows;
    if (rows_ <= kMostOfDigest.rows) return true;
    if (good())
      status_ =
          core::fail(core::ErrorCode::limit_exceeded, "the digest has more than 1048576 rows, the most that are read", {}, file_);
    return false;
  }

  void name(std::string_view text) { names_.push_back(text); }
  // The name that a row refers to by its number. False where there is none, or all together would take too much memory.
  bool named(dom::element number, std::string_view& to);

 private:
  std::string file_;
  core::Status status_;
  std::vector<std::string_view> names_;
  std::size_t rows_ = 0, named_ = 0;
};

// One value of a column, or of an object. False: it is not what it should be.
bool read_value(dom::element from, std::uint64_t& to) {
  return from.get_uint64().get(to) == simdjson::SUCCESS && to <= kMostCount;
}
bool read_value(dom::element from, std::int64_t& to) {
  return from.get_int64().get(to) == simdjson::SUCCESS && to >= -kTimeBound && to <= kTimeBound;
}
bool read_value(dom::element from, std::uint32_t& to) {
  std::uint64_t wide = 0;
  if (from.get_uint64().get(wide) != simdjson::SUCCESS || wide > 0xFFFFFFFF) return false;
  to = static_cast<std::uint32_t>(wide);
  return true;
}
bool read_value(dom::element from, double& to) { return from.get_double().get(to) == simdjson::SUCCESS; }
bool read_value(dom::element from, bool& to) {
  std::uint64_t number = 0;
  if (from.get_bool().get(to) == simdjson::SUCCESS) return true;
  if (from.get_uint64().get(number) != simdjson::SUCCESS || number > 1) return false;
  to = number == 1;
  return true;
}
bool read_value(dom::element from, std::string& to) {
  std::string_view text;
  if (from.get_string().get(text) != simdjson::SUCCESS) return false;
  to = text;
  return true;
}
template <class T>
bool read_value(dom::element from, std::optional<T>& to) {
  return read_value(from, to.emplace());
}
bool read_value(dom::element from, UInt128& to) {
  std::int64_t number = 0;
  if (from.get_int64().get(number) == simdjson::SUCCESS) {
    to = static_cast<UInt128>(number);
    return number >= 0;
  }
  std::string_view digits;
  if (from.get_string().get(digits) != simdjson::SUCCESS || digits.empty() || digits.size() > 38) return false;
  to = 0;
  for (const char digit : digits) {
    if (digit < '0' || digit > '9') return false;
    to = 10 * to + static_cast<UInt128>(digit - '0');
  }
  return true;
}

bool Source::named(dom::element number, std::string_view& to) {
  std::uint32_t at = 0;
  if (!read_value(number, at) || at >= names_.size()) return false;
  to = names_[at];
  named_ += to.size();
  if (named_ <= kMostOfDigest.named) return true;
  if (good())
    status_ = core::fail(core::ErrorCode::limit_exceeded,
                         "the digest's rows have more than 128 MiB of names, the most that are read", {}, file_);
  return false;
}

template <class T>
bool is_negative(const T& value) {
  if constexpr (requires { value.has_value(); }) {
    return value && *value < 0;
  } else {
    return value < 0;
  }
}

// The columns of one table.
template <class Row>
class Columns {
 public:
  using Make = std::function<std::vector<Row*>(std::size_t)>;
  // `make` gives the rows once the first column says how many there are.
  Columns(Source& source, dom::object object, std::string place, Make make)
      : source_(source), object_(object), place_(std::move(place)), make_(std::move(make)) {}
  // `rows` are there, as many as every column has.
  Columns(Source& source, dom::object object, std::string place, std::vector<Row*> rows)
      : source_(source), object_(object), place_(std::move(place)), rows_(std::move(rows)) {}

  template <class P>
  void text(std::string_view name, P field) {
    each(name, "is no number of a name", [&](dom::element from, Row& row) {
      std::string_view found;
      if (!source_.named(from, found)) return false;
      field(row) = found;
      return true;
    });
  }
  template <class P>
  void number(std::string_view name, P field) {
    each(name, "is no number that can be here", [&](dom::element from, Row& row) { return read_value(from, field(row)); });
  }
  template <class P>
  void count(std::string_view name, P field) {
    each(name, "is no count", [&](dom::element from, Row& row) { return read_value(from, field(row)); });
  }
  template <class P>
  void time(std::string_view name, P field) {
    each(name, "is no time of at most 73 years",
         [&](dom::element from, Row& row) { return read_value(from, field(row)) && !is_negative(field(row)); });
  }
  template <class P>
  void place(std::string_view name, P field) {
    number(name, field);
  }
  template <class P>
  void rising(std::string_view name, P field) {
    std::int64_t before = 0;
    each(name, "is no number that can be here", [&](dom::element from, Row& row) {
      std::int64_t more = 0;
      if (!read_value(from, more)) return false;
      field(row) = before += more;
      return before >= -kTimeBound && before <= kTimeBound;
    });
  }
  template <class P>
  void real(std::string_view name, P field) {
    each(name, "is no number that is not negative",
         [&](dom::element from, Row& row) { return read_value(from, field(row)) && !is_negative(field(row)); });
  }
  template <class P>
  void truth(std::string_view name, P field) {
    each(name, "is neither 0 nor 1", [&](dom::element from, Row& row) { return read_value(from, field(row)); });
  }
  template <class P>
  void code(std::string_view name, P field) {
    each(name, "is no code of a warning", [&](dom::element from, Row& row) {
      std::string_view found;
      if (!source_.named(from, found)) return false;
      const auto known = core::WarningCode::find(found);
      if (known) field(row) = *known;
      return known.has_value();
    });
  }
  template <class P>
  void numbers(std::string_view name, P field) {
    lists(name, field, [](dom::element from, auto& to) { return read_value(from, to); });
  }
  // A metric may have been none.
  template <class P>
  void reals(std::string_view name, P field) {
    lists(name, field, [](dom::element from, double& to) {
      if (from.is_null()) to = std::numeric_limits<double>::quiet_NaN();
      return from.is_null() || read_value(from, to);
    });
  }
  void squared_deviations(std::string_view name) {
    each(name, "is no sum of squares that can be", [](dom::element from, Row& row) {
      Aggregate& aggregate = row.aggregate;
      UInt128 about = 0;
      if (!read_value(from, about) || about >> 123U != 0) return false;
      aggregate.squares = about + squares_of_mean(aggregate);
      return true;
    });
  }
  template <class P>
  void sketch(std::string_view name, P field) {
    dom::object inner;
    if (!object(name, inner)) return;
    std::vector<std::size_t> of;
    if (!lengths(inner, name, of)) return;
    dom::array skips, counts;
    const std::string where = place_ + "." + std::string(name);
    if (inner["skip"].get_array().get(skips) != simdjson::SUCCESS || inner["count"].get_array().get(counts) != simdjson::SUCCESS)
      return source_.fail(where, "has no buckets");
    auto skip = skips.begin();
    auto count = counts.begin();
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      std::vector<Sketch::Bucket> buckets;
      std::uint64_t index = 0;
      for (std::size_t k = 0; k < of[i]; ++k, ++skip, ++count) {
        std::uint32_t step = 0;
        Sketch::Bucket bucket;
        if (!(skip != skips.end()) || !(count != counts.end()) || !read_value(*skip, step) || !read_value(*count, bucket.count) ||
            bucket.count == 0 || (k > 0 && step == 0) || (index += step) >= Sketch::kBuckets)
          return source_.fail(where + "[" + std::to_string(i) + "]", "has buckets that cannot be");
        bucket.index = static_cast<std::uint32_t>(index);
        buckets.push_back(bucket);
      }
      field(*rows_[i]) = Sketch(std::move(buckets));
    }
  }
  template <class P, class F>
  void list(std::string_view name, P field, F describe) {
    using Inner = typename std::remove_cvref_t<decltype(field(std::declval<Row&>()))>::value_type;
    dom::object inner;
    std::vector<std::size_t> of;
    if (!object(name, inner) || !lengths(inner, name, of)) return;
    std::vector<Inner*> rows;
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      field(*rows_[i]).resize(of[i]);
      for (Inner& each : field(*rows_[i])) rows.push_back(&each);
    }
    Columns<Inner> columns(source_, inner, place_ + "." + std::string(name), std::move(rows));
    describe(columns);
  }
  template <class P, class F>
  void part(std::string_view name, P field, F describe) {
    using Inner = typename std::remove_cvref_t<decltype(field(std::declval<Row&>()))>::value_type;
    dom::object inner;
    std::vector<std::size_t> of;
    if (!object(name, inner) || !lengths(inner, name, of)) return;
    std::vector<Inner*> rows;
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      if (of[i] > 1)
        return source_.fail(place_ + "." + std::string(name) + ".of[" + std::to_string(i) + "]", "is neither 0 nor 1");
      if (of[i] == 1) rows.push_back(&field(*rows_[i]).emplace());
    }
    Columns<Inner> columns(source_, inner, place_ + "." + std::string(name), std::move(rows));
    describe(columns);
  }

 private:
  // False where there is none.
  bool object(std::string_view name, dom::object& inner) {
    dom::element found;
    if (!source_.good() || object_[name].get(found) != simdjson::SUCCESS) return false;
    if (found.get_object().get(inner) == simdjson::SUCCESS) return true;
    source_.fail(place_ + "." + std::string(name), "is no object");
    return false;
  }
  // How many of a list each row has.
  bool lengths(dom::object inner, std::string_view name, std::vector<std::size_t>& of) {
    const std::string where = place_ + "." + std::string(name) + ".of";
    dom::array list;
    if (inner["of"].get_array().get(list) != simdjson::SUCCESS || list.size() != rows_.size()) {
      source_.fail(where, "does not have one number a row");
      return false;
    }
    for (const dom::element each : list) {
      std::uint64_t length = 0;
      if (!read_value(each, length)) {
        source_.fail(where, "does not have one number a row");
        return false;
      }
      of.push_back(length);
      if (!source_.room_for(length)) return false;
    }
    return true;
  }
  template <class P, class F>
  void lists(std::string_view name, P field, F read) {
    each(name, "is no list of numbers", [&](dom::element from, Row& row) {
      dom::array list;
      if (from.get_array().get(list) != simdjson::SUCCESS || !source_.room_for(list.size())) return false;
      field(row).reserve(list.size());
      return std::all_of(list.begin(), list.end(), [&](dom::element one) { return read(one, field(row).emplace_back()); });
    });
  }
  template <class F>
  void each(std::string_view name, const char* problem, F read) {
    if (!source_.good()) return;
    dom::array values;
    const auto found = object_[name].get_array().get(values);
    const bool first = make_ != nullptr;
    if (first) {
      if (found == simdjson::SUCCESS && source_.room_for(values.size())) rows_ = make_(values.size());
      make_ = nullptr;
    }
    if (!source_.good() || (found == simdjson::NO_SUCH_FIELD && !first)) return;
    const std::string where = place_ + "." + std::string(name);
    if (found != simdjson::SUCCESS) return source_.fail(where, "is no column");
    if (values.size() != rows_.size()) return source_.fail(where, "does not have one value a row");
    std::size_t i = 0;
    for (const dom::element value : values) {
      if (!read(value, *rows_[i])) return source_.fail(where + "[" + std::to_string(i) + "]", problem);
      ++i;
    }
  }

  Source& source_;
  dom::object object_;
  std::string place_;
  std::vector<Row*> rows_;
  Make make_;
};

// Single values and tables of an object.
class Members {
 public:
  Members(Source& source, dom::object object, std::string place) : source_(source), object_(object), place_(std::move(place)) {}

  void text(std::string_view name, std::string& text) { value(name, "is no text", text); }
  template <class T>
  void number(std::string_view name, T& number) {
    value(name, "is no number that can be here", number);
  }
  template <class T>
  void count(std::string_view name, T& count) {
    value(name, "is no count", count);
  }
  template <class T>
  void time(std::string_view name, T& time) {
    value(name, "is no time of at most 73 years", time);
    if (is_negative(time)) source_.fail(where(name), "is negative");
  }
  template <class T>
  void real(std::string_view name, T& real) {
    time(name, real);
  }
  void truth(std::string_view name, bool& truth) { value(name, "is neither true nor false", truth); }
  void numbers(std::string_view name, std::vector<std::int64_t>& numbers) {
    elements(name, [&](dom::element from) { return read_value(from, numbers.emplace_back()); });
  }
  void texts(std::string_view name, std::vector<std::string>& texts) {
    elements(name, [&](dom::element from) { return read_value(from, texts.emplace_back()); });
  }
  template <class T>
  void map(std::string_view name, std::map<std::string, T>& map) {
    dom::object inner;
    if (!object(name, inner)) return;
    for (const auto& [key, from] : inner) {
      if (!read_value(from, map[std::string(key)])) return source_.fail(where(name), "has a value that cannot be");
    }
  }
  void sketch(std::string_view name, Sketch& sketch) {
    struct Row {
      Sketch* sketch = nullptr;
    };
    Row row{&sketch};
    Columns<Row>(source_, object_, place_, std::vector<Row*>{&row}).sketch(name, [](Row& each) -> Sketch& {
      return *each.sketch;
    });
  }
  template <class Row, class F>
  void rows(std::string_view name, std::vector<Row>& rows, F describe) {
    dom::object inner;
    if (!object(name, inner)) return;
    Columns<Row> columns(source_, inner, where(name), [&rows](std::size_t count) {
      rows.resize(count, blank<Row>());
      std::vector<Row*> all;
      all.reserve(count);
      for (Row& row : rows) all.push_back(&row);
      return all;
    });
    describe(columns);
  }
  template <class F>
  void object(std::string_view name, F describe) {
    dom::object inner;
    if (!object(name, inner)) return;
    Members members(source_, inner, where(name));
    describe(members);
  }
  template <class T, class F>
  void part(std::string_view name, std::optional<T>& part, F describe) {
    dom::object inner;
    if (!object(name, inner)) return;
    Members members(source_, inner, where(name));
    describe(members, part.emplace());
  }
  bool object(std::string_view name, dom::object& inner) {
    dom::element found;
    if (!source_.good() || object_[name].get(found) != simdjson::SUCCESS) return false;
    if (found.get_object().get(inner) == simdjson::SUCCESS) return true;
    source_.fail(where(name), "is no object");
    return false;
  }

 private:
  [[nodiscard]] std::string where(std::string_view name) const {
    return place_.empty() ? std::string(name) : place_ + "." + std::string(name);
  }
  template <class T>
  void value(std::string_view name, const char* problem, T& to) {
    dom::element found;
    if (!source_.good() || object_[name].get(found) != simdjson::SUCCESS) return;
    if (!read_value(found, to)) source_.fail(where(name), problem);
  }
  template <class F>
  void elements(std::string_view name, F read) {
    dom::array list;
    dom::element found;
    if (!source_.good() || object_[name].get(found) != simdjson::SUCCESS) return;
    if (found.get_array().get(list) != simdjson::SUCCESS) return source_.fail(where(name), "is no list");
    if (!source_.room_for(list.size())) return;
    if (!std::all_of(list.begin(), list.end(), read)) source_.fail(where(name), "has a value that cannot be");
  }

  Source& source_;
  dom::object object_;
  std::string place_;
};

// What values that are good one by one have to be together.
class Check {
 public:
  Check(Source& source, Job& job) : source_(source), job_(job) {}

  void all() {
    Profile& profile = job_.sum;
    std::int64_t ignored = 0;
    table("kernels", profile.kernels, profile.info.kernel_ns);
    table("communication", profile.nccl, ignored);
    table("copies", profile.memory, ignored);
    table("calls", profile.api, ignored);
    table("marks", profile.nvtx, ignored);
    for (std::size_t i = 0; i < profile.devices.size(); ++i) buckets("devices", i, profile.devices[i].buckets);
    steps("steps.steps", profile.steps);
    steps("job.slowest_steps.steps", job_.slowest);
    gaps(profile.gaps);
    ranges(profile.ranges);
    for (std::size_t i = 0; i < profile.collective_instances.size(); ++i) {
      if (profile.collective_instances[i].kind >= profile.collectives.size()) fail("instances.collective", i, "is not there");
    }
    meetings();
    frames(profile.frames);
    ranks();
  }

 private:
  void fail(const char* column, std::size_t row, const char* problem) {
    source_.fail(std::string(column) + "[" + std::to_string(row) + "]", problem);
  }
  void table(const char* name, std::vector<NamedAggregate>& rows, std::int64_t& total) {
    Int128 sum = 0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      restore(rows[i]);
      const Aggregate& aggregate = rows[i].aggregate;
      if (!aggregate.sketch.empty() && aggregate.sketch.count() != aggregate.count)
        fail((std::string(name) + ".sketch").c_str(), i, "does not count as many as the row");
      sum += aggregate.total;
    }
    if (sum > kTimeBound) return source_.fail(std::string(name) + ".total_ns", "adds up to more than 73 years");
    total = static_cast<std::int64_t>(sum);
  }
  void buckets(const char* table, std::size_t row, const core::ProfileBuckets& parts) {
    const auto add = [](std::initializer_list<std::int64_t> times) {
      Int128 sum = 0;
      for (const std::int64_t time : times) sum += time;
      return sum;
    };
    if (add({parts.compute_ns, parts.exposed_comm_ns, parts.exposed_copy_ns, parts.idle_ns}) != parts.span_ns)
      fail(table, row, "has parts that do not add up to its span");
    if (!parts.idle_split) return;
    const core::ProfileIdleSplit& idle = *parts.idle_split;
    if (add({idle.host_ns, idle.sync_ns, idle.launch_ns, idle.other_ns}) != parts.idle_ns)
      fail(table, row, "has parts of idle time that do not add up to it");
  }
  void steps(const char* table, const Steps& steps) {
    Int128 sum = 0;
    for (std::size_t i = 0; i < steps.steps.size(); ++i) {
      buckets(table, i, steps.steps[i].buckets);
      sum += steps.steps[i].wall_ns;
    }
    if (sum > kTimeBound) source_.fail(std::string(table) + ".wall_ns", "adds up to more than 73 years");
  }
  // A cause that a later version knows is unknown to this one.
  static void gaps(std::vector<Gaps>& rows) {
    for (Gaps& each : rows) {
      if (each.cause.empty() || core::gap_cause(each.cause).name != each.cause) each.cause = "unknown";
    }
  }
  void ranges(const std::vector<RangeNode>& nodes) {
    constexpr std::array kTimes = {&RangeNode::host_ns,      &RangeNode::gpu_ns,  &RangeNode::self_gpu_ns, &RangeNode::wall_ns,
                                   &RangeNode::self_wall_ns, &RangeNode::idle_ns, &RangeNode::self_idle_ns};
    std::array<Int128, kTimes.size()> sums{};
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      if (nodes[i].parent != kNone && nodes[i].parent >= i) return fail("ranges.parent", i, "is not before it");
      for (std::size_t k = 0; k < kTimes.size(); ++k) sums[k] += nodes[i].*kTimes[k];
    }
    if (*std::max_element(sums.begin(), sums.end()) > kTimeBound)
      source_.fail("ranges", "have times that add up to more than 73 years");
  }
  void meetings() {
    const Meetings& meetings = job_.meetings;
    const std::size_t kinds = job_.sum.collectives.size();
    for (std::size_t i = 0; i < meetings.list.size(); ++i) {
      const Meeting& meeting = meetings.list[i];
      const bool known = meeting.part.kind < kinds && std::all_of(meeting.others.begin(), meeting.others.end(),
                                                                  [kinds](const auto& part) { return part.kind < kinds; });
      if (!known) fail("job.meetings.collective", i, "is not there");
      if (meeting.others.size() > kMostKinds) fail("job.meetings.others", i, "are more kinds than one collective can have");
      if (meeting.sequence >= 0 && meeting.stream >= meetings.streams.size()) fail("job.meetings.stream", i, "is not there");
    }
    for (std::size_t i = 0; i < meetings.in_order.size(); ++i) {
      if (meetings.in_order[i].kind >= kinds) fail("job.in_order.collective", i, "is not there");
    }
  }
  void frames(const std::vector<Frame>& frames) {
    Int128 sum = 0;
    for (const Frame& frame : frames) sum += frame.self;
    if (sum > kTimeBound) return source_.fail("frames.self", "adds up to more than a number can hold");
    for (std::size_t i = 0; i < frames.size(); ++i) {
      if (frames[i].name.empty()) fail("frames.name", i, "is empty");
      if (frames[i].total < frames[i].self || frames[i].total > sum) fail("frames.total", i, "is not between its own and all");
    }
    if (!frames.empty() && (!job_.sum.kernels.empty() || job_.sum.info.kernels > 0)) source_.fail("frames", "are beside kernels");
  }
  void ranks() {
    std::vector<std::int64_t>& ranks = job_.sum.info.ranks;
    const auto in_order = [](const std::vector<std::int64_t>& list) {
      return std::adjacent_find(list.begin(), list.end(), std::greater_equal<>()) == list.end() &&
             (list.empty() || (list.front() >= 0 && list.back() <= kMostRank));
    };
    if (job_.sum.rank.value_or(0) > kMostRank) source_.fail("rank", "is no rank that can be");
    if (!in_order(ranks)) source_.fail("ranks", "are not in order, each once");
    for (std::size_t i = 0; i < job_.said.size(); ++i) {
      const std::vector<std::int64_t>& by = job_.said[i].ranks;
      if (by.empty() || !in_order(by)) fail("job.said.ranks", i, "are not in order, each once");
    }
    for (std::size_t i = 0; i < job_.failed.size(); ++i) {  // -1: nothing says
      if (job_.failed[i].rank < -1 || job_.failed[i].rank > kMostRank) fail("job.failed.rank", i, "is no rank that can be");
    }
  }

  Source& source_;
  Job& job_;
};

core::Error of_no_digest(const std::string& file) {
  return {core::ErrorCode::invalid_input, "the digest is no whole JSON: it is cut short or damaged",
          "make it again from the capture: `plumbline digest CAPTURE --out FILE`", file};
}

core::Error of_other_version(std::string_view schema, const std::string& file) {
  return {core::ErrorCode::invalid_input,
          "the digest's schema is " + core::cited(schema) + ", and this program reads " + std::string(kDigestSchema),
          "read it with the program that wrote it, or make it again from the capture", file};
}

}  // namespace

bool is_digest_text(std::string_view head) {
  const std::size_t at = head.find_first_not_of(" \t\r\n");
  if (at == std::string_view::npos || head[at] != '{') return false;
  return head.substr(at, 64).find("\"plumbline.profile-digest.") != std::string_view::npos;
}

core::Expected<Digest> parse_digest(std::string_view text, const std::string& file) {
  dom::parser parser;
  dom::object root;
  if (parser.allocate(text.size(), kDepth) != simdjson::SUCCESS) return core::fail(of_no_digest(file));
  if (parser.parse(text.data(), text.size()).get_object().get(root) != simdjson::SUCCESS) return core::fail(of_no_digest(file));
  std::string_view schema;
  if (root["schema"].get_string().get(schema) != simdjson::SUCCESS) return core::fail(of_no_digest(file));
  if (schema != kDigestSchema) return core::fail(of_other_version(schema, file));
  Source source(file);
  if (dom::array names; root["names"].get_array().get(names) == simdjson::SUCCESS) {
    for (const dom::element each : names) {
      std::string_view name;
      if (each.get_string().get(name) != simdjson::SUCCESS) source.fail("names", "has what is no text");
      source.name(name);
    }
  } else {
    source.fail("names", "is no list");
  }
  Digest digest;
  Members members(source, root, "");
  describe_profile(members, digest.job.sum);
  if (dom::object job; members.object("job", job)) {
    Members inner(source, job, "job");
    describe_job(inner, digest.job);
  }
  if (source.good()) Check(source, digest.job).all();
  if (!source.good()) return core::fail(source.status().error());
  Profile& profile = digest.job.sum;
  profile.graph_mode_known = !profile.graph_mode.empty();
  profile.from_digest = true;
  for (CollectiveGroup& group : profile.collectives) set_bandwidth(group.type, group.group_size, group.side);
  return digest;
}

}  // namespace plumbline::profiles
