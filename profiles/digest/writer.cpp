// A digest as JSON: one line a member, tables by columns, names once in a list that columns refer to by number. What is at its
// default is left out.
#include <array>
#include <charconv>
#include <cmath>
#include <functional>
#include <unordered_map>

#include "core/json_writer.hpp"
#include "profiles/digest/blank.hpp"
#include "profiles/digest/compact.hpp"
#include "profiles/digest/digest.hpp"
#include "profiles/digest/fields.hpp"

namespace plumbline::profiles {
namespace {

template <class T>
void append_number(std::string& out, T number) {
  if constexpr (std::is_floating_point_v<T>) {
    if (!std::isfinite(number)) {
      out += "null";
      return;
    }
  }
  std::array<char, 40> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
  out.append(digits.data(), end);
}

std::string decimal(UInt128 number) {
  std::string digits;
  for (; number > 0; number /= 10) digits.insert(digits.begin(), static_cast<char>('0' + static_cast<int>(number % 10)));
  return digits.empty() ? "0" : digits;
}

class Names {
 public:
  // A reference to the name.
  std::uint32_t number(const std::string& text) {
    size_.named += text.size();
    const auto [at, fresh] = numbers_.try_emplace(text, static_cast<std::uint32_t>(texts_.size()));
    if (fresh) texts_.push_back(&at->first);
    return at->second;
  }
  [[nodiscard]] const std::vector<const std::string*>& texts() const { return texts_; }
  void count_rows(std::size_t rows) { size_.rows += rows; }
  [[nodiscard]] const DigestSize& size() const { return size_; }

 private:
  std::unordered_map<std::string, std::uint32_t> numbers_;
  std::vector<const std::string*> texts_;  // of numbers_, which stay where they are
  DigestSize size_;
};

// The columns of one table.
template <class Row>
class Columns {
 public:
  Columns(core::JsonWriter& json, Names& names, std::vector<const Row*> rows, bool whole = true)
      : json_(json), names_(names), rows_(std::move(rows)), first_(whole) {}

