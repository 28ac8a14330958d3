#include "reports/image/picture.hpp"

#include "reports/captures/parts.hpp"
#include "reports/headline.hpp"
#include "reports/image/charts.hpp"
#include "reports/text.hpp"

namespace plumbline::reports {
namespace {

using namespace image;  // NOLINT(google-build-using-namespace): all of it is drawing

constexpr std::size_t kFallParts = 8, kSentenceLines = 3;
constexpr double kName = 14, kSentence = 17, kLineHeight = 24;

double draw_head(Canvas& canvas, const core::DiffResult& result) {
  const Colour ground = result.verdict == core::Verdict::red      ? Colour{168, 50, 0}
                        : result.verdict == core::Verdict::yellow ? Colour{255, 216, 102}
                                                                  : Colour{0, 99, 74};
  const Colour ink = result.verdict == core::Verdict::yellow ? Colour{51, 38, 0} : kGround;
  const std::string verdict(to_string(result.verdict)), tier(to_string(result.tier));
  const Headline headline = headline_of(result);
  const double badge = text_width(verdict, 18) + 28;
  canvas.rect(kMargin, 22, badge, 34, ground);
  canvas.text(kMargin + badge / 2, 45, verdict, 18, ink, Align::middle);
  canvas.text(kMargin + badge + 14, 44, tier, kName, kSoft);
  const double left = kMargin + badge + 14 + text_width(tier, kName) + 20;
  canvas.text(left, 44, fitted(one_line(headline.of), kName, kWidth - kMargin - left), kName, kSoft);
  double y = 84;
  for (const std::string& line : wrapped(one_line(headline.sentence), kSentence, kWidth - 2 * kMargin, kSentenceLines)) {
    canvas.text(kMargin, y, line, kSentence, kInk);
    y += kLineHeight;
  }
  return y - 4;
}

double draw_body(Canvas& canvas, double top, const core::DiffResult& result) {
  if (const core::ProfileDiff* profile = result.profile(); profile != nullptr) {
    const auto moved = fall_of(*profile, kFallParts);
    if (moved && !moved->parts.empty()) return draw_fall(canvas, top, *moved);
  }
  const Rows rows(result);
  if (const auto matrices = matrices_of(result); !matrices.empty()) return draw_matrix(canvas, top, matrices.front(), rows);
  if (result.cases() == nullptr) {
    if (const auto curves = curves_of(result); !curves.empty()) return draw_curve(canvas, top, curves.front(), rows);
  }
  return draw_changes(canvas, top, rows);
}

}  // namespace

std::string diff_png(const core::DiffResult& result) {
  Canvas measure(1, 1, kGround);
  const double top = draw_head(measure, result), height = draw_body(measure, top, result);
  Canvas canvas(kWidth, static_cast<int>(top + height + 16), kGround);
  static_cast<void>(draw_body(canvas, draw_head(canvas, result), result));
  return canvas.png();
}

}  // namespace plumbline::reports
