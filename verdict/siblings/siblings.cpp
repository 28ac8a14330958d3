#include "verdict/siblings/siblings.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <tuple>

#include "core/citing.hpp"
#include "core/context.hpp"
#include "core/evidence/crowd.hpp"
#include "core/text.hpp"
#include "verdict/siblings/effects.hpp"
#include "verdict/siblings/fleet.hpp"
#include "verdict/siblings/parts.hpp"
#include "verdict/siblings/words.hpp"

namespace plumbline::verdict {

namespace {

using core::OutliersResult;
using core::Sibling;
using core::SiblingDeviation;
using core::SiblingState;
using siblings::Effect;
using siblings::Fleet;
using siblings::Group;
using siblings::Line;
using siblings::Member;
using siblings::Part;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t kFewestJudged = 3;  // siblings among which one can be told
constexpr std::size_t kPointsOfMany = 3;  // points with lines of their own that make a sibling out
constexpr std::size_t kPartsTried = 3;    // the search names three at most
constexpr std::size_t kListedKeys = 20;
constexpr std::size_t kMostColumns = 400;
constexpr std::uint32_t kTrials = 3;
constexpr double kNoisesApart = 3;  // of what the kind of benchmark is known to scatter

double percent_of(double change, bool higher) { return 100 * std::expm1(higher ? -change : change); }

class Judge {
 public:
  explicit Judge(const SiblingsQuestion& question) : q_(question) {}

  OutliersResult run() {
    for (const SiblingInput& one : q_.siblings) members_.push_back({one.name, one.measurement.get()});
    fleet_ = siblings::fleet_of(members_, q_.rules, q_.stop);
    start();
    judge_classes();
    judge_lines();
    judge_parts();
    conclude_siblings();
    add_columns();
    out_.rows = fleet_.lines.size();
    out_.classes = fleet_.groups.size();
    add_warnings();
    order();
    decide();
    out_.recommendation = siblings::recommendation_of(out_);
    return std::move(out_);
  }

 private:
  void start() {
    out_.sibling_kind = q_.kind;
    out_.pairs = q_.pairs;
    out_.format = fleet_.all->format;
    out_.context = common_context();
    out_.tolerance_percent = q_.rules.default_tolerance.value;
    for (std::size_t s = 0; s < members_.size(); ++s) {
      const SiblingInput& input = q_.siblings[s];
      Sibling one;
      one.name = input.name;
      one.files = input.files;
      one.missing_count = fleet_.missing[s].size();
      for (const core::Id key : fleet_.missing[s]) {
        if (one.missing.size() < kListedKeys) one.missing.emplace_back(text(key));
      }
      if (input.measurement != nullptr) one.differs = differences(input.measurement->context);
      one.trials = trials_of(s);
      out_.siblings.push_back(std::move(one));
    }
    judged_ = static_cast<std::size_t>(
        std::count_if(members_.begin(), members_.end(), [this](const Member& one) { return has_numbers(one); }));
  }

  [[nodiscard]] std::string_view text(core::Id id) const { return fleet_.all->pool().view(id); }

  // A sibling has a result when it has one of the judged numbers.
  [[nodiscard]] bool has_numbers(const Member& member) const {
    const auto s = static_cast<std::size_t>(&member - members_.data());
    return member.measurement != nullptr &&
           std::any_of(fleet_.lines.begin(), fleet_.lines.end(), [&](const Line& line) { return std::isfinite(line.cost[s]); });
  }

  [[nodiscard]] std::uint32_t trials_of(std::size_t s) const {
    std::uint32_t least = 0;
    for (const Line& line : fleet_.lines) {
      if (line.rows[s] == core::kNoRow) continue;
      const std::uint32_t here = members_[s].measurement->rows()[line.rows[s]].value_count;
      least = least == 0 ? here : std::min(least, here);
    }
    return least;
  }

