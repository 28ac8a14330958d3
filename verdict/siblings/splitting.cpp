#include "verdict/siblings/splitting.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "verdict/culprits/endpoints.hpp"
#include "verdict/culprits/table.hpp"

namespace plumbline::verdict::siblings {

namespace {

using core::Id;
using core::Measurement;
using culprits::Column;

constexpr std::size_t kFewest = 3;  // values of a dimension that tells siblings apart
constexpr auto kPlaces = std::to_array<std::string_view>(
    {"node", "host", "hostname", "server", "instance", "gpu", "device", "dev", "rank", "local_rank", "nic", "hca"});

using Dims = std::vector<std::pair<Id, Id>>;

// A key without some of its dimensions, which stand in its brackets: "gemm[gpu=3,n=8].tflops" -> "gemm[n=8].tflops". `first` is
// put before the others.
std::string key_without(const Measurement& m, const core::Row& row, const std::set<Id>& left_out, const std::string& first) {
  const std::string_view key = m.key(row);
  std::string inside = first;
  for (const auto& [name, value] : m.dims(row)) {
    if (left_out.contains(name)) continue;
    if (!inside.empty()) inside += ',';
    inside.append(m.pool().view(name)).append("=").append(m.pool().view(value));
  }
  if (!inside.empty()) inside = "[" + inside + "]";
  const std::size_t open = key.find('[');
  const std::size_t close = key.rfind(']');
  if (open == std::string_view::npos || close == std::string_view::npos || close < open) {
    return std::string(m.metric(row)) + inside;
  }
  return std::string(key.substr(0, open)) + inside + std::string(key.substr(close + 1));
}

class Parts {
 public:
  explicit Parts(const Measurement& like) : like_(&like) {}

  // A row of the part, without these dimensions; `first` and `more` stand for them.
  void add(const std::string& part, const Measurement& from, const core::Row& row, const std::set<Id>& left_out,
           const std::string& first, const Dims& more) {
    Measurement& into = of(part);
    core::StringPool& pool = into.pool();
    core::Row copy = row;
    copy.key = pool.intern(key_without(from, row, left_out, first));
    copy.metric_class = into.intern_class(from.metric_class(row));
    Dims dims = more;
    for (const auto& dim : from.dims(row)) {
      if (!left_out.contains(dim.first)) dims.push_back(dim);
    }
    copy.dims = into.add_dims(dims);
    into.add_row(copy, from.values(row));
  }

  void finish(Split& split) {
    for (const std::string& name : order_) split.parts.emplace_back(name, std::move(parts_[name]));
  }

 private:
  Measurement& of(const std::string& part) {
    std::shared_ptr<Measurement>& slot = parts_[part];
    if (slot == nullptr) {
      slot = std::make_shared<Measurement>(like_->shared_pool());
      slot->format = like_->format;
      slot->shape = core::Shape::structured;
      slot->replication = like_->replication;
      slot->context = like_->context;
      slot->declared = like_->declared;
      slot->trial_files = like_->trial_files;
      order_.push_back(part);
    }
    return *slot;
  }

