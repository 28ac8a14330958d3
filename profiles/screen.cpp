#include "profiles/screen.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "core/citing.hpp"
#include "core/privacy.hpp"
#include "core/text.hpp"

namespace plumbline::profiles {
namespace {

class Screen {
 public:
  // The text without its secrets; nullopt when it has none.
  std::optional<std::string> clean(std::string_view text) {
    if (!core::may_hold_secret(text)) return std::nullopt;
    return finder_.scrubbed(text);
  }
  // Texts that name the rows of one table: what was one name stays one, what were two stay two.
  void names(const std::vector<std::string*>& table) {
    std::unordered_map<std::string, std::string> clean_of;
    std::vector<const std::string*> in_order;
    for (const std::string* name : table) {
      if (clean_of.contains(*name)) continue;
      if (auto without = clean(*name)) in_order.push_back(&clean_of.emplace(*name, std::move(*without)).first->first);
    }
    if (clean_of.empty()) return;
    std::unordered_set<std::string> used;
    for (const std::string* name : table) {
      if (!clean_of.contains(*name)) used.insert(*name);
    }
    std::unordered_map<std::string, std::uint64_t> last;  // number given, by what is left of the name
    for (const std::string* name : in_order) {
      std::string& now = clean_of[*name];
      const std::string base = now;
      std::uint64_t& number = last[base];
      while (!used.insert(now).second) now = base + " #" + std::to_string(number = std::max<std::uint64_t>(number, 1) + 1);
      note(*name, now);
    }
    for (std::string* name : table) {
      if (const auto found = clean_of.find(*name); found != clean_of.end()) *name = found->second;
    }
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
                                                (left_out == 1 ? "it" : "them") + " (record --redact removes what is in JSON)" +
                                                (left_out == 1 ? ": " : ", the first is ") + core::cited(first_)});
  }

 private:
  void note(const std::string& text, std::string_view shown) {
    if (found_.empty()) first_ = shown.substr(0, 200);
    found_.insert(text);
  }

  core::SecretFinder finder_;
  std::set<std::string> found_;  // each text once, in however many tables it stands
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
  screen.names(column(rows, &NamedAggregate::name));
  for (NamedAggregate& row : rows) {
    screen.names(column(row.shapes, &Share::name));
    screen.names(column(row.parents, &Share::name));
  }
}

}  // namespace

void screen(Capture& capture) {
  Screen screen;
  bool any = false;
  for (std::uint32_t id = 0; id < capture.names.size() && !any; ++id) any = screen.clean(capture.names.text(id)).has_value();
  if (!any) return;
  // All of them, for a cleaned name must not meet one that stood there already: ids are names.
  std::vector<std::string> all;
  all.reserve(capture.names.size());
  for (std::uint32_t id = 0; id < capture.names.size(); ++id) all.push_back(capture.names.text(id));
  std::vector<std::string*> table;
  table.reserve(all.size());
  for (std::string& name : all) table.push_back(&name);
  screen.names(table);
  NameTable names;
  for (const std::string& name : all) names.id(name);
  capture.names = std::move(names);
  screen.warn(capture.warnings);
}

void screen(Profile& profile) {
  Screen screen;
  for (auto* table : {&profile.kernels, &profile.nvtx, &profile.api, &profile.nccl, &profile.memory}) rows(screen, *table);
  screen.names(column(profile.ranges, &RangeNode::name));
  screen.names(column(profile.frames, &Frame::name));
  for (std::string KernelMetric::*part :
       {&KernelMetric::kernel, &KernelMetric::shape, &KernelMetric::metric, &KernelMetric::unit})
    screen.names(column(profile.metrics, part));
  for (std::string CollectiveGroup::*part :
       {&CollectiveGroup::type, &CollectiveGroup::size_bucket, &CollectiveGroup::dtype, &CollectiveGroup::group})
    screen.names(column(profile.collectives, part));
  if (profile.launches) {
    for (auto* calls : {&profile.launches->sync_calls, &profile.launches->allocation_calls}) {
      std::vector<std::string*> names;
      for (auto& [name, count] : *calls) names.push_back(&name);
      screen.names(names);
    }
  }
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
