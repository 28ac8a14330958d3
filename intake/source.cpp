#include "intake/source.hpp"

#include "base/beside.hpp"
#include "profiles/capture_form.hpp"
#include "registry/handed/handed.hpp"

namespace plumbline::intake {

namespace {

// What a path stands for, and the form of the capture that it is.
struct Located {
  registry::Source source;
  std::string form;
};

core::Expected<Located> located(const std::string& path, const registry::PathLimits& limits) {
  auto source = registry::open_source(path, limits);
  if (!source) return core::fail(source.error());
  const profiles::Opener opener = capture_opener(limits);
  Located out{std::move(*source), {}};
  out.form = profiles::capture_form(out.source.path, opener);
  // Of one capture nobody asks for its rank; a folder that is a form of its own (reports of nsys stats) stays one.
  if ((!out.form.empty() && out.form != profiles::kRanks) || !out.source.is_directory || out.source.files.size() != 1) return out;
  std::string form(profiles::capture_form(out.source.files.front().path, opener));
  if (form.empty()) return out;
  auto only = registry::open_source(out.source.files.front().path, limits);
  if (!only) return core::fail(only.error());
  return Located{std::move(*only), std::move(form)};
}

const Measured& measured_of(const Opened& opened) {
  static const Measured kNone;
  const Measured* measured = std::get_if<Measured>(&opened.content);
  return measured != nullptr ? *measured : kNone;
}

}  // namespace

const formats::Input& Opened::input() const { return measured_of(*this).input; }
const std::vector<registry::Bytes>& Opened::bytes() const { return measured_of(*this).bytes; }
const std::vector<std::string>& Opened::captures() const { return measured_of(*this).captures; }

profiles::Opener capture_opener(const registry::PathLimits& limits) {
  const registry::FindHanded* const handed = registry::HandedScope::current();
  if (limits.allowed_roots.empty() && handed == nullptr) return {};
  return [limits, handed](const std::string& path) {
    const registry::HandedScope scope(handed);  // a reader may have a thread of its own
    return registry::open_descriptor(path, limits);
  };
}

core::Expected<registry::Source> locate(const std::string& path, const registry::PathLimits& limits) {
  auto found = located(path, limits);
  if (!found) return core::fail(found.error());
  return std::move(found->source);
}

bool is_capture(const std::string& path, const registry::PathLimits& limits) {
  const auto found = located(path, limits);
  return found && !found->form.empty();
}

core::Expected<Opened> open(const std::string& path, const registry::PathLimits& limits) {
  auto found = located(path, limits);
  if (!found) return core::fail(found.error());
  Opened opened;
  opened.source = std::move(found->source);
  if (!found->form.empty()) {
    opened.content = Capture{std::move(found->form)};
    return opened;
  }
  Measured measured;
  formats::Input& input = measured.input;
  const bool folder = opened.source.is_directory;
  const profiles::Opener opener = capture_opener(limits);
  input.name = folder ? opened.source.path : opened.source.name;
  input.is_directory = folder;
  for (const registry::SourceFile& file : opened.source.files) {
    auto bytes = registry::read_file(file.path, limits);
    if (!bytes) return core::fail(bytes.error());
    measured.bytes.push_back(std::move(*bytes));
    const std::string_view view = measured.bytes.back().view();
    if (folder) {
      measured.captures.emplace_back(profiles::capture_form(file.path, opener));
      if (measured.captures.back().empty()) input.files.push_back({file.relative, view});
    } else {
      input.bytes = view;
    }
  }
  opened.content = std::move(measured);
  return opened;
}

std::string digest_of(const Opened& opened) {
  if (!opened.source.is_directory) return registry::sha256_hex(opened.input().bytes);
  registry::Sha256 folder;
  for (std::size_t i = 0; i < opened.source.files.size(); ++i) {
    folder.update(opened.source.files[i].relative);
    folder.update(std::string_view("\0", 1));
    folder.update(opened.bytes()[i].view());
  }
  return folder.hex();
}

std::future<std::string> digest_meanwhile(const Opened& opened) {
  return base::beside(opened.source.bytes, [&opened] { return digest_of(opened); });
}

}  // namespace plumbline::intake
