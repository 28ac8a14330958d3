// Any bytes as a capture in SQLite: each way of reading answers or refuses, the kernels' times add up, and where both answer they
// say the same. What the pages are read for and SQLite refuses does not exist: the first way ends in questions to SQLite.
#pragma once

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <string>

#include "profiles/diff/diff.hpp"
#include "profiles/readers/sqlite/sqlite_captures.hpp"

namespace plumbline::profiles::fuzz {

inline void check(bool holds) {
  if (!holds) std::abort();
}

inline void check_sums(const Profile& profile) {
  std::int64_t total = 0;
  std::uint64_t count = 0;
  for (const NamedAggregate& kernel : profile.kernels) {
    total += kernel.aggregate.total;
    count += kernel.aggregate.count;
  }
  check(total == profile.info.kernel_ns && count == profile.info.kernels);
  const core::ProfileDiff same = diff(profile, profile, {}).diff;
  for (const core::ProfileRow& row : same.kernels) check(row.delta_ns == 0);
}

inline void read_both_ways(const std::uint8_t* data, std::size_t size) {
  const int file = ::memfd_create("capture", MFD_CLOEXEC);
  if (file < 0 || ::write(file, data, size) != static_cast<ssize_t>(size)) {
    if (file >= 0) ::close(file);
    return;
  }
  ReadOptions options;
  options.open = [file](const std::string& path) {
    if (path != "capture") {
      errno = ENOENT;
      return -1;
    }
    return ::fcntl(file, F_DUPFD_CLOEXEC, 0);
  };
  // A bound on the work of one input, in place of the caller's patience: a schema may hold any expression.
  int questions = 0;
  options.stop = [&questions] { return ++questions > 400; };
  const auto pages = read_sqlite("capture", options, RowSource::pages_where_possible);
  const bool patient = questions <= 400;
  questions = 0;
  const auto sqlite = read_sqlite("capture", options, RowSource::sqlite);
  ::close(file);
  for (const auto* each : {&pages, &sqlite}) {
    if (*each) {
      check_sums(**each);
    } else {
      check(!each->error().message.empty());
    }
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
