// rocpd, the SQLite form of rocprofv3: tables of several runs may stand in one file, each run's with its id behind their names.
// The ids are numbered anew, in their order.
#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <unordered_map>
#include <unordered_set>

#include "core/text.hpp"
#include "profiles/readers/bytes/json_values.hpp"
#include "profiles/readers/rocm/rocpd.hpp"
#include "profiles/redaction/plain_words.hpp"
#include "profiles/redaction/sqlite_rules.hpp"
#include "profiles/redaction/sqlite_scan.hpp"

namespace plumbline::profiles {
namespace {

constexpr auto kMetadata = std::to_array<TextColumn>({{"tag", TextRule::row_name, ""}, {"value", TextRule::plain, ""}});
constexpr auto kNode = std::to_array<TextColumn>({{"release", TextRule::plain, ""}});
constexpr auto kString = std::to_array<TextColumn>({{"string", TextRule::string, "id"}});
constexpr auto kAgent = std::to_array<TextColumn>({{"type", TextRule::agent_type, ""},
                                                   {"product_name", TextRule::plain, ""},
                                                   {"model_name", TextRule::plain, ""},
                                                   {"name", TextRule::plain, ""}});
constexpr auto kSymbol = std::to_array<TextColumn>({{"display_name", TextRule::name, ""}, {"kernel_name", TextRule::name, ""}});
constexpr auto kEvent = std::to_array<TextColumn>({{"extdata", TextRule::message, "category_id"}});

constexpr auto kTables = std::to_array<TableRule>({
    {"metadata", "id", kMetadata},
    {"info_node", "id hash", kNode},
    {"info_process", "id nid ppid pid init fini start end"},
    {"info_thread", "id nid ppid pid tid start end"},
    {"info_agent", "id nid pid absolute_index logical_index type_index", kAgent},
    {"info_kernel_symbol",
     "id nid pid code_object_id kernel_object kernarg_segment_size kernarg_segment_alignment group_segment_size "
     "private_segment_size sgpr_count arch_vgpr_count accum_vgpr_count",
     kSymbol},
    {"string", "id", kString},
    {"event", "id category_id stack_id parent_stack_id correlation_id", kEvent},
    {"region", "id nid pid tid start end name_id event_id"},
    {"kernel_dispatch",
     "id nid pid tid agent_id kernel_id dispatch_id queue_id stream_id start end private_segment_size group_segment_size "
     "workgroup_size_x workgroup_size_y workgroup_size_z grid_size_x grid_size_y grid_size_z region_name_id event_id"},
    {"memory_copy",
     "id nid pid tid start end name_id dst_agent_id dst_address src_agent_id src_address size queue_id stream_id region_name_id "
     "event_id"},
});

// What the reader asks of a category, in words of its own; "" for any other.
std::string_view category(std::string_view text) {
  constexpr auto kCategories = std::to_array<std::pair<std::string_view, std::string_view>>(
      {{"MARKER", "MARKER_CORE_API"}, {"HSA_", "HSA_CORE_API"}, {"ROCDECODE", "ROCDECODE_API"}, {"ROCJPEG", "ROCJPEG_API"}});
  for (const auto& [start, name] : kCategories) {
    if (text.starts_with(start)) return name;
  }
  return {};
}

class RocpdRules final : public SqliteRules {
 public:
  std::vector<TableCopy> tables(const std::vector<std::string>& all) override {
    std::map<std::string_view, std::size_t> sets;
    std::vector<std::pair<RocpdTable, std::string_view>> known;
    std::set<std::pair<std::string_view, std::string_view>> seen;
    for (const std::string& name : all) {
      const auto table = rocpd_table(name);
      if (!table || !seen.emplace(table->set, table->part).second) continue;  // the reader takes the first, too
      known.emplace_back(*table, name);
      sets.try_emplace(table->set, 0);
    }
    std::size_t number = 0;
    for (auto& [set, index] : sets) index = number++;
    sets_ = std::vector<Set>(sets.size());
    std::vector<TableCopy> copies;
    for (const auto& [table, name] : known) {
      const auto rule = std::find_if(kTables.begin(), kTables.end(),
                                     [&table = table](const TableRule& each) { return each.name == table.part; });
      if (rule == kTables.end()) continue;
      const std::size_t set = sets[table.set];
      std::string digits = std::to_string(set);  // in the order of the ids, which is that of devices without numbers
      digits.insert(0, 8 - std::min<std::size_t>(8, digits.size()), '0');
      copies.push_back(
          {std::string(name), "rocpd_" + std::string(table.part) + (sets.size() > 1 ? "_" + digits : ""), &*rule, set});
    }
    return copies;
  }

