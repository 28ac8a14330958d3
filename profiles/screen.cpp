#include "profiles/screen.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/citing.hpp"
#include "core/privacy.hpp"
#include "core/text.hpp"
#include "profiles/redaction/names_apart.hpp"

namespace plumbline::profiles {
namespace {

class Screen {
 public:
  // Texts that name rows: what was one name stays one, what were two stay two. All tables are seen before any is named, so a name
  // that stands in two of them stays one too.
  void see(const std::vector<std::string*>& table) {
    for (const std::string* name : table) {
      if (apart_.add(*name)) in_order_.push_back(*name);
    }
    tables_.push_back(table);
  }
  void name() {
    apart_.settle();
    for (const std::string& name : in_order_) note(name, *apart_.find(name));
    for (const auto& table : tables_) {
      for (std::string* name : table) {
        if (const std::string* shown = apart_.find(*name)) *name = *shown;
      }
    }
  }
  // The text without its secrets; nullopt when it has none.
  std::optional<std::string> clean(std::string_view text) {
    if (!core::may_hold_secret(text)) return std::nullopt;
    return finder_.scrubbed(text);
  }
  void text(std::string& text) {
    if (auto without = clean(text)) {
      note(text, *without);
      text = std::move(*without);
    }
  }
  // What is said about the capture, not by it: cleaned and not counted.
  void remark(std::string& text) {
    if (auto without = clean(text)) text = std::move(*without);
  }
  void context(core::Context& context) {
    for (auto& [key, value] : context) {
      if (value != core::kRedacted && core::is_secret(std::string_view(key).substr(key.find('.') + 1), value)) {
        note(value, key);
        value = core::kRedacted;
      } else {
        text(value);
      }
    }
  }
  void warn(std::vector<core::Warning>& warnings) const {
    const std::size_t left_out = found_.size();
    if (left_out == 0) return;
    warnings.push_back({"secret_in_source", core::counted(left_out, "text holds", "texts hold") +
                                                " what looks like a secret, shown as [redacted]; the source itself still holds " +
                                                (left_out == 1 ? "it" : "them") + " (record --redact leaves them out)" +
                                                (left_out == 1 ? ": " : ", the first is ") + core::cited(first_)});
  }

 private:
  void note(const std::string& text, std::string_view shown) {
    if (found_.empty()) first_ = shown.substr(0, 200);
    found_.insert(text);
  }

  core::SecretFinder finder_;
  NamesApart apart_;
  std::vector<std::vector<std::string*>> tables_;
  std::vector<std::string> in_order_;  // names that hold something
  std::set<std::string> found_;        // each text once, in however many tables it stands
  std::string first_;
};

template <class Row>
std::vector<std::string*> column(std::vector<Row>& rows, std::string Row::*name) {
  std::vector<std::string*> names;
  names.reserve(rows.size());
  for (Row& row : rows) names.push_back(&(row.*name));
  return names;
}

void rows(Screen& screen, std::vector<NamedAggregate>& rows) {
  screen.see(column(rows, &NamedAggregate::name));
  for (NamedAggregate& row : rows) {
    screen.see(column(row.shapes, &Share::name));
    screen.see(column(row.parents, &Share::name));
  }
}

}  // namespace

void screen(Capture& capture) {
  Screen screen;
  NameCleaner cleaner;
  bool any = false;
  for (std::uint32_t id = 0; id < capture.names.size() && !any; ++id) {
    const std::string& name = capture.names.text(id);
    any = name.find(core::kRedacted) != std::string::npos || cleaner.clean(name).has_value();
  }
  if (!any) return;
  // All of them, for a cleaned name must not meet one that stood there already: ids are names.
  std::vector<std::string> all;
  all.reserve(capture.names.size());
  for (std::uint32_t id = 0; id < capture.names.size(); ++id) all.push_back(capture.names.text(id));
  std::vector<std::string*> table;
  table.reserve(all.size());
  for (std::string& name : all) table.push_back(&name);
  screen.see(table);
  screen.name();
  NameTable names;
  for (const std::string& name : all) names.id(name);
  capture.names = std::move(names);
  screen.warn(capture.warnings);
}

void screen(Profile& profile) {
  Screen screen;
  for (auto* table : {&profile.kernels, &profile.nvtx, &profile.api, &profile.nccl, &profile.memory}) rows(screen, *table);
  screen.see(column(profile.ranges, &RangeNode::name));
  screen.see(column(profile.frames, &Frame::name));
  for (std::string KernelMetric::*part :
       {&KernelMetric::kernel, &KernelMetric::shape, &KernelMetric::metric, &KernelMetric::unit})
    screen.see(column(profile.metrics, part));
  for (std::string CollectiveGroup::*part :
       {&CollectiveGroup::type, &CollectiveGroup::size_bucket, &CollectiveGroup::dtype, &CollectiveGroup::group})
    screen.see(column(profile.collectives, part));
  if (profile.launches) {
    for (auto* calls : {&profile.launches->sync_calls, &profile.launches->allocation_calls}) {
      std::vector<std::string*> names;
      for (auto& [name, count] : *calls) names.push_back(&name);
      screen.see(names);
    }
  }
  screen.name();
  for (DeviceWall& device : profile.devices) screen.text(device.name);
  for (std::string* text :
       {&profile.steps.name, &profile.frames_unit, &profile.frames_kind, &profile.info.format, &profile.info.version})
    screen.text(*text);
  screen.context(profile.info.context);
  for (core::Warning& warning : profile.warnings) screen.remark(warning.message);
  screen.warn(profile.warnings);
}

core::Error screened(core::Error error) {
  error.message = core::without_secrets(error.message);
  error.hint = core::without_secrets(error.hint);
  return error;
}

}  // namespace plumbline::profiles