  template <class P>
  void text(std::string_view name, P field) {
    column(name, field, [this](std::string& out, const std::string& text) { append_number(out, names_.number(text)); });
  }
  template <class P>
  void number(std::string_view name, P field) {
    column(name, field, [](std::string& out, const auto& number) { append_number(out, number); });
  }
  template <class P>
  void count(std::string_view name, P field) {
    number(name, field);
  }
  template <class P>
  void time(std::string_view name, P field) {
    number(name, field);
  }
  template <class P>
  void place(std::string_view name, P field) {
    number(name, field);
  }
  // Numbers that go with the order of the rows: differences are the shorter text.
  template <class P>
  void rising(std::string_view name, P field) {
    std::int64_t before = 0;
    column(name, field, [&before](std::string& out, std::int64_t number) {
      append_number(out, number - before);
      before = number;
    });
  }
  template <class P>
  void real(std::string_view name, P field) {
    number(name, field);
  }
  template <class P>
  void truth(std::string_view name, P field) {
    column(name, field, [](std::string& out, bool truth) { out += truth ? '1' : '0'; });
  }
  template <class P>
  void code(std::string_view name, P field) {
    first_ = true;
    column(name, field, [this](std::string& out, const core::WarningCode& code) {
      append_number(out, names_.number(std::string(code.text())));
    });
  }
  template <class P>
  void numbers(std::string_view name, P field) {
    column(name, field, [this](std::string& out, const auto& numbers) {
      names_.count_rows(numbers.size());
      out += '[';
      for (std::size_t i = 0; i < numbers.size(); ++i) {
        if (i > 0) out += ',';
        append_number(out, numbers[i]);
      }
      out += ']';
    });
  }
  template <class P>
  void reals(std::string_view name, P field) {
    numbers(name, field);
  }
  // What the events' squared distances from their mean add up to, rounded up to whole numbers: it is the shorter text.
  void squared_deviations(std::string_view name) {
    if (std::all_of(rows_.begin(), rows_.end(), [](const Row* row) { return row->aggregate.squares == 0; })) return;
    list(name, [](std::string& out, const Row& row) {
      const UInt128 about = row.aggregate.squares == 0 ? 0 : row.aggregate.squares - squares_of_mean(row.aggregate);
      if (about <= INT64_MAX) {
        append_number(out, static_cast<std::int64_t>(about));
      } else {
        out += '"' + decimal(about) + '"';
      }
    });
  }
  template <class P>
  void sketch(std::string_view name, P field) {
    std::vector<const Sketch::Bucket*> buckets;
    std::vector<std::uint32_t> skips;
    for (const Row* row : rows_) {
      std::uint32_t before = 0;
      for (const Sketch::Bucket& bucket : field(*row).buckets()) {
        buckets.push_back(&bucket);
        skips.push_back(bucket.index - before);
        before = bucket.index;
      }
    }
    if (buckets.empty()) return;
    names_.count_rows(buckets.size());
    json_.key(name).begin_object();
    list("of", [&field](std::string& out, const Row& row) { append_number(out, field(row).buckets().size()); });
    std::string text = "[";
    for (const std::uint32_t skip : skips) separate(text, [&](std::string& out) { append_number(out, skip); });
    json_.key("skip").raw(text + "]");
    text = "[";
    for (const Sketch::Bucket* bucket : buckets) separate(text, [&](std::string& out) { append_number(out, bucket->count); });
    json_.key("count").raw(text + "]");
    json_.end_object();
  }
  // A table in each row.
  template <class P, class F>
  void list(std::string_view name, P field, F describe) {
    using Inner = typename std::remove_cvref_t<decltype(field(std::declval<const Row&>()))>::value_type;
    std::vector<const Inner*> inner;
    for (const Row* row : rows_) {
      for (const Inner& each : field(*row)) inner.push_back(&each);
    }
    if (inner.empty()) return;
    names_.count_rows(inner.size());
    json_.key(name).begin_object();
    list("of", [&field](std::string& out, const Row& row) { append_number(out, field(row).size()); });
    Columns<Inner> columns(json_, names_, std::move(inner));
    describe(columns);
    json_.end_object();
  }
  // A table of those rows that have it.
  template <class P, class F>
  void part(std::string_view name, P field, F describe) {
    using Inner = typename std::remove_cvref_t<decltype(field(std::declval<const Row&>()))>::value_type;
    std::vector<const Inner*> inner;
    for (const Row* row : rows_) {
      if (field(*row)) inner.push_back(&*field(*row));
    }
    if (inner.empty()) return;
    names_.count_rows(inner.size());
    json_.key(name).begin_object();
    list("of", [&field](std::string& out, const Row& row) { out += field(row) ? '1' : '0'; });
    Columns<Inner> columns(json_, names_, std::move(inner));
    describe(columns);
    json_.end_object();
  }

 private:
  template <class F>
  static void separate(std::string& out, F append) {
    if (out.size() > 1) out += ',';
    append(out);
  }
  template <class F>
  void list(std::string_view name, F append) {
    std::string text = "[";
    for (const Row* row : rows_) separate(text, [&](std::string& out) { append(out, *row); });
    json_.key(name).raw(text + "]");
  }
  template <class P, class F>
  void column(std::string_view name, P field, F append) {
    const Row plain = blank<Row>();
    const bool wanted =
        first_ || std::any_of(rows_.begin(), rows_.end(), [&](const Row* row) { return !(field(*row) == field(plain)); });
    first_ = false;
    if (wanted) list(name, [&](std::string& out, const Row& row) { append(out, field(row)); });
  }

  core::JsonWriter& json_;
  Names& names_;
  std::vector<const Row*> rows_;
  bool first_;  // the first column is written in any case: it says how many rows there are
};

// Single values and tables of an object.
class Members {
 public:
  Members(core::JsonWriter& json, Names& names) : json_(json), names_(names) {}

