#include "profiles/names/host_work.hpp"

#include <algorithm>
#include <array>
#include <string>

#include "core/text.hpp"

namespace plumbline::profiles {
namespace {

// As they stand in lower case, without "_", "-" and blanks.
constexpr std::array<std::string_view, 15> kLoading = {
    "dataloader", "dataloading", "loaddata",   "loadbatch",     "fetchbatch", "getbatch",        "nextbatch",   "readbatch",
    "datatime",   "dataload",    "prefetcher", "inputpipeline", "tfdata",     "iteratorgetnext", "dalipipeline"};

}  // namespace

bool loads_data(std::string_view range) {
  std::string text = core::to_lower(range.substr(0, 200));
  text.erase(std::remove_if(text.begin(), text.end(), [](char c) { return c == '_' || c == '-' || c == ' '; }), text.end());
  return std::any_of(kLoading.begin(), kLoading.end(),
                     [&](std::string_view word) { return text.find(word) != std::string::npos; });
}

}  // namespace plumbline::profiles
