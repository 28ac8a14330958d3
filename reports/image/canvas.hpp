// A picture in pixels that becomes a PNG: filled shapes with smooth edges, and words in one typeface. Places are in pixels from
// the upper left corner; what lies outside is cut off. Shapes and letters are rasterised by stb_truetype, the file is written by
// stb_image_write. Letters: DejaVuSans-subset.ttf, the ASCII part of DejaVu Sans and a few signs, made by
//   fonttools subset DejaVuSans.ttf --no-hinting --layout-features= --unicodes=U+20-7E,U+AB,U+B1,U+B5,U+B7,U+BB,U+D7,U+2013,…
// Other characters are drawn as U+FFFD. Internal to reports/.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace plumbline::reports::image {

struct Colour {
  std::uint8_t red = 0, green = 0, blue = 0;
};
enum class Align : std::uint8_t { left, middle, right };
using Point = std::pair<double, double>;  // x, y

[[nodiscard]] double text_width(std::string_view words, double size);
// Cut in the middle so that it is no wider than `width`.
[[nodiscard]] std::string fitted(std::string words, double size, double width);
// Lines of whole words, each no wider than `width`; the last of `most` says by "…" that more followed.
[[nodiscard]] std::vector<std::string> wrapped(std::string_view words, double size, double width, std::size_t most);

class Canvas {
 public:
  Canvas(int width, int height, Colour ground);  // at most 2,000 pixels either way
  void rect(double x, double y, double width, double height, Colour colour);
  void frame(double x, double y, double width, double height, Colour colour, double thick = 1.5);
  void line(Point from, Point to, Colour colour, double thick = 1);
  void polyline(std::span<const Point> points, Colour colour, double thick);
  void circle(Point middle, double radius, Colour colour);
  void ring(Point middle, double radius, Colour colour, Colour inside, double thick = 2);
  // `y` is that of the line that letters stand on.
  void text(double x, double y, std::string_view words, double size, Colour colour, Align align = Align::left);
  [[nodiscard]] std::string png() const;

 private:
  void polygon(std::span<const Point> points, Colour colour);
  void blend(int x, int y, std::uint8_t coverage, Colour colour);
  int width_, height_;
  std::vector<std::uint8_t> pixels_;  // red, green, blue of each, line by line
};

}  // namespace plumbline::reports::image