  // What more than half of the siblings say.
  [[nodiscard]] core::Context common_context() const {
    std::map<std::string, std::map<std::string, std::size_t>> said;
    std::size_t with_result = 0;
    for (const Member& member : members_) {
      if (member.measurement == nullptr) continue;
      ++with_result;
      for (const auto& [key, value] : member.measurement->context) ++said[key][value];
    }
    core::Context out;
    for (const auto& [key, values] : said) {
      const auto most =
          std::max_element(values.begin(), values.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
      if (2 * most->second > with_result && key != "environment.hostname") out.emplace(key, most->first);
    }
    return out;
  }

  [[nodiscard]] std::vector<core::ContextDifference> differences(core::Context its) const {
    its.erase("environment.hostname");
    std::vector<core::ContextDifference> found = core::context_differences(out_.context, its, q_.varying);
    std::erase_if(found, [](const core::ContextDifference& one) { return !one.baseline_known || !one.current_known; });
    return found;
  }

  [[nodiscard]] std::string why_of(const SiblingDeviation& deviation) const { return siblings::deviation_words(deviation); }

  // ---- classes --------------------------------------------------------------------------------------------------------------

  void judge_classes() {
    state_.assign(members_.size(), SiblingState::within);
    for (const Group& group : fleet_.groups) {
      effects_.push_back(siblings::effect_of(fleet_, members_, group.lines, static_cast<double>(fleet_.groups.size())));
      const Effect& effect = effects_.back();
      for (std::size_t s = 0; s < members_.size(); ++s) {
        if (std::isfinite(effect.change[s])) take_class(s, group, effect);
      }
    }
  }

  void take_class(std::size_t s, const Group& group, const Effect& effect) {
    SiblingDeviation one;
    one.what = group.name;
    one.change_pct = percent_of(effect.change[s], group.higher);
    one.limit_pct = std::fabs(percent_of(effect.limit, group.higher));
    one.p = effect.p[s];
    one.worse = effect.beyond(s, group.two_sided);
    add_sol(one, group, s);
    out_.siblings[s].classes.push_back(one);
    if (judged_ < kFewestJudged) return;
    const bool apart = effect.by_trials[s] || (effect.p[s] <= siblings::kAlpha && !explained(effect.change[s], group.lines));
    if (one.worse && apart && effect.broad[s]) {
      raise(s, SiblingState::out);
    } else if (one.worse) {
      raise(s, SiblingState::doubtful);
    } else if (effect.better(s) && effect.broad[s] && effect.p[s] <= siblings::kAlpha) {
      raise(s, SiblingState::fast);
    }
  }

  // Single runs of this kind of benchmark are known to scatter as much: a few that agree by chance do not tell otherwise.
  [[nodiscard]] bool explained(double change, const std::vector<std::uint32_t>& lines) const {
    if (!q_.class_noise_pct) return false;
    double known = 0;
    for (const std::uint32_t i : lines) {
      if (const auto pct = q_.class_noise_pct(text(fleet_.lines[i].key))) known = std::max(known, *pct / 100);
    }
    return std::fabs(change) <= std::max(kNoisesApart, std::cbrt(static_cast<double>(members_.size()))) * known;
  }

  void raise(std::size_t s, SiblingState to) { state_[s] = std::max(state_[s], to); }

  void add_sol(SiblingDeviation& deviation, const Group& group, std::size_t s) const {
    if (!q_.sol_pct) return;
    for (const std::uint32_t i : group.lines) {
      const Line& line = fleet_.lines[i];
      if (!std::isfinite(line.value[s])) continue;
      const auto own = q_.sol_pct(text(line.key), line.value[s]);
      if (!own || (deviation.sol_pct && *own <= *deviation.sol_pct)) continue;
      deviation.sol_pct = own;
      deviation.others_sol_pct = q_.sol_pct(text(line.key), siblings::medians_of_others(line.value)[s]);
    }
  }

  // ---- lines ----------------------------------------------------------------------------------------------------------------

  void judge_lines() {
    out_lines_.resize(members_.size());
    const auto tests = static_cast<double>(fleet_.lines.size());
    for (std::uint32_t i = 0; i < fleet_.lines.size(); ++i) {
      const Line& line = fleet_.lines[i];
      const Effect effect = siblings::effect_of_line(line, tests);
      for (std::size_t s = 0; s < members_.size(); ++s) {
        if (!std::isfinite(effect.change[s])) continue;
        Sibling& one = out_.siblings[s];
        ++one.rows_compared;
        const bool worse = effect.beyond(s, line.two_sided);
        if (worse) ++one.rows_worse;
        if (!worse || judged_ < kFewestJudged || effect.p[s] > siblings::kLineAlpha) continue;
        if (explained(effect.change[s], {i})) continue;
        out_lines_[s].push_back(i);
        one.rows.push_back(deviation_of(line, effect, s));
      }
    }
    for (Sibling& one : out_.siblings) {
      one.rows_out = one.rows.size();
      std::stable_sort(one.rows.begin(), one.rows.end(), [](const SiblingDeviation& a, const SiblingDeviation& b) {
        return std::fabs(a.change_pct) > std::fabs(b.change_pct);
      });
    }
  }

  [[nodiscard]] SiblingDeviation deviation_of(const Line& line, const Effect& effect, std::size_t s) const {
    SiblingDeviation one;
    one.what = text(line.key);
    one.unit = line.unit;
    one.value = line.value[s];
    one.others = siblings::medians_of_others(line.value)[s];
    one.change_pct = percent_of(effect.change[s], line.higher);
    one.limit_pct = std::fabs(percent_of(line.limit, line.higher));
    one.worse = true;
    one.p = effect.p[s];
    if (q_.sol_pct) {
      one.sol_pct = q_.sol_pct(one.what, one.value);
      one.others_sol_pct = q_.sol_pct(one.what, one.others);
    }
    return one;
  }

  // Lines of one point move together and count once.
  [[nodiscard]] std::size_t points_out(std::size_t s) const {
    std::set<std::pair<std::string_view, std::uint32_t>> points;
    for (const std::uint32_t i : out_lines_[s]) {
      const core::Row& row = fleet_.all->rows()[fleet_.lines[i].row];
      const std::string_view key = text(row.key);
      points.emplace(row.dims == 0 ? key : key.substr(0, key.find('[')), row.dims);
    }
    return points.size();
  }

  // A pair that is slow though neither of its ends is: both ends show it, and nothing else.
  void take_links() {
    if (!q_.pairs) return;
    std::map<std::string_view, std::size_t> of_name;
    for (std::size_t s = 0; s < members_.size(); ++s) of_name.emplace(members_[s].name, s);
    std::set<std::string> links;
    for (std::size_t s = 0; s < members_.size(); ++s) {
      if (state_[s] == SiblingState::out) continue;
      for (const std::uint32_t i : out_lines_[s]) {
        const std::string_view other = other_end(fleet_.lines[i]);
        const auto at = of_name.find(other);
        if (at == of_name.end() || state_[at->second] == SiblingState::out) continue;
        links.insert(core::cited(std::min<std::string_view>(members_[s].name, other)) + " and " +
                     core::cited(std::max<std::string_view>(members_[s].name, other)));
      }
    }
    out_.links.assign(links.begin(), links.end());
  }

  [[nodiscard]] std::string_view other_end(const Line& line) const {
    const auto dims = fleet_.all->dims(fleet_.all->rows()[line.row]);
    return dims.empty() ? std::string_view() : text(dims.front().second);
  }

  // ---- parts ----------------------------------------------------------------------------------------------------------------

  void judge_parts() {
    if (judged_ < kFewestJudged) return;
    parts_ = siblings::parts_of(fleet_, members_, q_.kind);
    for (const Part& part : parts_) {
      if (part.whole || q_.pairs) continue;
      const Effect effect = siblings::effect_of(fleet_, members_, part.lines, static_cast<double>(kPartsTried));
      const bool two_sided = fleet_.lines[part.lines.front()].two_sided;
      for (const std::size_t s : part.members) {
        if (state_[s] == SiblingState::out || !effect.beyond(s, two_sided) || !effect.broad[s]) continue;
        if (!effect.by_trials[s] && (effect.p[s] > siblings::kAlpha || explained(effect.change[s], part.lines))) continue;
        raise(s, SiblingState::out);
        SiblingDeviation one;
        one.what = part.predicate;
        one.change_pct = percent_of(effect.change[s], fleet_.lines[part.lines.front()].higher);
        one.limit_pct = std::fabs(percent_of(effect.limit, fleet_.lines[part.lines.front()].higher));
        one.worse = true;
        one.p = effect.p[s];
        out_.siblings[s].parts.push_back(part.predicate);
        out_.siblings[s].why = why_of(one);
        out_.siblings[s].classes.push_back(std::move(one));
      }
    }
  }

  void take_groups() {
    for (const Part& part : parts_) {
      const bool all_out =
          std::all_of(part.members.begin(), part.members.end(), [this](std::size_t s) { return out_.siblings[s].is_out(); });
      if (part.members.size() < 2 || !all_out || !part.names_only) continue;
      core::SiblingGroup group{part.predicate, {}, part.p};
      for (const std::size_t s : part.members) group.siblings.push_back(members_[s].name);
      out_.groups.push_back(std::move(group));
    }
  }

  // ---- conclusions ----------------------------------------------------------------------------------------------------------

  void conclude_siblings() {
    for (std::size_t s = 0; s < members_.size(); ++s) judge_own_lines(s);
    take_links();
    for (std::size_t s = 0; s < members_.size(); ++s) {
      Sibling& one = out_.siblings[s];
      std::stable_sort(one.classes.begin(), one.classes.end(), [](const SiblingDeviation& a, const SiblingDeviation& b) {
        return std::pair(!a.worse, a.p) < std::pair(!b.worse, b.p);
      });
      one.state = state_[s];
      if (judged_ >= kFewestJudged || !has_numbers(members_[s])) take_failure(s, one);
      if (one.why.empty() && one.state != SiblingState::within) one.why = why(s, one);
    }
    take_groups();
  }

  void judge_own_lines(std::size_t s) {
    if (out_lines_[s].empty() || state_[s] == SiblingState::out) return;
    const bool headline =
        std::any_of(out_lines_[s].begin(), out_lines_[s].end(), [this](std::uint32_t i) { return fleet_.lines[i].headline; });
    const bool all = out_lines_[s].size() == out_.siblings[s].rows_compared;
    const bool many = points_out(s) >= kPointsOfMany;
    raise(s, headline || all || many ? SiblingState::out : SiblingState::doubtful);
  }

  void take_failure(std::size_t s, Sibling& one) const {
    if (!has_numbers(members_[s])) {
      one.state = SiblingState::failed;
      const std::string& problem = q_.siblings[s].problem;
      one.why = "it gave no result" + (problem.empty() ? std::string(": none of the judged rows has a number") : ": " + problem);
      return;
    }
    const std::vector<core::Id>& gates = fleet_.gates_failed[s];
    if (gates.empty()) return;
    one.state = SiblingState::failed;
    one.why = core::counted(gates.size(), "gate") + " worse than on the others, like " + core::cited(text(gates.front()));
  }

  [[nodiscard]] std::string why(std::size_t s, const Sibling& one) const {
    const auto class_worse = [&](const SiblingDeviation& d) {
      return one.state == SiblingState::fast ? !d.worse && d.p <= siblings::kAlpha : d.worse;
    };
    const auto at = std::find_if(one.classes.begin(), one.classes.end(), class_worse);
    const bool by_class =
        at != one.classes.end() && (one.state != SiblingState::out || at->p <= siblings::kAlpha || one.rows.empty());
    if (by_class) return why_of(*at);
    if (one.rows.empty()) return at != one.classes.end() ? why_of(*at) : std::string();
    return core::counted(out_lines_[s].size(), "row") + " worse than on the others, the worst " + why_of(one.rows.front());
  }

  // ---- the heatmap ----------------------------------------------------------------------------------------------------------

  // Lines of one test and metric are a column; lines without dimensions each.
  void add_columns() {
    std::map<std::string, std::vector<std::uint32_t>> of_name;
    std::vector<std::string> order;
    for (std::uint32_t i = 0; i < fleet_.lines.size(); ++i) {
      const Line& line = fleet_.lines[i];
      const core::Row& row = fleet_.all->rows()[line.row];
      std::string name(text(line.key));
      if (row.dims != 0) {
        const std::string test = name.substr(0, name.find('['));
        const std::string metric(fleet_.all->metric(row));
        name = test.empty() || test == metric ? metric : test + " " + metric;
      }
      std::vector<std::uint32_t>& lines = of_name[name];
      if (lines.empty()) order.push_back(name);
      lines.push_back(i);
    }
    for (const std::string& name : order) {
      if (out_.columns.size() == kMostColumns) {
        out_.columns_omitted = order.size() - kMostColumns;
        break;
      }
      out_.columns.push_back(column_of(name, of_name[name]));
    }
  }

  [[nodiscard]] core::SiblingColumn column_of(const std::string& name, const std::vector<std::uint32_t>& lines) const {
    const Effect effect = siblings::effect_of(fleet_, members_, lines, 1);
    const Line& first = fleet_.lines[lines.front()];
    core::SiblingColumn out{name, std::string(first.unit), {}, std::fabs(percent_of(effect.limit, first.higher))};
    out.higher = first.higher;
    out.rows = lines.size();
    for (const double change : effect.change)
      out.change_pct.push_back(std::isfinite(change) ? percent_of(change, first.higher) : kNaN);
    return out;
  }

  // ---- the verdict ----------------------------------------------------------------------------------------------------------

  void reason(core::ReasonCode code, std::string message, std::vector<std::string> keys = {}) {
    core::Reason one{code, std::move(message), {}, keys.size()};
    for (std::string& key : keys) {
      if (one.keys.size() < kListedKeys) one.keys.push_back(std::move(key));
    }
    out_.verdict = std::max(out_.verdict, code.weight());
    out_.reasons.push_back(std::move(one));
  }

  template <class Choose>
  [[nodiscard]] std::vector<const Sibling*> those(Choose&& choose) const {
    std::vector<const Sibling*> out;
    for (const Sibling& one : out_.siblings) {
      if (choose(one)) out.push_back(&one);
    }
    return out;
  }

  void decide() {
    reason_of("outlier", " worse than the others: ", [](const Sibling& one) { return one.is_out(); });
    reason_of("outlier_doubtful", " worse than the others, which scatter as much, or in few rows: ", [](const Sibling& one) {
      return one.state == SiblingState::doubtful;
    });
    reason_of("outlier_fast", " better than the others: ", [](const Sibling& one) { return one.state == SiblingState::fast; });
    say_groups();
    if (judged_ < kFewestJudged) {
      reason("too_few_siblings",
             core::counted(judged_, "sibling") + " gave results: which of them is slow cannot be told; it takes three");
    }
    say_missing();
    say_context();
    std::stable_sort(out_.reasons.begin(), out_.reasons.end(),
                     [](const core::Reason& a, const core::Reason& b) { return a.code < b.code; });
    say_promote();
  }

  template <class Choose>
  void reason_of(core::ReasonCode code, const std::string& words, Choose&& choose) {
    const std::vector<const Sibling*> found = those(choose);
    if (found.empty()) return;
    reason(code, std::to_string(found.size()) + " of " + siblings::counted_siblings(out_.siblings.size(), q_.kind) +
                     (found.size() == 1 ? " is" : " are") + words + siblings::listed_with_why(found));
  }

  void say_groups() {
    if (judged_ < kFewestJudged) return;
    for (std::size_t g = 0; g < effects_.size(); ++g) {
      std::vector<double> there;
      for (const double change : effects_[g].change) {
        if (std::isfinite(change)) there.push_back(change);
      }
      const auto groups = core::two_groups(there);
      if (!groups || groups->high - groups->low <= effects_[g].limit) continue;
      reason("two_groups", "half of the siblings are " +
                               core::short_number(std::fabs(percent_of(groups->high - groups->low, fleet_.groups[g].higher)), 3) +
                               "% worse than the other half in " + core::cited(fleet_.groups[g].name));
      return;
    }
  }

  void say_missing() {
    const auto found = those([](const Sibling& one) { return one.missing_count > 0 && one.state != SiblingState::failed; });
    if (found.empty()) return;
    std::vector<std::string> names;
    names.reserve(found.size());
    for (const Sibling* one : found) names.push_back(one->name);
    reason("row_missing",
           core::cited_list(names) + (found.size() == 1 ? " lacks " : " lack ") + "rows that the others have, like " +
               core::cited(found.front()->missing.front()),
           found.front()->missing);
  }

  void say_context() {
    std::vector<std::string> said;
    for (const Sibling& one : out_.siblings) {
      for (const core::ContextDifference& difference : one.differs) {
        if (difference.declared || difference.severity == core::Severity::informative) continue;
        said.push_back(core::cited(one.name) + " has " + core::cited_word(difference.key) + " " +
                       core::cited(difference.current) + " where the others have " + core::cited(difference.baseline));
      }
    }
    if (said.empty()) return;
    context_differs_ = true;
    reason("context_differs", core::listed(said));
  }

  // What is lacking for a VERDICT: trials of every sibling, that are runs, in one set-up; a GREEN is proven too.
  void say_promote() {
    const auto few = those([](const Sibling& one) { return one.state != SiblingState::failed && one.trials < kTrials; });
    if (!few.empty()) {
      out_.promote.push_back("trials: three or more independent runs of each sibling (" + std::to_string(few.size()) + " of " +
                             std::to_string(out_.siblings.size()) + " have fewer)");
    }
    const bool inside = std::any_of(members_.begin(), members_.end(), [](const Member& member) {
      return member.measurement != nullptr && member.measurement->replication == core::Replication::in_process;
    });
    if (inside) {
      out_.promote.emplace_back("replication: the trials are iterations inside one process; repeat the whole run");
    }
    if (context_differs_) out_.promote.emplace_back("context: match the differing keys, or declare them with --varying");
    if (judged_ < kFewestJudged) out_.promote.emplace_back("siblings: three or more that gave results");
    if (few.empty() && out_.verdict == core::Verdict::green) prove_green();
    if (few.empty() && out_.verdict == core::Verdict::yellow) {
      out_.promote.emplace_back("decision: what is doubtful is not decided; more trials of each sibling would tell");
    }
    out_.tier = out_.promote.empty() ? core::Tier::verdict : core::Tier::draft;
  }

  void prove_green() {
    std::size_t open = 0;
    for (std::size_t s = 0; s < members_.size(); ++s) {
      const bool proven = std::all_of(effects_.begin(), effects_.end(), [&](const Effect& effect) { return effect.within[s]; });
      open += proven ? 0 : 1;
    }
    if (open > 0) {
      out_.promote.push_back("proof: " + std::to_string(open) + " of " + core::counted(members_.size(), "sibling") +
                             " are not proven within tolerance of the others; more trials would");
    }
  }

  void add_warnings() {
    out_.warnings = fleet_.warnings;
    if (fleet_.few > 0) {
      out_.warnings.push_back({"rows_not_shared", core::counted(fleet_.few, "row") +
                                                      " of fewer than three siblings left out, first " +
                                                      core::cited(text(fleet_.first_few))});
    }
    if (fleet_.unclassified > 0) {
      out_.warnings.push_back(
          {"direction_unknown", "nothing says which way is better of " + core::counted(fleet_.unclassified, "row") +
                                    ", which were not judged, first " + core::cited(text(fleet_.first_unclassified)) +
                                    " (--direction KEY=DIR says it)"});
    }
  }

  // Out first, the worst first; the others as they came.
  void order() {
    std::vector<std::size_t> places(out_.siblings.size());
    for (std::size_t i = 0; i < places.size(); ++i) places[i] = i;
    const auto worst = [&](std::size_t s) {
      double most = 0;
      for (const SiblingDeviation& one : out_.siblings[s].classes) {
        if (one.worse) most = std::max(most, std::fabs(one.change_pct));
      }
      return most;
    };
    const auto rank = [&](std::size_t s) { return -static_cast<int>(out_.siblings[s].state); };
    std::stable_sort(places.begin(), places.end(), [&](std::size_t a, std::size_t b) {
      return std::tuple(rank(a), -worst(a), out_.siblings[a].name) < std::tuple(rank(b), -worst(b), out_.siblings[b].name);
    });
    std::vector<Sibling> ordered;
    ordered.reserve(places.size());
    for (const std::size_t s : places) ordered.push_back(std::move(out_.siblings[s]));
    out_.siblings = std::move(ordered);
    for (core::SiblingColumn& column : out_.columns) {
      std::vector<double> changes;
      changes.reserve(places.size());
      for (const std::size_t s : places) changes.push_back(column.change_pct[s]);
      column.change_pct = std::move(changes);
    }
    for (const Sibling& one : out_.siblings) {
      if (one.is_out()) out_.drain.push_back(one.name);
    }
  }

  const SiblingsQuestion& q_;
  std::vector<Member> members_;
  Fleet fleet_;
  std::size_t judged_ = 0;       // siblings with numbers
  std::vector<Effect> effects_;  // by class
  std::vector<SiblingState> state_;
  std::vector<std::vector<std::uint32_t>> out_lines_;  // by sibling
  std::vector<Part> parts_;
  bool context_differs_ = false;
  OutliersResult out_;
};

}  // namespace

core::OutliersResult judge_siblings(const SiblingsQuestion& question) { return Judge(question).run(); }

}  // namespace plumbline::verdict
