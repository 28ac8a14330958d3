#include "verdict/siblings/parts.hpp"

#include <algorithm>
#include <cctype>
#include <set>
#include <unordered_map>

#include "core/text.hpp"
#include "verdict/policy.hpp"

namespace plumbline::verdict::siblings {

namespace {

using core::Comparison;
using core::Delta;
using core::Id;
using core::Measurement;

constexpr std::size_t kMostRows = 2'000'000;  // of all siblings together
constexpr std::size_t kMostPieces = 6;        // of a name

bool ends_piece(char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0; }

// "rack2-sw3-n07" -> "rack2", "sw3", "n07"
std::vector<std::string_view> pieces_of(std::string_view name) {
  std::vector<std::string_view> out;
  std::size_t start = 0;
  for (std::size_t i = 0; i <= name.size(); ++i) {
    if (i < name.size() && !ends_piece(name[i])) continue;
    if (i > start) out.push_back(name.substr(start, i - start));
    start = i + 1;
  }
  return out;
}

std::string letters_of(std::string_view piece) {
  std::string out;
  for (const char c : piece) {
    if (std::isalpha(static_cast<unsigned char>(c)) != 0) out += c;
  }
  return out;
}

// A place of the names at which several siblings have the same: a rack, a switch.
struct NamePart {
  std::string name;                 // "sw", else "part 2 of node"
  std::vector<std::string> values;  // by sibling
};

std::vector<NamePart> name_parts(const std::vector<Member>& members, const std::string& kind) {
  std::vector<std::vector<std::string_view>> pieces;
  pieces.reserve(members.size());
  for (const Member& member : members) pieces.push_back(pieces_of(member.name));
  std::vector<NamePart> out;
  const std::size_t places = pieces.front().size();
  if (std::any_of(pieces.begin(), pieces.end(), [&](const auto& one) { return one.size() != places; })) return out;
  for (std::size_t k = 0; k < std::min(places, kMostPieces); ++k) {
    std::set<std::string_view> values;
    std::set<std::string> letters;
    for (const auto& one : pieces) {
      values.insert(one[k]);
      letters.insert(letters_of(one[k]));
    }
    if (values.size() < 2 || values.size() == members.size()) continue;
    NamePart part;
    part.name =
        letters.size() == 1 && !letters.begin()->empty() ? *letters.begin() : "part " + std::to_string(k + 1) + " of " + kind;
    for (const auto& one : pieces) part.values.emplace_back(one[k]);
    out.push_back(std::move(part));
  }
  return out;
}

// The rows of all siblings as one comparison, in which the sibling is a dimension.
class Together {
 public:
  Together(const Fleet& fleet, const std::vector<Member>& members, const std::string& kind)
      : fleet_(fleet),
        members_(members),
        kind_(kind),
        names_(name_parts(members, kind)),
        baseline_(fleet.all->shared_pool()),
        current_(fleet.all->shared_pool()) {
    rows_.baseline = &baseline_;
    rows_.current = &current_;
    for (std::uint32_t i = 0; i < fleet.lines.size(); ++i) line_of_.emplace(fleet.lines[i].key, i);
  }

  std::vector<Part> run() {
    for (std::size_t s = 0; s < members_.size(); ++s) {
      if (fleet_.against_others[s] != nullptr) append(s);
    }
    if (rows_.deltas.empty()) return {};
    JudgeInput input;
    const Policy* const policy = find("plumbline");
    const Comparison decided = policy->decide(std::move(rows_), input);
    input.comparison = &decided;
    std::vector<Part> out;
    for (const core::Culprit& culprit : policy->judge(input).parts.culprits) {
      if (auto part = part_of(culprit); !part.members.empty()) out.push_back(std::move(part));
    }
    return out;
  }

