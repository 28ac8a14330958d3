// What was opened -> a core::Measurement: told apart, read, screened (formats::read), and believed (envelope.hpp).
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/measurement.hpp"
#include "formats/stated/mapping.hpp"
#include "intake/source.hpp"

namespace plumbline::intake {

struct ReadLimits {
  std::uint32_t json_depth = 512;
  std::uint64_t rows = 50'000'000;
  std::function<bool()> stop;
};

// What read() is to do besides: name the format, share the strings, take what has no number.
struct ReadOptions {
  std::string format;                                                           // "" = tell it apart
  std::shared_ptr<core::StringPool> pool;                                       // made when null
  std::shared_ptr<const configs::MetricNames> names;                            // the embedded rules when null
  std::vector<std::shared_ptr<const formats::stated::OwnFormats>> own_formats;  // told apart first; of one name the first
  bool allow_no_numbers = false;
  bool one_host = false;  // the caller knows that all are of one, whatever they say: each run of a container names another
  ReadLimits limits;
};

// One source, or several as the trials of one measurement. Without a single number it is an error, unless allowed. A capture
// is an error: whoever opens it asks first what it is.
[[nodiscard]] core::Expected<core::Measurement> read(const std::vector<Opened>& sources, const ReadOptions& options);

// A folder whose files are measurements each by itself: no capture, and no format (the one named, else any) reads it as a whole.
[[nodiscard]] bool is_folder_of_files(const Opened& opened, const std::string& format);

}  // namespace plumbline::intake
