// Every verb of the table and what runs it. A small verb is one file, verbs/<verb>.cpp; a large one is a folder, verbs/<verb>/,
// with its parameters (params.cpp, of diff request.cpp) apart from its work.
#pragma once

#include "verbs/verb.hpp"

namespace plumbline::verbs {

extern const Verb kRecord;
extern const Verb kDiff;
extern const Verb kProfileDiff;
extern const Verb kAccept;
extern const Verb kHistory;
extern const Verb kInspect;
extern const Verb kVerify;
extern const Verb kSearch;
extern const Verb kExport;
extern const Verb kConfig;
extern const Verb kDigest;
extern const Verb kFormats;
extern const Verb kOutliers;
extern const Verb kImport;
extern const Verb kGc;
extern const Verb kIndex;
extern const Verb kKeygen;
extern const Verb kCheckpoint;
extern const Verb kRun;
extern const Verb kBisect;
extern const Verb kCalibrate;

[[nodiscard]] Expected<Outcome> run_record(const Arguments& arguments, const Context& context);
[[nodiscard]] Expected<Outcome> run_diff(const Arguments& arguments, const Context& context);
[[nodiscard]] Expected<Outcome> run_profile_diff(const Arguments& arguments, const Context& context);
[[nodiscard]] Expected<Outcome> run_outliers(const Arguments& arguments, const Context& context);
[[nodiscard]] Expected<Outcome> run_run(const Arguments& arguments, const Context& context);
[[nodiscard]] Expected<Outcome> run_bisect(const Arguments& arguments, const Context& context);

}  // namespace plumbline::verbs