  const Measurement* like_;
  std::map<std::string, std::shared_ptr<Measurement>> parts_;
  std::vector<std::string> order_;
};

std::string_view value_of(const Measurement& m, const core::Row& row, Id dimension) {
  for (const auto& [name, value] : m.dims(row)) {
    if (name == dimension) return m.pool().view(value);
  }
  return {};
}

// Each dimension as a column over the rows, as the search for parts has them.
std::vector<Column> columns_of(const Measurement& m) {
  std::vector<Column> out;
  std::map<Id, std::size_t> of_name;
  std::vector<std::map<Id, culprits::Code>> codes;
  for (std::size_t i = 0; i < m.rows().size(); ++i) {
    for (const auto& [name, value] : m.dims(m.rows()[i])) {
      const auto [at, fresh] = of_name.try_emplace(name, out.size());
      if (fresh) {
        Column& column = out.emplace_back();
        column.name = m.pool().view(name);
        column.codes.resize(m.rows().size());
        codes.emplace_back();
      }
      Column& column = out[at->second];
      auto& known = codes[at->second];
      if (known.size() >= culprits::kMostValues) continue;
      const auto [code, first] = known.try_emplace(value, static_cast<culprits::Code>(known.size() + 1));
      if (first) column.values.emplace_back(m.pool().view(value));
      column.codes[i] = code->second;
    }
  }
  return out;
}

struct Between {
  const Measurement* measurement;
  const core::Row* row;
  std::string from, to;
};

// Each pair is a row of both of its ends. Where pairs are told in both directions those are two things.
Split split_ends(const Measurement& like, const std::vector<Between>& rows, const std::set<Id>& ends) {
  std::set<std::pair<std::string_view, std::string_view>> told;
  for (const Between& one : rows) told.emplace(one.from, one.to);
  const bool directed = std::any_of(told.begin(), told.end(), [&](const auto& pair) {
    return pair.first != pair.second && told.contains({pair.second, pair.first});
  });
  Parts parts(like);
  core::StringPool& pool = like.pool();
  const std::string to = directed ? "to" : "with", from = directed ? "from" : "with";
  const auto add = [&](const Between& one, const std::string& end, const std::string& role, const std::string& other) {
    parts.add(end, *one.measurement, *one.row, ends, role + "=" + other, {{pool.intern(role), pool.intern(other)}});
  };
  for (const Between& one : rows) {
    if (one.from == one.to) continue;
    add(one, one.from, to, one.to);
    add(one, one.to, from, one.from);
  }
  Split out;
  out.kind = "end";
  out.pairs = true;
  parts.finish(out);
  return out;
}

}  // namespace

Split split_by(const Measurement& measurement, std::string_view dimension) {
  Split out;
  out.kind = dimension;
  const Id name = measurement.pool().find(dimension);
  Parts parts(measurement);
  for (const core::Row& row : measurement.rows()) {
    const std::string_view value = name == core::kNoId ? std::string_view() : value_of(measurement, row, name);
    if (value.empty()) {
      ++out.rows_left_out;
      continue;
    }
    parts.add(std::string(value), measurement, row, {name}, {}, {});
  }
  parts.finish(out);
  return out;
}

Split split_by_itself(const Measurement& measurement) {
  std::vector<Column> columns = columns_of(measurement);
  const std::size_t own = columns.size();
  culprits::add_endpoints(columns);
  for (std::size_t i = own; i < columns.size(); ++i) {
    const Column& column = columns[i];
    if (column.values.size() < kFewest) continue;
    std::set<Id> ends = {measurement.pool().find(column.name)};
    if (!column.second_name.empty()) ends.insert(measurement.pool().find(column.second_name));
    std::vector<Between> rows;
    for (std::size_t r = 0; r < measurement.rows().size(); ++r) {
      if (column.codes[r] == 0 || column.seconds[r] == 0) continue;
      rows.push_back(
          {&measurement, &measurement.rows()[r], column.values[column.codes[r] - 1U], column.values[column.seconds[r] - 1U]});
    }
    Split out = split_ends(measurement, rows, ends);
    out.rows_left_out = measurement.rows().size() - rows.size();
    if (out.parts.size() >= kFewest) return out;
  }
  for (const std::string_view place : kPlaces) {
    const auto at = std::find_if(columns.begin(), columns.begin() + static_cast<std::ptrdiff_t>(own),
                                 [&](const Column& column) { return column.name == place; });
    if (at == columns.begin() + static_cast<std::ptrdiff_t>(own) || at->values.size() < kFewest) continue;
    return split_by(measurement, place);
  }
  return {};
}

std::vector<std::string> dimensions_of(const Measurement& measurement) {
  std::vector<std::string> out;
  for (const Column& column : columns_of(measurement)) out.push_back(column.name);
  return out;
}

Split split_pairs(const std::vector<std::pair<std::string, std::shared_ptr<const Measurement>>>& measurements) {
  std::vector<Column> columns(1);
  columns.front().name = "pair";
  for (std::size_t i = 0; i < measurements.size(); ++i) {
    columns.front().values.push_back(measurements[i].first);
    columns.front().codes.push_back(static_cast<culprits::Code>(i + 1));
  }
  if (measurements.size() > culprits::kMostValues) return {};
  culprits::add_endpoints(columns);
  if (columns.size() < 2) return {};
  const Column& ends = columns.back();
  std::vector<Between> rows;
  for (std::size_t i = 0; i < measurements.size(); ++i) {
    for (const core::Row& row : measurements[i].second->rows()) {
      rows.push_back({measurements[i].second.get(), &row, ends.values[ends.codes[i] - 1U], ends.values[ends.seconds[i] - 1U]});
    }
  }
  return split_ends(*measurements.front().second, rows, {});
}

}  // namespace plumbline::verdict::siblings
