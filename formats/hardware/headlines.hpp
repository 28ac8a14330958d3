// What users of a tool look at first, where the tool itself prints a matrix or a sweep and no one figure of it: a few keys of the
// file, at most eight, because a headline that regressed is RED without any correction for their number. A matrix is spoken for
// by its slowest cell, as a row of its own whose key says that it is derived and of how many cells. Private to formats/.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "formats/tool_rows.hpp"

namespace plumbline::formats {

inline constexpr std::size_t kMostHeadlines = 8;

// Of a sweep over sizes: bandwidth at the largest, latency at the smallest.
class SizeHeadlines {
 public:
  // The row of this metric at the point that `rows` stands at. `sweep` is what the sizes belong to.
  void take(const ToolRows& rows, std::string_view sweep, const ToolMetric& metric, double size);
  void declare(ToolRows& rows) const;

 private:
  std::map<std::pair<std::string, std::string_view>, std::size_t> index_;  // by sweep and metric
  std::vector<std::pair<double, std::string>> found_;                      // size and key, in the order of the file
};

// The slowest of some cells, or the fastest. A cell that is measured again is another trial, as in ToolRows.
class Outermost {
 public:
  enum class End : std::uint8_t { slowest, fastest };
  explicit Outermost(End end = End::slowest) : end_(end) {}

  // `point` is what ToolRows gave for it.
  void take(const ToolRows& rows, std::uint32_t point, const ToolMetric& metric, double value);
  // The key to look at: that of the derived row, which is added here, or of the only cell; empty where there was none.
  std::string put(ToolRows& rows, std::string_view subject, std::vector<Dim> dims = {}) const;

 private:
  struct Trial {
    double value = 0;
    std::size_t cells = 0;
  };
  End end_;
  const ToolMetric* metric_ = nullptr;
  std::string only_;
  std::unordered_map<std::uint32_t, std::size_t> times_;  // by point
  std::vector<Trial> trials_;
};

// The few that a file's results are looked at for, of more those of the lowest rank.
class Headlines {
 public:
  // A row as it is.
  void take(std::string key, int rank = 0) { candidates_.push_back({rank, std::move(key), {}, {}, Outermost()}); }
  // The cells of a matrix of this subject: what is taken there is one candidate.
  Outermost& cells(std::string_view subject, std::vector<Dim> dims = {}, int rank = 0,
                   Outermost::End end = Outermost::End::slowest);
  // At the end of a section: the rows derived of the cells that are chosen belong to it.
  void put(ToolRows& rows);

 private:
  struct Candidate {
    int rank = 0;
    std::string key, subject;
    std::vector<std::pair<std::string, std::string>> dims;
    Outermost cells;
  };
  std::deque<Candidate> candidates_;  // cells() gives away references
  std::unordered_map<std::string, Outermost*> matrices_;
  std::size_t declared_ = 0;
};

}  // namespace plumbline::formats
