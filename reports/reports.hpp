// What a reader gets. Renders core/results; computes nothing. JSON is built here and only here, with shortest numbers and
// no NaN; a result document is one object, pretty-printed with two spaces, ending in a newline.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "core/error.hpp"
#include "core/json_writer.hpp"
#include "core/results/baseline.hpp"
#include "core/results/config_check.hpp"
#include "core/results/diff.hpp"
#include "core/results/digest.hpp"
#include "core/results/formats.hpp"
#include "core/results/outliers.hpp"
#include "core/results/profile_diff.hpp"
#include "core/results/small.hpp"
#include "core/results/suite.hpp"

namespace plumbline::reports {

using core::JsonWriter;

// A verb's result is read in somebody's context window, so it is bounded whatever comes: at most 8 KiB concise, 40 KiB detailed.
// Lists are cut first, then texts; never verdicts, counts or where the bundle lies. What was cut is counted in `…_omitted`, and
// `hint` says how to get at it.
enum class ResponseFormat : std::uint8_t { concise, detailed };

// diff
[[nodiscard]] std::string diff_json(const core::DiffResult& result);  // diff.json
[[nodiscard]] std::string diff_result_json(const core::DiffResult& result, ResponseFormat = ResponseFormat::concise);
// At most `limit` bytes: what is folded is left out first, the digests last of it.
[[nodiscard]] std::string diff_markdown(const core::DiffResult& result, std::size_t limit = SIZE_MAX);
[[nodiscard]] std::string diff_html(const core::DiffResult& result);  // self-contained
// SHA-256 of every script that a page of ours may hold, as a content security policy names them: whoever serves a page that
// somebody else may have written lets these run and no other.
[[nodiscard]] std::span<const std::string_view> page_script_digests();
// One screen of at most 40 lines; two captures, too.
[[nodiscard]] std::string diff_table(const core::DiffResult& result, bool colour, int width);
[[nodiscard]] std::string diff_csv(const core::DiffResult& result);
// Failures, and GitHub's errors, exactly where result.gate tripped. `file`: what the annotations are about, as the repository has
// it.
[[nodiscard]] std::string diff_junit(const core::DiffResult& result);
[[nodiscard]] std::string diff_github(const core::DiffResult& result, std::string_view file = {});
// deltas.jsonl in pieces of about 64 KiB; `unchanged` rows past 20,000 are left out unless result.all_rows.
[[nodiscard]] core::Status write_deltas(const core::DiffResult& result,
                                        const std::function<core::Status(std::string_view)>& write);

// record, accept, history
[[nodiscard]] std::string baseline_json(const core::BaselineRecord& record);    // baseline.json
[[nodiscard]] std::string source_markdown(const core::BaselineRecord& record);  // SOURCE.md
[[nodiscard]] std::string record_result_json(const core::RecordResult& result);
[[nodiscard]] std::string record_table(const core::RecordResult& result, bool colour);
[[nodiscard]] std::string suite_record_json(const core::SuiteRecord& result);  // record --as suite
[[nodiscard]] std::string suite_record_table(const core::SuiteRecord& result, bool colour);
[[nodiscard]] std::string acceptance_json(const core::Acceptance& acceptance);  // accepted/<seq>-<slug>.json
[[nodiscard]] std::string accept_result_json(const core::AcceptResult& result);
// Of long histories the newest entries and the accepted one.
[[nodiscard]] std::string history_json(const core::HistoryResult& result, ResponseFormat = ResponseFormat::concise);
[[nodiscard]] std::string history_table(const core::HistoryResult& result, bool colour, int width);

// inspect, verify, checkpoint, keygen, search
[[nodiscard]] std::string inspect_json(const core::InspectResult& result, ResponseFormat = ResponseFormat::concise);
[[nodiscard]] std::string inspect_table(const core::InspectResult& result, bool colour);
[[nodiscard]] std::string verify_json(const core::VerifyResult& result, ResponseFormat = ResponseFormat::concise);
[[nodiscard]] std::string verify_table(const core::VerifyResult& result, bool colour);
// One line a head, `SHA256  SEQUENCE  KIND/FAMILY/MEASUREMENT`, which `verify --checkpoint` reads back.
[[nodiscard]] std::string checkpoint_json(const core::CheckpointResult& result, ResponseFormat = ResponseFormat::concise);
[[nodiscard]] std::string checkpoint_text(const core::CheckpointResult& result);
[[nodiscard]] std::string keygen_json(const core::KeygenResult& result);
[[nodiscard]] std::string keygen_text(const core::KeygenResult& result);
[[nodiscard]] std::string search_json(const core::SearchResult& result, ResponseFormat = ResponseFormat::concise);
[[nodiscard]] std::string search_table(const core::SearchResult& result, bool colour);

// config check
[[nodiscard]] std::string config_check_json(const core::ConfigCheck& result);
[[nodiscard]] std::string config_check_table(const core::ConfigCheck& result, bool colour, int width);
[[nodiscard]] std::string digest_json(const core::DigestResult& result);
[[nodiscard]] std::string digest_table(const core::DigestResult& result);
[[nodiscard]] std::string shard_json(const core::ShardResult& result);
[[nodiscard]] std::string shard_table(const core::ShardResult& result);

// formats
[[nodiscard]] std::string formats_json(const core::FormatsResult& result);
[[nodiscard]] std::string formats_table(const core::FormatsResult& result, bool colour, int width);

// outliers
enum class Drain : std::uint8_t { slurm, k8s };
[[nodiscard]] std::string outliers_json(const core::OutliersResult& result);  // outliers.json
[[nodiscard]] std::string outliers_result_json(const core::OutliersResult& result, ResponseFormat = ResponseFormat::concise,
                                               std::optional<Drain> drain = std::nullopt);
[[nodiscard]] std::string outliers_markdown(const core::OutliersResult& result);
[[nodiscard]] std::string outliers_html(const core::OutliersResult& result);  // self-contained
[[nodiscard]] std::string outliers_table(const core::OutliersResult& result, bool colour, int width);
// One command a line, for those that are host names; nothing runs them. Names come from files: what is no host name stands in no
// command.
struct DrainCommands {
  std::string text;
  std::vector<std::string> left_out;
};
[[nodiscard]] DrainCommands drain_commands(const core::OutliersResult& result, Drain scheduler);

// profile-diff
[[nodiscard]] std::string profile_json(const core::ProfileDiff& result);  // profile-diff.json
[[nodiscard]] std::string profile_result_json(const core::ProfileDiff& result, ResponseFormat = ResponseFormat::concise);
[[nodiscard]] std::string profile_markdown(
    const core::ProfileDiff& result);  // the reference tool's sections, and ours before them

}  // namespace plumbline::reports
