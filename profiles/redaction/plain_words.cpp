#include "profiles/redaction/plain_words.hpp"

#include <algorithm>
#include <array>
#include <cctype>

#include "base/characters.hpp"
#include "core/privacy.hpp"
#include "core/text.hpp"

namespace plumbline::profiles {
namespace {

constexpr std::size_t kLongest = 200, kMostWords = 40, kMostDigits = 12;

// In lower case and sorted; a word may end in digits.
constexpr auto kWords = std::to_array<std::string_view>({
    "aarch",    "ada",        "agx",          "almalinux", "altra",      "amazon",   "amd",       "ampere",     "api",
    "apple",    "apr",        "apu",          "arc",       "arch",       "arm",      "aug",       "aws",        "azure",
    "big",      "blackwell",  "bookworm",     "bpo",       "bronze",     "bst",      "bullseye",  "cdt",        "center",
    "centos",   "cest",       "cet",          "cloud",     "context",    "core",     "cortex",    "cp",         "cpu",
    "cst",      "cuda",       "data",         "ddp",       "debian",     "dec",      "default",   "device",     "dispatch",
    "dp",       "dtod",       "dtoh",         "dynamic",   "edition",    "edt",      "embedding", "enterprise", "ep",
    "epyc",     "est",        "expert",       "false",     "feb",        "fedora",   "firepro",   "flex",       "focal",
    "fri",      "fsdp",       "gcp",          "geforce",   "generation", "generic",  "ghz",       "gke",        "gl",
    "gloo",     "gmt",        "gnu",          "gold",      "gpu",        "grace",    "graph",     "graphics",   "graviton",
    "group",    "hat",        "hip",          "hopper",    "host",       "hsdp",     "htod",      "hwe",        "ibm",
    "in",       "instinct",   "intel",        "iris",      "ist",        "jammy",    "jan",       "jetson",     "jst",
    "jul",      "jun",        "kernel",       "kst",       "kvm",        "laptop",   "leap",      "lhr",        "linux",
    "lovelace", "lowlatency", "lts",          "main",      "managed",    "mar",      "max",       "may",        "memory",
    "mesh",     "microsoft",  "mig",          "milan",     "model",      "mon",      "mpi",       "ms",         "mst",
    "nano",     "navi",       "nccl",         "neoverse",  "no",         "noble",    "node",      "none",       "nov",
    "ns",       "nvgpu",      "nvidia",       "nvl",       "nvlink",     "oam",      "oct",       "off",        "on",
    "ootpa",    "opensuse",   "oracle",       "orin",      "pageable",   "parallel", "pascal",    "pcie",       "pdt",
    "pg",       "pinned",     "pipeline",     "platinum",  "plow",       "pp",       "preempt",   "pro",        "processor",
    "profiler", "pst",        "python",       "pytorch",   "qemu",       "quadro",   "radeon",    "rc",         "realtime",
    "red",      "release",    "replicate",    "rocky",     "rt",         "rtx",      "ryzen",     "sat",        "sep",
    "sequence", "series",     "server",       "shard",     "silver",     "sles",     "smp",       "sp",         "spans",
    "standard", "stream",     "sun",          "super",     "superchip",  "suse",     "tegra",     "tensor",     "tesla",
    "thor",     "thread",     "threadripper", "thu",       "ti",         "titan",    "tm",        "tp",         "trace",
    "traces",   "tracing",    "trixie",       "true",      "tue",        "turing",   "ubuntu",    "undefined",  "unknown",
    "us",       "utc",        "vega",         "vf",        "vii",        "virtual",  "volta",     "wed",        "workstation",
    "world",    "wsl",        "wx",           "xavier",    "xe",         "xeon",     "xl",        "xtx",        "yes",
});

using base::is_digit;
using base::is_letter;

// "80GB", "H100", "HBM2e", "gfx90a", "MI300X": at most three letters, digits, three letters; or one letter.
bool is_model(std::string_view word) {
  std::size_t at = 0;
  const auto run = [&](auto of) {
    const std::size_t begin = at;
    while (at < word.size() && of(word[at])) ++at;
    return at - begin;
  };
  const std::size_t before = run(is_letter), digits = run(is_digit), after = run(is_letter);
  if (digits == 0) return word.size() == 1;
  return at == word.size() && before <= 3 && after <= 3 && digits <= kMostDigits;
}

bool is_known(std::string_view word) {
  if (is_model(word)) return true;
  while (!word.empty() && is_digit(word.back())) word.remove_suffix(1);
  return std::find(kWords.begin(), kWords.end(), core::to_lower(std::string(word))) != kWords.end();
}

}  // namespace

bool is_plain_fact(std::string_view text) {
  constexpr std::string_view kSigns = " -_.,()@#/:+~[]%";
  if (text.starts_with(core::kRedacted)) {  // by an earlier redaction, perhaps with a number
    const std::string_view behind = text.substr(core::kRedacted.size());
    return behind.empty() ||
           (behind.starts_with(" #") && behind.size() < 12 && std::all_of(behind.begin() + 2, behind.end(), is_digit));
  }
  if (text.size() > kLongest) return false;
  std::size_t words = 0;
  for (std::size_t at = 0; at < text.size();) {
    if (std::isalnum(static_cast<unsigned char>(text[at])) == 0) {
      if (kSigns.find(text[at++]) == std::string_view::npos) return false;
      continue;
    }
    std::size_t end = at;
    while (end < text.size() && std::isalnum(static_cast<unsigned char>(text[end])) != 0) ++end;
    if (++words > kMostWords || !is_known(text.substr(at, end - at))) return false;
    at = end;
  }
  return true;
}

bool is_plain_number(std::string_view text) {
  constexpr std::size_t kLongestNumber = 40;
  if (text.empty() || text.size() > kLongestNumber) return false;
  if (text.starts_with("0x")) {
    return text.size() > 2 && text.size() <= 18 &&
           std::all_of(text.begin() + 2, text.end(), [](char c) { return std::isxdigit(static_cast<unsigned char>(c)) != 0; });
  }
  bool digit = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    digit = digit || is_digit(c);
    const bool sign = c == '-' || c == '+' || c == '.' || c == ',' || c == '%' || c == ' ';
    if (!is_digit(c) && !sign && !((c == 'e' || c == 'E') && digit)) return false;
  }
  return digit;
}

}  // namespace plumbline::profiles
