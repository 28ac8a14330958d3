// A case file of msmodeling, refilled from a run: the operators that its own reader sees, and the time that the next run is
// compared with. The rest of the case (what is simulated, tolerances, the initial time) stays as it is.
#include <algorithm>

#include "core/native.hpp"
#include "core/text.hpp"
#include "systems/msmodeling/case_file.hpp"
#include "systems/msmodeling/rule.hpp"
#include "systems/msmodeling/system.hpp"

namespace plumbline::systems::msmodeling {
namespace {

using core::ErrorCode;
using core::Expected;
using core::Status;

const File* file_of(const core::Measurement* measurement) {
  return measurement == nullptr ? nullptr : core::native_file<File>(*measurement);
}

bool has_references(const Case& expected) { return expected.initial_time_s > 0 || expected.baseline_time_s > 0; }

// A run that fails the case it is to replace is written down only for a reason.
Status check_run(const Case& expected, const Run& run, const ExportOptions& options) {
  const Report report = check(expected, run, Rules::code);
  if (!report.error.empty()) {
    return core::fail(ErrorCode::invalid_input, "msmodeling itself stops on this table: " + report.error,
                      "export a run with one performance model, without bound and shape columns");
  }
  if (run.operators.empty()) {
    return core::fail(ErrorCode::invalid_input, "msmodeling's reader finds no operators in this table",
                      "export a run without bound and shape columns");
  }
  if (!options.reason.empty()) return {};
  constexpr const char* kSayWhy =
      "say why it is agreed on: `--reason TEXT`; msmodeling wants the same reason in the commit message";
  const bool operators_differ = report.operator_status == "WARN" || report.operator_status == "FAIL";
  if (operators_differ && (!has_references(expected) || report.status == "PASS")) {
    std::vector<std::string> lines;
    for (const std::string& line : report.violations) lines.emplace_back(core::trim(line));
    return core::fail(ErrorCode::invalid_input,
                      "the run's operators differ from those of the case that it is to refill: " + core::listed(lines, 4),
                      kSayWhy);
  }
  if (!has_references(expected) || report.status == "PASS") return {};
  return core::fail(ErrorCode::invalid_input,
                    "the run fails the case that it is to refill: " + report.status + " (" + milliseconds_text(report.actual_s) +
                        "; initial " + milliseconds_text(report.initial_s) + ", baseline " +
                        milliseconds_text(report.baseline_s) + ")",
                    kSayWhy);
}

// The total as it is printed: a person writes 0.536191 into the case, where that tool's product is 0.5361910000000001.
double printed_total(const core::Measurement& run, double otherwise) {
  const core::Id key = run.pool().find("total_time_s");
  for (const core::Row& row : run.rows()) {
    if (row.key == key && row.value_count > 0) return run.values(row).front();
  }
  return otherwise;
}

void refill(Case& out, const Run& run, double total, Exported& exported) {
  const std::int64_t top_n = out.top_n.value_or(10);
  const std::size_t all = run.operators.size();
  const std::size_t kept = top_n < 0 ? all : std::min<std::size_t>(all, static_cast<std::size_t>(top_n));
  out.operators.assign(run.operators.begin(), run.operators.begin() + static_cast<std::ptrdiff_t>(kept));
  for (std::size_t i = kept; i < all; ++i)
    exported.left_out.emplace_back(run.operators[i].name, "outside the case's top " + std::to_string(top_n));
  out.baseline_time_s = total;
  if (out.initial_time_s <= 0) out.initial_time_s = total;
  out.refreshed = true;
}

Expected<Exported> write(const ExportSource& source, const core::Measurement* refresh, const ExportOptions& options) {
  const File* file = file_of(source.measurement);
  if (file == nullptr) return core::fail(not_exportable(kExporter, source));
  const File* before = file_of(refresh);
  if (refresh != nullptr && (before == nullptr || !before->baseline)) {
    return core::fail(ErrorCode::usage, "--refresh names no case file of msmodeling", "give cases/<name>.json");
  }
  Exported out;
  Case written;
  if (file->baseline) {
    written = *file->baseline;
  } else {
    if (before == nullptr) {
      return core::fail(ErrorCode::usage, "--refresh is missing: a run does not say what was simulated",
                        "name the case that it refills: `--refresh cases/NAME.json`");
    }
    written = *before->baseline;
    if (auto ok = check_run(written, *file->run, options); !ok) return core::fail(ok.error());
    refill(written, *file->run, printed_total(*source.measurement, *file->run->total_time_s), out);
  }
  if (!written.unknown_keys.empty()) {
    out.warnings.push_back({"native_stops", "msmodeling itself stops on this case with a TypeError: it does not know " +
                                                core::listed(written.unknown_keys)});
  }
  out.written = written.operators.size();
  out.file_name = as_file_name(written.name + ".json");
  out.text = text_of(written);
  return out;
}

}  // namespace

const Exporter kExporter = {.name = "msmodeling",
                            .takes = "the simulator's table (with --refresh CASE.json) or a case file",
                            .write = &write,
                            .join = nullptr};

}  // namespace plumbline::systems::msmodeling
