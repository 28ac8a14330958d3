// The tree of ranges as an icicle: each box as wide as the time of the side that takes longer for it, coloured by what changed.
// Roots at the top; what is too narrow stands together in a box "…".
#include <array>

#include "reports/captures/parts.hpp"
#include "reports/page/svg.hpp"

namespace plumbline::reports {
namespace {

constexpr double kRow = 26;
constexpr std::size_t kMostLevels = 9, kMostNodes = 1200;
constexpr double kNarrow = 0.4;  // percent of the width

double real(std::int64_t value) { return static_cast<double>(value); }
std::int64_t whole(double ns) { return std::llround(std::clamp(ns, -9e18, 9e18)); }

// What a box is drawn from: one place to say which time of a range is meant.
struct Node {
  const core::ProfileRange* range = nullptr;
  double baseline_ns = 0, candidate_ns = 0;  // a damaged capture's do not fit whole numbers once they are scaled
  std::vector<std::size_t> children;
  double size = 0;  // at least what its children take together
  [[nodiscard]] double delta() const { return candidate_ns - baseline_ns; }
};

bool has_walls(const std::vector<core::ProfileRange>& ranges) {
  return std::any_of(ranges.begin(), ranges.end(), [](const core::ProfileRange& range) {
    return (range.baseline && range.baseline->wall_ns > 0) || (range.candidate && range.candidate->wall_ns > 0);
  });
}

// Of the wall where it is known, gaps included; else kernel time.
Node node_of(const core::ProfileRange& range, double work, bool walls, double steps) {
  if (walls) {
    const double before = range.baseline ? real(range.baseline->wall_ns) : 0;
    return {&range, before / steps, (before + real(range.delta_wall_ns)) / steps, {}, 0};
  }
  const auto time = [](const std::optional<core::ProfileRangeSide>& side) { return side ? real(side->gpu_ns) : 0; };
  return {&range, time(range.baseline), time(range.candidate) / work, {}, 0};
}

struct Tree {
  std::vector<Node> nodes;
  std::vector<std::size_t> roots;
  double size = 0;
  double most = 0;  // of |change|
};

// `work`: of the candidate by that of the baseline.
Tree tree_of(const std::vector<core::ProfileRange>& ranges, double work, double steps) {
  const bool walls = has_walls(ranges);
  Tree tree;
  std::vector<std::size_t> above;
  for (const core::ProfileRange& range : ranges) {  // preorder
    tree.nodes.push_back(node_of(range, work, walls, steps));
    const std::size_t place = tree.nodes.size() - 1;
    above.resize(std::min<std::size_t>(range.depth, above.size()));
    (above.empty() ? tree.roots : tree.nodes[above.back()].children).push_back(place);
    above.push_back(place);
    tree.most = std::max(tree.most, std::fabs(tree.nodes.back().delta()));
  }
  for (std::size_t i = tree.nodes.size(); i-- > 0;) {
    Node& node = tree.nodes[i];
    double children = 0;
    for (const std::size_t child : node.children) children += tree.nodes[child].size;
    node.size = std::max({node.baseline_ns, node.candidate_ns, children});
  }
  for (const std::size_t root : tree.roots) tree.size += tree.nodes[root].size;
  return tree;
}

class Drawing {
 public:
  explicit Drawing(const Tree& tree) : tree_(tree) {}

  void draw(const std::vector<std::size_t>& siblings, double from, std::size_t level) {
    std::vector<std::size_t> order = siblings;
    std::stable_sort(order.begin(), order.end(), [this](std::size_t a, std::size_t b) { return size(a) > size(b); });
    Node rest;
    std::size_t together = 0;
    for (const std::size_t place : order) {
      const Node& node = tree_.nodes[place];
      const double width = 100 * node.size / tree_.size;
      if (width < kNarrow || drawn_ >= kMostNodes) {
        ++together;
        rest.baseline_ns += node.baseline_ns;
        rest.candidate_ns += node.candidate_ns;
        rest.size += node.size;
        continue;
      }
      box(node, brief_name(node.range->name), one_line(node.range->path), from, width, level);
      if (!node.children.empty() && level + 1 < kMostLevels) draw(node.children, from, level + 1);
      from += width;
    }
    if (together == 0 || rest.size <= 0) return;
    const double width = 100 * rest.size / tree_.size;
    if (width >= kNarrow / 4)
      box(rest, "… " + std::to_string(together), core::counted(together, "smaller range"), from, width, level);
  }

