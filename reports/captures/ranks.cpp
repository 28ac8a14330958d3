#include "reports/captures/ranks.hpp"

#include <algorithm>

#include "core/citing.hpp"
#include "core/text.hpp"
#include "reports/page/html.hpp"
#include "reports/page/svg.hpp"
#include "reports/text.hpp"

namespace plumbline::reports {
namespace {

using core::JsonWriter;

constexpr std::size_t kLate = 5, kListed = 16;
constexpr double kTop = 20, kCell = 9;

void write_numbers(JsonWriter& json, std::string_view name, const std::vector<std::int64_t>& numbers) {
  json.key(name);
  core::compact(json, [&numbers](JsonWriter& one) {
    one.begin_array();
    for (const std::int64_t each : numbers) one.value(each);
    one.end_array();
  });
}

void write_grid(JsonWriter& json, const core::RankGrid& grid) {
  json.key("grid").begin_object().field("unit", grid.unit).field("units", grid.units);
  json.key("first_unit");
  core::compact(json, [&grid](JsonWriter& one) {
    one.begin_array();
    for (const std::uint64_t each : grid.first_unit) one.value(each);
    one.end_array();
  });
  json.key("rows").begin_array();
  for (const core::RankGrid::Row& row : grid.rows) {
    core::compact(json, [&row](JsonWriter& one) {
      one.begin_object().field("first", row.first).field("last", row.last).key("late_ns").begin_array();
      for (const auto& late : row.late_ns) late ? one.value(*late) : one.null();
      one.end_array().end_object();
    });
  }
  json.end_array().end_object();
}

std::string numbers_text(const std::vector<std::int64_t>& numbers) {
  std::vector<std::string> texts;
  texts.reserve(numbers.size());
  for (const std::int64_t each : numbers) texts.push_back(std::to_string(each));
  return core::listed(texts, kListed);
}

std::string row_text(const core::RankGrid::Row& row) {
  return row.first == row.last ? std::to_string(row.first) : std::to_string(row.first) + "–" + std::to_string(row.last);
}

// A cell is light at a third of the latest, dark at two thirds; the latest of the run is what the darkest is measured by, so that
// one slow step of everybody does not wash the others out.
class Picture {
 public:
  explicit Picture(const core::RankGrid& grid) : grid_(grid) {
    std::vector<std::int64_t> all;
    for (const core::RankGrid::Row& row : grid.rows) {
      for (const auto& late : row.late_ns) {
        if (late && *late > 0) all.push_back(*late);
      }
    }
    if (all.empty()) return;
    std::sort(all.begin(), all.end());
    most_ = all[(all.size() - 1) * 99 / 100];
  }

  [[nodiscard]] std::string text(std::string_view name) const {
    std::string out = "<figure><figcaption>" + std::string(name) +
                      "</figcaption><svg class=\"heat no-words\" width=\"100%\" height=\"" +
                      svg::number(kTop + kCell * static_cast<double>(grid_.rows.size())) + "\" role=\"img\" aria-label=\"" +
                      html::plain("how late ranks come, " + std::string(name), 200) + "\">";
    const double width = 100 / static_cast<double>(grid_.first_unit.size());
    const std::size_t every = std::max<std::size_t>(1, (grid_.first_unit.size() + 7) / 8);
    for (std::size_t c = 0; c < grid_.first_unit.size(); c += every)
      out += svg::text(width * (static_cast<double>(c) + 0.5), kTop - 7, std::to_string(grid_.first_unit[c]), "faint mid");
    for (std::size_t r = 0; r < grid_.rows.size(); ++r) out += row(r, width);
    return out + "</svg></figure>";
  }

 private:
  [[nodiscard]] std::string row(std::size_t r, double width) const {
    const double top = kTop + kCell * static_cast<double>(r);
    std::string out;
    if (r % 2 == 0)
      out +=
          "<text x=\"-6\" y=\"" + svg::number(top + kCell - 1) + "\" class=\"faint end\">" + row_text(grid_.rows[r]) + "</text>";
    for (std::size_t c = 0; c < grid_.rows[r].late_ns.size(); ++c) {
      const auto& late = grid_.rows[r].late_ns[c];
      if (!late) continue;
      const std::string tone = shade(*late);
      const std::string cell = svg::rect(width * static_cast<double>(c), top, width - 0.1, kCell - 1, tone);
      out += tone == "same" ? cell
                            : "<g><title>rank " + row_text(grid_.rows[r]) + ", " + grid_.unit + " " +
                                  std::to_string(grid_.first_unit[c]) + ": " + time_text(*late) + " late</title>" + cell + "</g>";
    }
    return out;
  }
  [[nodiscard]] std::string shade(std::int64_t late) const {
    const double part = most_ > 0 ? static_cast<double>(late) / static_cast<double>(most_) : 0;
    return part < 0.2 ? "same" : part < 0.4 ? "d-bad1" : part < 0.7 ? "d-bad2" : "d-bad3";
  }