  core::Status learn(Database& database, const std::vector<TableCopy>& tables) override {
    // Strings need what refers to them, messages the strings.
    for (const std::string_view part : {"region", "memory_copy", "string", "info_kernel_symbol", "event"}) {
      for (const TableCopy& table : tables) {
        if (table.rule->name != part) continue;
        if (core::Status status = look(database, table, sets_[table.set]); !status) return status;
      }
    }
    apart_.settle();
    return {};
  }

  bool keeps(std::string_view row_name) const override { return row_name == "schema_version"; }

  CleanText clean(const TableCopy& table, const SqliteText& cell) override {
    CleanText gone{CleanText::Kind::text, std::string(core::kRedacted)};
    const Set& set = sets_[table.set];
    switch (cell.rule) {
      case TextRule::name:
        return name(cell.text);
      case TextRule::string:
        if (cell.by && set.names.contains(*cell.by)) return name(cell.text);
        if (const std::string_view known = category(cell.text); !known.empty())
          return {CleanText::Kind::text, std::string(known)};
        return gone;
      case TextRule::plain:
        return is_plain_fact(cell.text) ? CleanText{CleanText::Kind::same} : gone;
      case TextRule::row_name:
        return {CleanText::Kind::same};
      case TextRule::agent_type:
        return cell.text == "CPU" || cell.text == "GPU" ? CleanText{CleanText::Kind::same} : gone;
      case TextRule::message: {
        const std::string said = cell.by && set.markers.contains(*cell.by) ? json_name(rocpd_message(cell.text)) : std::string();
        if (said.empty()) return {};
        const std::string* shown = apart_.find(said);
        return {CleanText::Kind::text, "{\"message\": " + json_quoted(shown == nullptr ? said : *shown) + "}"};
      }
      default:
        return gone;
    }
  }

 private:
  struct Set {
    std::unordered_set<std::int64_t> names, markers;  // ids of strings
  };

  core::Status look(Database& database, const TableCopy& table, Set& set) {
    const std::string_view part = table.rule->name;
    if (part == "region" || part == "memory_copy") {
      return scan_integers(database, table.from, {"name_id"}, [&set](std::span<const Integer> row) {
        if (row[0]) set.names.insert(*row[0]);
      });
    }
    if (part == "string") {
      return scan_texts(database, table.from, {"id"}, "string", [&](std::span<const Integer> row, std::string_view text) {
        if (row[0] && text.starts_with("MARKER")) set.markers.insert(*row[0]);
        if (row[0] && set.names.contains(*row[0])) apart_.add(text);
      });
    }
    if (part == "event") {
      return scan_texts(database, table.from, {"category_id"}, "extdata",
                        [&](std::span<const Integer> row, std::string_view text) {
                          if (row[0] && set.markers.contains(*row[0])) apart_.add(json_name(rocpd_message(text)));
                        });
    }
    for (const std::string_view column : {"display_name", "kernel_name"}) {
      auto done = scan_texts(database, table.from, {}, column,
                             [this](std::span<const Integer>, std::string_view text) { apart_.add(text); });
      if (!done) return done;
    }
    return {};
  }
  CleanText name(std::string_view text) {
    const std::string* shown = apart_.find(text);
    return shown == nullptr ? CleanText{CleanText::Kind::same} : CleanText{CleanText::Kind::text, *shown};
  }

  std::vector<Set> sets_;
  NamesApart apart_;
};

}  // namespace

std::unique_ptr<SqliteRules> rocpd_rules() { return std::make_unique<RocpdRules>(); }

}  // namespace plumbline::profiles