  [[nodiscard]] std::string svg(std::string_view title) const {
    return svg::open(kRow * real(static_cast<std::int64_t>(levels_)), title, "icicle") + out_ + "</svg>";
  }

 private:
  [[nodiscard]] double size(std::size_t place) const { return tree_.nodes[place].size; }

  // In five steps either way, by the largest change of all.
  [[nodiscard]] std::string shade(const Node& node) const {
    if (tree_.most == 0 || node.delta() == 0) return "same";
    const double part = std::fabs(node.delta()) / tree_.most;
    const int step = part >= 0.6 ? 4 : part >= 0.3 ? 3 : part >= 0.1 ? 2 : part >= 0.02 ? 1 : 0;
    if (step == 0) return "same";
    return (node.delta() > 0 ? "more" : "less") + std::to_string(step);
  }

  void box(const Node& node, std::string_view name, std::string_view full, double x, double width, std::size_t level) {
    ++drawn_;
    levels_ = std::max(levels_, level + 1);
    const double y = kRow * real(static_cast<std::int64_t>(level));
    const std::string change = signed_time_text(whole(node.delta()));
    out_ += "<g class=\"b\"><title>" + markup(shorten_bytes(full, 300)) + ": " + time_text(whole(node.baseline_ns)) + " → " +
            time_text(whole(node.candidate_ns)) + ", " + change + "</title>" +
            svg::rect(x, y + 1, std::max(width - 0.08, 0.05), kRow - 2, shade(node));
    const std::string label = (node.range != nullptr && node.range->explains ? "* " : "") + std::string(name) + "  " + change;
    if (width >= 2.5) out_ += svg::boxed_text(x, y + 1, width - 0.2, kRow - 2, label, "w");
    out_ += "</g>";
  }

  const Tree& tree_;
  std::string out_;
  std::size_t drawn_ = 0, levels_ = 0;
};

}  // namespace

std::string icicle_section(const core::ProfileDiff& diff) {
  const double steps = diff.steps && diff.steps->baseline_in_window.value_or(0) > 0 ? *diff.steps->baseline_in_window : 1;
  const Tree tree = tree_of(diff.ranges, diff.work_ratio.value_or(0) > 0 ? *diff.work_ratio : 1, steps);
  if (tree.size <= 0) return {};
  Drawing drawing(tree);
  drawing.draw(tree.roots, 0, 0);
  const bool walls = has_walls(diff.ranges);
  const std::string what = std::string(walls ? "time by range, gaps included" : "GPU time by range") +
                           (walls && steps != 1 ? ", of a step on a device" : "");
  std::string title = what + ", coloured by its change";
  if (diff.subtree && !walls) {
    title += ": " + core::short_number(diff.subtree->share_pct, 3) + " % of " +
             signed_time_text(diff.subtree->total_delta_gpu_ns) + " is in " + shorten_middle(one_line(diff.subtree->path), 160);
  }
  return "<section class=\"wide\">\n<h2>Where it changed: " + what + "</h2>\n<div class=\"ic\">" + drawing.svg(title) +
         "</div>\n<div class=\"legend\"><span><i class=\"less4\"></i><i class=\"less2\"></i>less time than before</span>"
         "<span><i class=\"same\"></i>the same</span><span><i class=\"more2\"></i><i class=\"more4\"></i>more time than "
         "before</span>"
         "</div>\n<p class=\"told\" aria-live=\"polite\"></p><p class=\"note\">Ranges stand inside those above them; a box is as "
         "wide as the side that takes longer for it. For the "
         "same work; * marks the smallest that hold nine tenths of the change. Tap or hover for both "
         "sides' times.</p>\n</section>\n";
}

}  // namespace plumbline::reports