 private:
  void append(std::size_t s) {
    const Comparison& one = *fleet_.against_others[s];
    const auto tolerances = static_cast<std::uint32_t>(rows_.tolerances.size());
    rows_.tolerances.insert(rows_.tolerances.end(), one.tolerances.begin(), one.tolerances.end());
    for (const Delta& delta : one.deltas) {
      const auto line = line_of_.find(delta.key);
      if (line == line_of_.end() || delta.baseline_row == core::kNoRow || delta.current_row == core::kNoRow) continue;
      Delta copy = delta;
      copy.key = key_of(s, one, delta);
      copy.tolerance += tolerances;
      copy.statistics = core::kNoRow;
      copy.headline = false;
      copy.baseline_row = add(baseline_, *one.baseline, one.baseline->rows()[delta.baseline_row], copy.key, delta.baseline, s);
      copy.current_row = add(current_, *one.current, one.current->rows()[delta.current_row], copy.key, delta.current, s);
      rows_.deltas.push_back(copy);
      of_delta_.emplace_back(s, line->second);
    }
  }

  // "all_reduce[size=8].busbw" -> "all_reduce[node=n1,size=8].busbw"
  Id key_of(std::size_t s, const Comparison& one, const Delta& delta) {
    core::StringPool& pool = baseline_.pool();
    const core::Row& row = one.baseline->rows()[delta.baseline_row];
    const std::string key(pool.view(delta.key));
    const std::string own = kind_ + "=" + members_[s].name;
    const std::size_t open = row.dims == 0 ? std::string::npos : key.find('[');
    return pool.intern(open == std::string::npos ? key + "[" + own + "]"
                                                 : key.substr(0, open + 1) + own + "," + key.substr(open + 1));
  }

  std::uint32_t add(Measurement& into, const Measurement& from, const core::Row& row, Id key, double value, std::size_t s) {
    core::StringPool& pool = into.pool();
    std::vector<std::pair<Id, Id>> dims = {{pool.intern(kind_), pool.intern(members_[s].name)}};
    for (const NamePart& part : names_) dims.emplace_back(pool.intern(part.name), pool.intern(part.values[s]));
    const auto own = from.dims(row);
    dims.insert(dims.end(), own.begin(), own.end());
    core::Row copy = row;
    copy.key = key;
    copy.metric_class = into.intern_class(from.metric_class(row));
    copy.dims = into.add_dims(dims);
    return into.add_row(copy, {&value, 1});
  }

  [[nodiscard]] bool names_sibling(const core::CulpritTerm& term) const {
    return term.dimension == kind_ ||
           std::any_of(names_.begin(), names_.end(), [&](const NamePart& part) { return part.name == term.dimension; });
  }

  [[nodiscard]] Part part_of(const core::Culprit& culprit) const {
    Part out;
    const auto of_sibling = std::count_if(culprit.terms.begin(), culprit.terms.end(),
                                          [&](const core::CulpritTerm& term) { return names_sibling(term); });
    if (of_sibling == 0) return out;
    out.predicate = culprit.predicate;
    out.p = culprit.p;
    out.whole = static_cast<std::size_t>(of_sibling) == culprit.terms.size();
    out.names_only = out.whole && std::all_of(culprit.terms.begin(), culprit.terms.end(), [&](const core::CulpritTerm& term) {
                       return term.dimension != kind_ || term.op == "prefix";
                     });
    std::set<std::size_t> members;
    std::set<std::uint32_t> lines;
    for (const std::uint32_t delta : culprit.rows) {
      members.insert(of_delta_[delta].first);
      lines.insert(of_delta_[delta].second);
    }
    out.members.assign(members.begin(), members.end());
    out.lines.assign(lines.begin(), lines.end());
    return out;
  }

  const Fleet& fleet_;
  const std::vector<Member>& members_;
  std::string kind_;
  std::vector<NamePart> names_;
  Measurement baseline_, current_;
  Comparison rows_;
  std::unordered_map<Id, std::uint32_t> line_of_;
  std::vector<std::pair<std::size_t, std::uint32_t>> of_delta_;  // sibling and line
};

}  // namespace

std::vector<Part> parts_of(const Fleet& fleet, const std::vector<Member>& members, const std::string& kind) {
  if (fleet.lines.size() * members.size() > kMostRows) return {};
  return Together(fleet, members, kind).run();
}

}  // namespace plumbline::verdict::siblings
