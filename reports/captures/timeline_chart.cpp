// The typical steps of both sides on one axis of time, each aligned at its start: streams as lanes, what the host did below them,
// gaps hatched with their cause. One SVG for both, as wide as the reader zooms it; names of lanes stand beside it and stay.
#include <array>

#include "core/results/gap_causes.hpp"
#include "reports/captures/parts.hpp"
#include "reports/page/svg.hpp"

namespace plumbline::reports {
namespace {

constexpr double kAxis = 22, kHead = 22, kLane = 24, kHostLane = 20, kSpace = 14;
constexpr std::size_t kTitleBytes = 160;
// A box gets words where they may be read: at once, zoomed in by 4, by 16. In percent of the width.
constexpr double kWords = 4.5, kWordsAt4 = 1.2, kWordsAt16 = 0.3;

double real(std::int64_t value) { return static_cast<double>(value); }

std::string_view tone(core::TimelineWork work) {
  constexpr std::array<std::string_view, 4> kTones = {"compute", "comm", "copy", "host"};
  return kTones[static_cast<std::size_t>(work)];
}

std::string cause_words(const core::TimelineGap& gap) { return std::string(core::gap_cause(gap.cause).brief); }

std::string cut(std::string_view text) { return one_line(shorten_bytes(text, kTitleBytes)); }

class Picture {
 public:
  explicit Picture(std::int64_t longest) : longest_(longest) {}

  void axis() {
    const double step = svg::nice(real(longest_) / 6);
    for (int i = 0; step * i <= real(longest_) * 1.0001; ++i) {
      const double x = at(static_cast<std::int64_t>(step * i));
      grid_.push_back(x);
      out_ += svg::text(x, 13, time_text(static_cast<std::int64_t>(step * i)),
                        i == 0   ? "faint"
                        : x > 97 ? "faint end"
                                 : "faint mid");
    }
    y_ = kAxis;
    names_ += "<span style=\"height:" + svg::number(kAxis) + "px\"></span>";
  }

  void side(std::string_view head, const core::ProfileTimelineSide& side) {
    out_ += svg::text(0, y_ + 14, head, "head");
    threads_ = 0;
    name("", "", kHead);
    const double top = y_;
    double streams = 0;
    for (const core::TimelineLane& lane : side.lanes) streams += lane.host ? 0 : kLane;
    for (const double x : grid_) out_ += svg::line(x, top, x, top + height(side), "grid");
    out_ += svg::rect(0, top, at(side.wall_ns), streams, "track");
    for (const core::TimelineGap& gap : side.gaps) draw(gap, streams);
    for (const core::TimelineLane& lane : side.lanes) draw(lane, side);
    const double end = at(side.wall_ns);
    out_ += svg::line(end, top - 4, end, y_, "end-mark");
    if (end < 88) out_ += svg::text(end + 0.6, top + 15, "ends at " + time_text(side.wall_ns), "soft");
    name("", "", kSpace);
  }

  [[nodiscard]] std::string svg(std::string_view title) const { return svg::open(y_, title, "steps") + kHatch + out_ + "</svg>"; }
  [[nodiscard]] const std::string& names() const { return names_; }

 private:
  static constexpr const char* kHatch =
      "<defs><pattern id=\"hatch\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\" patternTransform=\"rotate(45)\">"
      "<rect class=\"hatch-ground\" width=\"6\" height=\"6\"/><rect class=\"hatch-line\" width=\"1.6\" "
      "height=\"6\"/></pattern></defs>";

  [[nodiscard]] double at(std::int64_t ns) const { return 100 * real(ns) / real(longest_); }
  static double height(const core::ProfileTimelineSide& side) {
    double sum = 0;
    for (const core::TimelineLane& lane : side.lanes) sum += lane.host ? kHostLane : kLane;
    return sum;
  }
  void name(std::string_view text, std::string_view full, double height) {
    names_ += "<span style=\"height:" + svg::number(height) + "px\"" +
              (full.empty() ? std::string() : " title=\"" + markup(full) + "\"") + ">" + markup(text) + "</span>";
    y_ += height;
  }

  void words(double x, double y, double width, double height, std::string_view text) {
    if (width < kWordsAt16) return;
    out_ += svg::boxed_text(x, y, width, height, text, width >= kWords ? "w" : width >= kWordsAt4 ? "w w4" : "w w16");
  }

  void draw(const core::TimelineGap& gap, double height) {
    const double x = at(gap.start_ns), width = at(gap.duration_ns);
    const std::string text = cause_words(gap);
    out_ += "<g class=\"b\"><title>" +
            markup("idle " + time_text(gap.duration_ns) + ": " + text +
                   (gap.what.empty() ? std::string() : " (" + cut(gap.what) + ")")) +
            "</title>" + svg::rect(x, y_, std::max(width, 0.05), height, "gap");
    words(x, y_ + 3, width, 16, text + ", " + time_text(gap.duration_ns));
    out_ += "</g>";
  }

