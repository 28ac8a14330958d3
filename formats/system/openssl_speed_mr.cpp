// openssl speed -mr: what it prints for machines. "+H" names the block sizes, "+F" has the bytes a second of an algorithm at
// each,
// "+F2" to "+F5" the operations a second of kinds of keys, "+F6" those of keys with a name. With -multi each process says what it
// measured ("Got: +F… from 0"), and the lines without "Got" are their sums.
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/text.hpp"
#include "formats/declared_rows.hpp"
#include "formats/line_reader.hpp"

namespace plumbline::formats {
namespace {

struct KeyKind {
  std::string_view mark, algorithm, first, second;
};
// In the order of openssl's apps/speed.c. Of key exchanges the second number is the time of one operation: the same again.
constexpr KeyKind kKeyKinds[] = {{"+F2", "rsa", "sign_per_second", "verify_per_second"},
                                 {"+F3", "dsa", "sign_per_second", "verify_per_second"},
                                 {"+F4", "ecdsa", "sign_per_second", "verify_per_second"},
                                 {"+F5", "ecdh", "op_per_second", ""}};

bool is_ours(std::string_view line) { return line.starts_with("+F:") || line.starts_with("+F2:") || line.starts_with("+F4:"); }

class Reader {
 public:
  static constexpr std::string_view kNothing = "no result of openssl speed -mr: no line that begins with \"+F\"";
  static constexpr std::string_view kHint = "it prints them when all is timed: let it come to its end";
  Reader(RowWriter& writer, std::uint32_t section) : rows_(writer, "openssl-speed-mr", section) { rows_.repeats_are_sections(); }

  [[nodiscard]] static bool begins(std::string_view) { return false; }
  void line(std::string_view whole) {
    std::string_view line = core::trim(whole);
    if (line.starts_with("Got: +H:")) line = line.substr(5, line.find(" from ") - 5);
    const std::vector<std::string_view> cells = core::split(line, ':');
    if (cells[0] == "+H") {
      sizes_.assign(cells.begin() + 1, cells.end());
    } else if (cells[0] == "+F" && cells.size() > 3) {
      blocks(std::string(cells[2]), {cells.begin() + 3, cells.end()});
    } else if (cells[0] == "+F6" && cells.size() == 6) {
      key(std::string(cells[3]), cells[2], "sign_per_second", cells[4]);
      key(std::string(cells[3]), cells[2], "verify_per_second", cells[5]);
    }
    for (const KeyKind& kind : kKeyKinds) {
      if (cells[0] != kind.mark || cells.size() != 5) continue;
      key(std::string(kind.algorithm), cells[2], kind.first, cells[3]);
      if (!kind.second.empty()) key(std::string(kind.algorithm), cells[2], kind.second, cells[4]);
    }
  }
  void end() { rows_.warn_of_repeats(); }

 private:
  // The table of the text says thousands of bytes, and so is this: both can be compared.
  void blocks(const std::string& algorithm, const std::vector<std::string_view>& values) {
    for (std::size_t i = 0; i < std::min(values.size(), sizes_.size()); ++i) {
      const std::string size = std::string(sizes_[i]) + " bytes";
      const auto value = core::parse_double(values[i]);
      if (!value) continue;
      rows_.add(algorithm + "[size=" + size + "]", "throughput", rows_.dims({{"cipher", algorithm}, {"size", size}}),
                higher_is_better("kB/s"), *value / 1000);
    }
  }
  void key(const std::string& algorithm, std::string_view bits, std::string_view metric, std::string_view value) {
    const auto rate = core::parse_double(value);
    if (!rate) return;
    rows_.add(algorithm + "[bits=" + std::string(bits) + "]", metric,
              rows_.dims({{"algorithm", algorithm}, {"bits", std::string(bits)}}), higher_is_better("op/s"), *rate);
  }

  DeclaredRows rows_;
  std::vector<std::string> sizes_;
};

}  // namespace

Detection detect_openssl_speed_mr(const Input& input) { return detect_line(input, 0.95, is_ours); }

extern const Format openssl_speed_mr_format = {
    .name = "openssl-speed-mr",
    .title = "openssl speed -mr, its output for machines",
    .replication = core::Replication::run,
    .detect = detect_openssl_speed_mr,
    .read = read_lines<Reader>,
    .about = {.group = Group::system,
              .file = "text",
              .produce = "openssl speed -mr sha256 aes-256-cbc rsa2048 > result.txt\n"
                         "openssl speed -mr -multi 8 sha256 rsa2048 > result.txt",
              .judged =
                  "throughput in kB/s (1000 bytes) by block size, operations per second of signatures and key exchanges (higher)",
              .key = "algorithm, `size` or `bits`, as in the text: `sha256[size=1024 bytes].throughput`",
              .trials = "one value a key; with `-multi` the sum of the processes",
              .context = "none",
              .limits = "curves have no name there, only their bits; keys of other kinds (SM2, FFDH, KEM) are left out",
              .recognised = "a line that begins with `+F:`, `+F2:` or `+F4:`"},
};

}  // namespace plumbline::formats