  const core::RankGrid& grid_;
  std::int64_t most_ = 0;
};

}  // namespace

void write_failures(JsonWriter& json, const std::vector<core::RankFailure>& failed) {
  json.key("failed").begin_array();
  for (const core::RankFailure& each : failed) {
    core::compact(json, [&each](JsonWriter& one) {
      one.begin_object();
      one.key("rank");
      each.rank >= 0 ? one.value(each.rank) : one.null();
      one.field("file", each.file).field("code", each.code).field("reason", each.reason).end_object();
    });
  }
  json.end_array();
}

void write_job(JsonWriter& json, std::string_view name, const core::ProfileRanksSide& job, bool whole) {
  json.key(name).begin_object().field("read", job.read);
  json.field_or_null("expected", job.expected > 0 ? std::optional(job.expected) : std::nullopt);
  json.field("expected_by", job.expected_by);
  write_numbers(json, "missing", job.missing);
  write_numbers(json, "cut", job.cut);
  write_failures(json, job.failed);
  json.field("collectives", job.collectives);
  json.field_or_null("clock_spread_ns", job.clock_spread_ns).field_or_null("clock_noise_ns", job.clock_noise_ns);
  json.key("stragglers").begin_array();
  for (const core::Straggler& each : job.stragglers) {
    core::compact(json, [&each](JsonWriter& one) {
      one.begin_object().field("rank", each.rank).field("late_ns", each.late_ns).field_or_null("share_pct", each.share_pct);
      one.field("p", each.p).field("columns", each.columns).end_object();
    });
  }
  json.end_array();
  if (whole) {
    json.key("clocks");
    core::compact(json, [&job](JsonWriter& one) {
      one.begin_array();
      for (const core::RankClock& each : job.clocks) one.begin_array().value(each.rank).value(each.offset_ns).end_array();
      one.end_array();
    });
    if (job.grid) write_grid(json, *job.grid);
  }
  json.end_object();
}

std::string late_text(const core::Straggler& one, const core::ProfileRanksSide& job) {
  return time_text(one.late_ns) + " a " + (job.grid ? job.grid->unit : std::string("step")) +
         (one.share_pct ? " (" + core::short_number(*one.share_pct, 2) + " %)" : "");
}

std::string ranks_lines(const core::ProfileRanksSide& job) {
  std::string out;
  if (job.expected > job.read)
    out += "ranks: " + std::to_string(job.read) + " of " + std::to_string(job.expected) +
           "; missing: " + numbers_text(job.missing) + "\n";
  for (const core::RankFailure& each : job.failed) {
    out += "failed: " + (each.rank >= 0 ? "rank " + std::to_string(each.rank) : std::string("a rank")) + ", " +
           core::cited_path(each.file) + ": " + one_line(each.reason) + "\n";
  }
  if (job.clock_spread_ns)
    out += "clocks: up to " + time_text(*job.clock_spread_ns) + " apart, told within " +
           time_text(job.clock_noise_ns.value_or(0)) + "\n";
  for (std::size_t i = 0; i < std::min(kLate, job.stragglers.size()); ++i) {
    const core::Straggler& each = job.stragglers[i];
    out += "late: rank " + std::to_string(each.rank) + " by " + late_text(each, job) + "\n";
  }
  if (job.stragglers.size() > kLate) out += "late: " + core::counted(job.stragglers.size() - kLate, "further rank") + "\n";
  return out;
}

std::string ranks_section(const core::ProfileDiff& diff) {
  std::string pictures, unit;
  for (const auto& [name, side] :
       {std::pair("Baseline", diff.baseline_job.get()), std::pair("This run", diff.candidate_job.get())}) {
    if (side == nullptr || !side->grid) continue;
    unit = side->grid->unit;
    pictures += Picture(*side->grid).text(name);
  }
  if (pictures.empty()) return {};
  std::string body =
      "<p>Rows are ranks, columns are " + unit +
      "s in order of time. A cell is as dark as the latest rank in it comes late to its collectives by its own work, "
      "beyond the middle rank of each.</p>\n<div class=\"panels\">" +
      pictures + "</div>\n";
  html::Table table({{"Side"}, {"Rank"}, {"Late", true}, {"Chance", true}});
  for (const auto& [name, side] :
       {std::pair("baseline", diff.baseline_job.get()), std::pair("candidate", diff.candidate_job.get())}) {
    if (side == nullptr) continue;
    for (const core::Straggler& each : side->stragglers) {
      if (table.rows() == 2 * kListed) break;
      table.row().cell(name).cell(std::to_string(each.rank)).cell(late_text(each, *side)).cell(core::short_number(each.p, 2));
    }
  }
  body += table.empty() ? html::note("No rank is late more than chance would have it, by 1 % of a " + unit + " or more.")
                        : table.text("Late ranks");
  return html::section("Ranks over the run", body, {.wide = true});
}

}  // namespace plumbline::reports