  void draw(const core::TimelineLane& lane, const core::ProfileTimelineSide& side) {
    const double height = lane.host ? kHostLane : kLane;
    std::string lane_name =
        lane.together > 1 ? std::to_string(lane.together) + " streams" : "stream " + std::to_string(lane.number);
    if (lane.host) lane_name = lane.level > 0 ? "inside" : threads_++ == 0 ? "host" : "host " + std::to_string(threads_);
    for (const core::TimelineBlock& block : lane.blocks) {
      const double x = at(block.start_ns), width = at(block.duration_ns);
      const std::string& named = side.names[block.name];
      std::string title = cut(named) + ": " + time_text(block.duration_ns);
      if (block.count > 1) {
        title = core::counted(block.count, "operation") + " in " + time_text(block.duration_ns) + ", " +
                time_text(block.busy_ns) + " of it busy, most in " + cut(named);
      }
      out_ += "<g class=\"b\"><title>" + markup(title) + "</title>" +
              svg::rect(x, y_ + 2, std::max(width, 0.06), height - 4,
                        std::string(tone(block.work)) + (block.count > 1  ? " several"
                                                         : lane.level > 0 ? " inside"
                                                                          : ""));
      words(x, y_ + 2, width, height - 4, block.count > 1 ? core::counted(block.count, "operation") : brief_name(named));
      out_ += "</g>";
    }
    std::string full = lane_name + ": " + core::counted(lane.operations, lane.host ? "range" : "operation");
    if (lane.host)
      full = "thread " + std::to_string(lane.number) + (lane.level == 0 ? ", outermost ranges" : ", ranges inside those");
    name(lane_name, full, height);
  }

  std::int64_t longest_;
  double y_ = 0;
  int threads_ = 0;  // of the side, so far
  std::string out_, names_;
  std::vector<double> grid_;
};

std::string described(const core::ProfileTimelineSide& side) {
  std::string text = "step " + std::to_string(side.step) + " of " + std::to_string(side.of);
  if (side.basis == "capture") text = "all of it (no steps found)";
  if (side.basis == "window") text = "from its middle (no steps found)";
  text += ", " + time_text(side.wall_ns) + ", " + time_text(side.idle_ns) + " idle, GPU " + std::to_string(side.device);
  return side.rank ? text + ", rank " + std::to_string(*side.rank) : text;
}

// Idle time of a side by cause, most first: what the hatching says, in words.
std::string idle_words(const core::ProfileTimelineSide& side) {
  std::vector<std::pair<std::string, std::int64_t>> causes;
  for (const core::TimelineGap& gap : side.gaps) {
    const std::string name = cause_words(gap) + (gap.what.empty() ? std::string() : " (" + cut(gap.what) + ")");
    const auto at = std::find_if(causes.begin(), causes.end(), [&name](const auto& each) { return each.first == name; });
    if (at == causes.end()) {
      causes.emplace_back(name, gap.duration_ns);
    } else {
      at->second += gap.duration_ns;
    }
  }
  if (side.short_gaps > 0) causes.emplace_back(core::counted(side.short_gaps, "shorter gap"), side.short_gaps_ns);
  std::stable_sort(causes.begin(), causes.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  std::string text;
  for (std::size_t i = 0; i < std::min<std::size_t>(causes.size(), 5); ++i)
    text += (i == 0 ? "" : "; ") + causes[i].first + " " + time_text(causes[i].second);
  if (causes.size() > 5) text += "; " + core::counted(causes.size() - 5, "more cause");
  return text.empty() ? "no idle time" : text;
}

}  // namespace

std::string timeline_section(const core::ProfileDiff& diff) {
  if (!diff.timeline) return {};
  const auto& [before, after] = std::tie(diff.timeline->baseline, diff.timeline->candidate);
  std::int64_t longest = 0;
  for (const auto* side : {&before, &after}) longest = *side ? std::max(longest, (*side)->wall_ns) : longest;
  if (longest <= 0) return {};
  Picture picture(longest);
  picture.axis();
  std::string title = "timeline";
  std::string words;
  bool one_of_two = false;
  const auto names = side_names(diff);
  for (const auto& [name, label, side] :
       {std::tuple("baseline", &names.first, &before), std::tuple("candidate", &names.second, &after)}) {
    if (!*side) continue;
    const std::string text = described(**side);
    one_of_two = one_of_two || (!(*side)->parts.empty() && (*side)->wall_ns != (*side)->typical_ns);
    picture.side(std::string(name) + ": " + text, **side);
    title +=
        "; " + std::string(name) + " " + shorten_middle(one_line(*label), 80) + ": " + text + ", by cause: " + idle_words(**side);
    words += "<dt>" + std::string(name) + "</dt><dd>" + markup(idle_words(**side)) + "</dd>";
  }
  return "<section class=\"wide\">\n<h2>" +
         std::string(before && after && before->basis == "step" && after->basis == "step" ? "A typical step of each side"
                                                                                          : "Each side, as it went") +
         "</h2>\n<div class=\"tl\">"
         "<input type=\"radio\" name=\"zoom\" id=\"z1\" checked><label for=\"z1\">whole</label>"
         "<input type=\"radio\" name=\"zoom\" id=\"z4\"><label for=\"z4\">4×</label>"
         "<input type=\"radio\" name=\"zoom\" id=\"z16\"><label for=\"z16\">16×</label>\n"
         "<div class=\"grid\"><div class=\"names\" aria-hidden=\"true\">" +
         picture.names() +
         "</div><div class=\"scroll\" tabindex=\"0\" role=\"group\" aria-label=\"timeline, scrolls sideways\">" +
         picture.svg(title) +
         "</div></div>\n<p class=\"told\" aria-live=\"polite\">Hover over a block or tap it for its name; 4× and 16× "
         "zoom in, then scroll sideways.</p>\n"
         "<div class=\"legend\"><span><i class=\"compute\"></i>compute</span><span><i class=\"comm\"></i>communication</span>"
         "<span><i class=\"copy\"></i>copies</span><span><i class=\"host\"></i>host ranges</span>"
         "<span><i class=\"hatched\"></i>the GPU is idle</span></div>\n<p class=\"note\">Idle time by cause:</p>\n<dl "
         "class=\"note\">" +
         words + "</dl>" +
         (one_of_two ? "<p class=\"note\">Of an even number of steps the typical one is the mean of the two in the middle: the "
                       "shorter of them is drawn.</p>"
                     : "") +
         "</div>\n</section>\n";
}

}  // namespace plumbline::reports
