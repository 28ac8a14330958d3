// One look at a store: as long as it stands, this thread asks a store that is far away once for what a line holds and for what
// was accepted there, and whoever asks after that is told what was seen. A question about a baseline then has one picture of a
// line, and costs one listing of it. It stands over one question, no longer: what others publish meanwhile is not seen. What has
// to be new (a number for an acceptance, the end of a signed line) is asked for all the same.
#pragma once

#include <map>
#include <memory>
#include <string>

namespace plumbline::registry {

class Look {
 public:
  Look();
  ~Look();
  Look(const Look&) = delete;
  Look& operator=(const Look&) = delete;
  // The outermost one of this thread; null: none.
  [[nodiscard]] static Look* current();

  // What a store keeps here of one of its lines.
  struct Seen {
    virtual ~Seen() = default;
  };
  [[nodiscard]] std::unique_ptr<Seen>& seen(const std::string& line) { return lines_[line]; }

 private:
  Look* const before_;
  std::map<std::string, std::unique_ptr<Seen>> lines_;
};

}  // namespace plumbline::registry
