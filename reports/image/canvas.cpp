#include "reports/image/canvas.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "core/columns.hpp"
#include "core/unicode.hpp"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wshadow"
#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"
#define STBTT_STATIC
#define STB_TRUETYPE_IMPLEMENTATION
#include <stb/stb_truetype.h>
#define STB_IMAGE_WRITE_STATIC
#define STBI_WRITE_NO_STDIO
#define STB_IMAGE_WRITE_IMPLEMENTATION
#include <stb/stb_image_write.h>
#pragma GCC diagnostic pop

namespace plumbline::typeface {
std::string_view embedded_file(std::string_view name);
}

namespace plumbline::reports::image {
namespace {

constexpr int kMost = 2000;
constexpr double kParts = 16;  // of a pixel: what stb_truetype's whole numbers stand for

const stbtt_fontinfo& font() {
  static const stbtt_fontinfo kMade = [] {
    stbtt_fontinfo info{};
    const auto* data = reinterpret_cast<const unsigned char*>(typeface::embedded_file("DejaVuSans-subset.ttf").data());
    stbtt_InitFont(&info, data, 0);
    return info;
  }();
  return kMade;
}

// As large as `size` says in pixels from the top of the highest letter to the foot of the lowest, as CSS means it.
float scale_of(double size) { return stbtt_ScaleForMappingEmToPixels(&font(), static_cast<float>(size)); }

int glyph_of(char32_t letter) {
  const int found = stbtt_FindGlyphIndex(&font(), static_cast<int>(letter));
  return found != 0 ? found : stbtt_FindGlyphIndex(&font(), 0xFFFD);
}

double advance_of(int glyph, float scale) {
  int advance = 0, bearing = 0;
  stbtt_GetGlyphHMetrics(&font(), glyph, &advance, &bearing);
  return advance * static_cast<double>(scale);
}

std::vector<int> glyphs_of(std::string_view words) {
  std::vector<int> out;
  for (std::size_t at = 0; at < words.size();) out.push_back(glyph_of(core::next_code_point(words, at)));
  return out;
}

}  // namespace

double text_width(std::string_view words, double size) {
  double width = 0;
  for (const int glyph : glyphs_of(words)) width += advance_of(glyph, scale_of(size));
  return width;
}

std::string fitted(std::string words, double size, double width) {
  for (int most = core::display_width(words); most > 1 && text_width(words, size) > width; --most)
    words = core::shorten_middle(words, most - 1);
  return words;
}

std::vector<std::string> wrapped(std::string_view words, double size, double width, std::size_t most) {
  std::vector<std::string> lines(1);
  while (!words.empty()) {
    const std::size_t end = std::min(words.find(' '), words.size());
    const std::string word(words.substr(0, end));
    words.remove_prefix(std::min(end + 1, words.size()));
    const std::string longer = lines.back().empty() ? word : lines.back() + " " + word;
    if (lines.back().empty() || text_width(longer, size) <= width) {
      lines.back() = longer;
    } else if (lines.size() < most) {
      lines.push_back(word);
    } else {
      lines.back() += " …";
      break;
    }
  }
  for (std::string& line : lines) line = fitted(std::move(line), size, width);
  return lines;
}

Canvas::Canvas(int width, int height, Colour ground)
    : width_(std::clamp(width, 1, kMost)), height_(std::clamp(height, 1, kMost)) {
  pixels_.reserve(static_cast<std::size_t>(width_) * static_cast<std::size_t>(height_) * 3);
  for (int i = 0; i < width_ * height_; ++i) pixels_.insert(pixels_.end(), {ground.red, ground.green, ground.blue});
}

void Canvas::blend(int x, int y, std::uint8_t coverage, Colour colour) {
  if (x < 0 || y < 0 || x >= width_ || y >= height_ || coverage == 0) return;
  std::uint8_t* pixel =
      &pixels_[(static_cast<std::size_t>(y) * static_cast<std::size_t>(width_) + static_cast<std::size_t>(x)) * 3];
  for (const std::uint8_t part : {colour.red, colour.green, colour.blue}) {
    *pixel = static_cast<std::uint8_t>((*pixel * (255 - coverage) + part * coverage + 127) / 255);
    ++pixel;
  }
}

void Canvas::polygon(std::span<const Point> points, Colour colour) {
  if (points.size() < 3) return;
  double left = kMost, top = kMost, right = 0, bottom = 0;
  std::vector<stbtt_vertex> path;
  const auto add = [&path](Point point, unsigned char kind) {
    stbtt_vertex vertex{};
    vertex.x = static_cast<short>(std::lround(point.first * kParts));
    vertex.y = static_cast<short>(std::lround(point.second * kParts));
    vertex.type = kind;
    path.push_back(vertex);
  };
  for (auto [x, y] : points) {
    x = std::clamp(x, 0.0, static_cast<double>(width_));
    y = std::clamp(y, 0.0, static_cast<double>(height_));
    left = std::min(left, x);
    right = std::max(right, x);
    top = std::min(top, y);
    bottom = std::max(bottom, y);
    add({x, y}, path.empty() ? STBTT_vmove : STBTT_vline);
  }
  stbtt_vertex closing = path.front();
  closing.type = STBTT_vline;
  path.push_back(closing);
  const int x0 = static_cast<int>(std::floor(left)), y0 = static_cast<int>(std::floor(top));
  stbtt__bitmap area{};
  area.w = static_cast<int>(std::ceil(right)) - x0;
  area.h = static_cast<int>(std::ceil(bottom)) - y0;
  area.stride = area.w;
  if (area.w <= 0 || area.h <= 0) return;
  std::vector<unsigned char> coverage(static_cast<std::size_t>(area.w) * static_cast<std::size_t>(area.h));
  area.pixels = coverage.data();
  const auto scale = static_cast<float>(1 / kParts);
  stbtt_Rasterize(&area, 0.2F, path.data(), static_cast<int>(path.size()), scale, scale, 0, 0, x0, y0, 0, nullptr);
  for (int y = 0; y < area.h; ++y) {
    for (int x = 0; x < area.w; ++x)
      blend(x0 + x, y0 + y,
            coverage[static_cast<std::size_t>(y) * static_cast<std::size_t>(area.w) + static_cast<std::size_t>(x)], colour);
  }
}

void Canvas::rect(double x, double y, double width, double height, Colour colour) {
  polygon(std::array<Point, 4>{{{x, y}, {x + width, y}, {x + width, y + height}, {x, y + height}}}, colour);
}

void Canvas::frame(double x, double y, double width, double height, Colour colour, double thick) {
  rect(x, y, width, thick, colour);
  rect(x, y + height - thick, width, thick, colour);
  rect(x, y + thick, thick, height - 2 * thick, colour);
  rect(x + width - thick, y + thick, thick, height - 2 * thick, colour);
}

void Canvas::line(Point from, Point to, Colour colour, double thick) {
  const double dx = to.first - from.first, dy = to.second - from.second, length = std::hypot(dx, dy);
  if (length == 0) return;
  const double x = -dy / length * thick / 2, y = dx / length * thick / 2;
  polygon(std::array<Point, 4>{{{from.first + x, from.second + y},
                                {to.first + x, to.second + y},
                                {to.first - x, to.second - y},
                                {from.first - x, from.second - y}}},
          colour);
}

void Canvas::polyline(std::span<const Point> points, Colour colour, double thick) {
  for (std::size_t i = 1; i < points.size(); ++i) {
    line(points[i - 1], points[i], colour, thick);
    circle(points[i], thick / 2, colour);
  }
}

void Canvas::circle(Point middle, double radius, Colour colour) {
  constexpr int kCorners = 24;
  std::array<Point, kCorners> corners;
  for (int i = 0; i < kCorners; ++i) {
    const double angle = 2 * std::numbers::pi * i / kCorners;
    corners[static_cast<std::size_t>(i)] = {middle.first + radius * std::cos(angle), middle.second + radius * std::sin(angle)};
  }
  polygon(corners, colour);
}

void Canvas::ring(Point middle, double radius, Colour colour, Colour inside, double thick) {
  circle(middle, radius, colour);
  circle(middle, radius - thick, inside);
}

void Canvas::text(double x, double y, std::string_view words, double size, Colour colour, Align align) {
  const float scale = scale_of(size);
  if (align != Align::left) x -= text_width(words, size) * (align == Align::middle ? 0.5 : 1);
  for (const int glyph : glyphs_of(words)) {
    const auto part = static_cast<float>(x - std::floor(x));
    int left = 0, top = 0, right = 0, bottom = 0;
    stbtt_GetGlyphBitmapBoxSubpixel(&font(), glyph, scale, scale, part, 0, &left, &top, &right, &bottom);
    const int width = right - left, height = bottom - top;
    if (width > 0 && height > 0) {
      std::vector<unsigned char> coverage(static_cast<std::size_t>(width) * static_cast<std::size_t>(height));
      stbtt_MakeGlyphBitmapSubpixel(&font(), coverage.data(), width, height, width, scale, scale, part, 0, glyph);
      for (int j = 0; j < height; ++j) {
        for (int i = 0; i < width; ++i)
          blend(static_cast<int>(std::floor(x)) + left + i, static_cast<int>(std::lround(y)) + top + j,
                coverage[static_cast<std::size_t>(j) * static_cast<std::size_t>(width) + static_cast<std::size_t>(i)], colour);
      }
    }
    x += advance_of(glyph, scale);
  }
}

std::string Canvas::png() const {
  std::string out;
  const auto take = [](void* to, void* data, int size) {
    static_cast<std::string*>(to)->append(static_cast<const char*>(data), static_cast<std::size_t>(size));
  };
  // Flat colours: lines that are alike are found best where no filter changes them.
  stbi_write_force_png_filter = 0;
  stbi_write_png_compression_level = 16;
  stbi_write_png_to_func(take, &out, width_, height_, 3, pixels_.data(), 0);  // 0: line after line, with nothing in between
  return out;
}

}  // namespace plumbline::reports::image