  void text(std::string_view name, const std::string& text) {
    if (!text.empty()) json_.field(name, text);
  }
  template <class T>
  void number(std::string_view name, const T& number) {
    if (number != T()) json_.field(name, number);
  }
  template <class T>
  void number(std::string_view name, const std::optional<T>& number) {
    if (number) json_.field(name, *number);
  }
  template <class T>
  void count(std::string_view name, const T& count) {
    number(name, count);
  }
  template <class T>
  void time(std::string_view name, const T& time) {
    number(name, time);
  }
  template <class T>
  void real(std::string_view name, const T& real) {
    number(name, real);
  }
  void truth(std::string_view name, bool truth) { json_.field(name, truth); }
  void numbers(std::string_view name, const std::vector<std::int64_t>& numbers) {
    if (numbers.empty()) return;
    names_.count_rows(numbers.size());
    std::string text = "[";
    for (const std::int64_t each : numbers) {
      if (text.size() > 1) text += ',';
      append_number(text, each);
    }
    json_.key(name).raw(text + "]");
  }
  void texts(std::string_view name, const std::vector<std::string>& texts) {
    if (texts.empty()) return;
    names_.count_rows(texts.size());
    core::compact(json_.key(name), [&texts](core::JsonWriter& json) {
      json.begin_array();
      for (const std::string& text : texts) json.value(text);
      json.end_array();
    });
  }
  template <class T>
  void map(std::string_view name, const std::map<std::string, T>& map) {
    if (map.empty()) return;
    json_.key(name).begin_object();
    for (const auto& [key, value] : map) json_.field(key, value);
    json_.end_object();
  }
  void sketch(std::string_view name, const Sketch& sketch) {
    if (sketch.empty()) return;
    struct Row {
      const Sketch& sketch;
    };
    const Row row{sketch};
    Columns<Row>(json_, names_, {&row}, false).sketch(name, [](const Row& each) -> const Sketch& { return each.sketch; });
  }
  template <class Row, class F>
  void rows(std::string_view name, const std::vector<Row>& rows, F describe) {
    if (rows.empty()) return;
    names_.count_rows(rows.size());
    std::vector<const Row*> all;
    all.reserve(rows.size());
    for (const Row& row : rows) all.push_back(&row);
    json_.key(name).begin_object();
    Columns<Row> columns(json_, names_, std::move(all));
    describe(columns);
    json_.end_object();
  }
  template <class F>
  void object(std::string_view name, F describe) {
    json_.key(name).begin_object();
    describe(*this);
    json_.end_object();
  }
  template <class T, class F>
  void part(std::string_view name, const std::optional<T>& part, F describe) {
    if (!part) return;
    json_.key(name).begin_object();
    describe(*this, *part);
    json_.end_object();
  }

 private:
  core::JsonWriter& json_;
  Names& names_;
};

}  // namespace

std::string digest_text(const Digest& digest) {
  DigestSize ignored;
  return digest_text(digest, ignored);
}

std::string digest_text(const Digest& digest, DigestSize& size) {
  Job job = digest.job;
  for (auto* rows : {&job.sum.kernels, &job.sum.nvtx, &job.sum.api, &job.sum.nccl, &job.sum.memory}) {
    for (NamedAggregate& row : *rows) compact(row);
  }
  std::string text;
  core::JsonWriter json(text, 0);
  Names names;
  json.begin_object();
  json.field("schema", kDigestSchema);
  Members members(json, names);
  describe_profile(members, std::as_const(job.sum));
  if (digest.of_ranks()) {
    json.key("job").begin_object();
    describe_job(members, std::as_const(job));
    json.end_object();
  }
  json.key("names").begin_array();
  for (const std::string* name : names.texts()) json.value(*name);
  json.end_array();
  json.end_object();
  size = names.size();
  return text + "\n";
}

}  // namespace plumbline::profiles
