// Any bytes as a capture in SQLite: each way of reading answers or refuses, the kernels' times add up, and where both answer they
// say the same. What the pages are read for and SQLite refuses does not exist: the first way ends in questions to SQLite.
#pragma once

#include <cstdint>
#include <string_view>

#include "profiles/readers/sqlite/sqlite_captures.hpp"
#include "tests/fuzz/bytes_opened.hpp"
#include "tests/fuzz/captures_hold.hpp"

namespace plumbline::profiles::fuzz {

inline void read_both_ways(std::string_view bytes) {
  const MemoryFile file(bytes);
  ReadOptions options;
  options.open = opener_of(file, "capture");
  // A bound on the work of one input, in place of the caller's patience: a schema may hold any expression.
  int questions = 0;
  options.stop = [&questions] { return ++questions > 400; };
  const auto pages = read_sqlite("capture", options, RowSource::pages_where_possible);
  const bool patient = questions <= 400;
  questions = 0;
  const auto sqlite = read_sqlite("capture", options, RowSource::sqlite);
  for (const auto* each : {&pages, &sqlite}) {
    answer_holds(*each);
    if (!*each) continue;
    std::uint64_t count = 0;
    for (const NamedAggregate& kernel : (*each)->kernels) count += kernel.aggregate.count;
    check(count == (*each)->info.kernels);
  }
  if (!patient || questions > 400) return;
  check(pages.has_value() == sqlite.has_value());
  if (!pages) {
    check(pages.error().message == sqlite.error().message);
    return;
  }
  check(pages->info.kernel_ns == sqlite->info.kernel_ns && pages->info.kernels == sqlite->info.kernels);
  check(pages->kernels.size() == sqlite->kernels.size() && pages->nvtx.size() == sqlite->nvtx.size());
  check(pages->api.size() == sqlite->api.size() && pages->memory.size() == sqlite->memory.size());
  for (std::size_t i = 0; i < pages->kernels.size(); ++i) {
    check(pages->kernels[i].name == sqlite->kernels[i].name);
    check(pages->kernels[i].aggregate.total == sqlite->kernels[i].aggregate.total);
  }
}

}  // namespace plumbline::profiles::fuzz
