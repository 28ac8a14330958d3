#include "verbs/suite/files.hpp"

#include <algorithm>

#include "core/citing.hpp"
#include "core/native.hpp"
#include "core/text.hpp"
#include "formats/json/document.hpp"
#include "verbs/calling/wording.hpp"

namespace plumbline::verbs {

namespace {

using core::Measurement;

constexpr std::size_t kIdBytes = std::size_t{16} << 20U;  // of files that are looked into for a case id

intake::Opened slice(const intake::Opened& folder, std::size_t index) {
  const registry::SourceFile& file = folder.source.files[index];
  intake::Opened out;
  out.source.path = file.path;
  out.source.name = file.relative.substr(file.relative.rfind('/') + 1);
  out.source.bytes = file.bytes;
  out.source.files = {file};
  out.source.files.front().relative = out.source.name;
  const std::string& form = folder.captures()[index];
  if (!form.empty()) {
    out.content = intake::Capture{form};
    return out;
  }
  intake::Measured measured;
  measured.input.name = file.relative;
  measured.input.bytes = folder.bytes()[index].view();
  out.content = std::move(measured);
  return out;
}

// Texts that name the case inside a JSON file, and those that may name anything.
struct Named {
  std::vector<std::string> ids, names;
};
Named ids_in(const intake::Opened& source) {
  Named out;
  const std::string_view bytes = source.input().bytes;
  const std::size_t first = bytes.find_first_not_of(" \t\r\n\xEF\xBB\xBF");
  if (first == std::string_view::npos || bytes[first] != '{' || bytes.size() > kIdBytes) return out;
  const auto document = formats::json::parse(bytes, source.input().name);
  if (!document || !document->root().is_object()) return out;
  const auto take = [&](std::string_view name, std::vector<std::string>& into) {
    const std::string_view text = core::trim(document->root().find_string(name));
    if (!text.empty() && text.size() <= 300) into.emplace_back(one_line(text));
  };
  for (const std::string_view name : {"case_id", "caseId", "case", "case_name", "test_id"}) take(name, out.ids);
  for (const std::string_view name : {"test_name", "name", "id"}) take(name, out.names);
  return out;
}

}  // namespace

intake::Opened again(const intake::Opened& slice) {
  intake::Opened out;
  out.source = slice.source;
  if (slice.is_capture()) {
    out.content = std::get<intake::Capture>(slice.content);
  } else {
    out.content = intake::Measured{{}, slice.input(), {}};
  }
  return out;
}

Expected<std::vector<SuiteFile>> read_suite_files(const intake::Opened& folder, const SuiteTools& tools) {
  std::vector<SuiteFile> out;
  for (std::size_t i = 0; i < folder.source.files.size(); ++i) {
    if (tools.context.stop_asked()) return core::fail(cancelled_error());
    SuiteFile file;
    file.source = slice(folder, i);
    file.relative = folder.source.files[i].relative;
    if (file.source.is_capture()) {
      file.error = {ErrorCode::shape_mismatch, "a capture, not a measurement",
                    "`plumbline diff BASELINE CAPTURE` compares it by itself", file.relative};
      out.push_back(std::move(file));
      continue;
    }
    std::vector<intake::Opened> one;
    one.push_back(again(file.source));
    auto read = read_measurement(one, tools.format, tools.pool, tools.context, tools.reading, true);
    if (read) {
      file.measurement = std::make_shared<const Measurement>(std::move(*read));
    } else {
      if (read.error().code == ErrorCode::cancelled || read.error().code == ErrorCode::limit_exceeded)
        return core::fail(read.error());
      file.error = read.error();
    }
    out.push_back(std::move(file));
  }
  return out;
}

SuiteItem suite_item(const SuiteFile& file) {
  SuiteItem item;
  item.name = file.relative;
  Named named = ids_in(file.source);
  item.ids = std::move(named.ids);
  item.names = std::move(named.names);
  const Measurement* measurement = file.measurement.get();
  if (measurement == nullptr) return item;
  item.context = measurement->context;
  for (const core::Row& row : measurement->rows()) item.keys.push_back(row.key);
  std::sort(item.keys.begin(), item.keys.end());
  const core::NativeFile* native = measurement->native.get();
  item.kind = native != nullptr ? native->system : measurement->format.name;
  return item;
}

OtherSide other_side(const SuiteFile& file) { return {file.relative, file.measurement != nullptr, file.error.message, false}; }

std::vector<std::size_t> cases_among(const std::vector<SuiteFile>& files, const std::vector<OtherSide>& others) {
  constexpr std::string_view kNoFormat = "no format fits";  // a text like any other, where a broken measurement says what broke
  std::vector<std::size_t> out;
  for (std::size_t i = 0; i < files.size(); ++i) {
    const SuiteFile& file = files[i];
    if (file.measurement != nullptr) {
      out.push_back(i);
      continue;
    }
    const std::string stem = without_ending(file.relative);
    const auto meets = [&](const OtherSide& other) {
      if (other.entry) return other.name == case_segment(stem);
      if (without_ending(other.name) != stem) return false;
      return other.readable || !(file.error.message.starts_with(kNoFormat) && other.problem.starts_with(kNoFormat));
    };
    // A file beside it that is read is the case's result, unless the other side has this very file.
    const bool same_file = std::any_of(others.begin(), others.end(), [&](const OtherSide& other) {
      return !other.entry && other.name == file.relative && meets(other);
    });
    const bool read_beside = std::any_of(files.begin(), files.end(), [&](const SuiteFile& beside) {
      return beside.measurement != nullptr && without_ending(beside.relative) == stem;
    });
    if (same_file || (!read_beside && std::any_of(others.begin(), others.end(), meets))) out.push_back(i);
  }
  return out;
}

void warn_unread(const std::vector<SuiteFile>& files, const std::vector<std::size_t>& cases, std::string_view side,
                 std::vector<core::Warning>& warnings) {
  std::vector<std::string> names;
  const SuiteFile* first = nullptr;
  for (std::size_t i = 0; i < files.size(); ++i) {
    if (std::find(cases.begin(), cases.end(), i) != cases.end()) continue;
    if (first == nullptr) first = &files[i];
    names.push_back(files[i].relative);
  }
  if (first == nullptr) return;
  warnings.push_back({"unread_file", core::counted(names.size(), "file") + " of the " + std::string(side) +
                                         " not among the cases of the suite: " + core::cited_list(names) + " (" +
                                         first->error.message + ")"});
}

}  // namespace plumbline::verbs
