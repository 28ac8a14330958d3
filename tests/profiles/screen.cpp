// Secrets in the texts of captures: left out of every name, counted, and no two rows made one.
#include "profiles/screen.hpp"

#include <algorithm>

#include "tests/profiles/fixture.hpp"
#include "tests/profiles/trace_text.hpp"

namespace plumbline::profiles::test {
namespace {

std::vector<std::string> names_of(const std::vector<NamedAggregate>& rows) {
  std::vector<std::string> names;
  for (const NamedAggregate& row : rows) names.push_back(row.name);
  std::sort(names.begin(), names.end());
  return names;
}

std::string said(const Profile& profile, core::WarningCode code) {
  std::string all;
  for (const core::Warning& warning : profile.warnings) {
    if (warning.code == code) all += warning.message + "\n";
  }
  return all;
}

TEST(ScreenOfCaptures, NamesThatDifferInASecretOnlyStayApart) {
  Scratch scratch;
  const std::string path = scratch.write(
      "trace.json", trace({kernel_event("run --api-key=sk-aaaa1111bbbb2222", "1", "10"),
                           kernel_event("run --api-key=sk-cccc3333dddd4444", "20", "30"), kernel_event("gemm", "60", "5")}));
  const auto profile = read(path, {});
  ASSERT_TRUE(profile) << profile.error().message;
  EXPECT_EQ(names_of(profile->kernels),
            (std::vector<std::string>{"gemm", "run --api-key=[redacted]", "run --api-key=[redacted] #2"}));
  EXPECT_EQ(profile->info.kernel_ns, 45'000);
  EXPECT_EQ(said(*profile, "secret_in_source"),
            "2 texts hold what looks like a secret, shown as [redacted]; the source itself still holds them (record --redact "
            "leaves them out), the first is \"run --api-key=[redacted]\"\n");
}

TEST(ScreenOfCaptures, ANameThatIsAlreadyThereIsNotMet) {
  Profile profile;
  for (const char* name : {"run --token X9f8e7d6c5b4a", "run --token [redacted]", "run --token X9f8e7d6c5b4a"})
    profile.kernels.push_back({name});
  screen(profile);
  EXPECT_EQ(profile.kernels[0].name, "run --token [redacted] #2");
  EXPECT_EQ(profile.kernels[1].name, "run --token [redacted]");
  EXPECT_EQ(profile.kernels[2].name, profile.kernels[0].name) << "one name stays one";
}

// Canonical range names lose their numbers: what is left of a token might not be told as one.
TEST(ScreenOfCaptures, RangesAreCleanBeforeTheirNumbersGo) {
  Scratch scratch;
  const std::string token = "hf_Ej3kQ9xZ7mW2Ej3kQ9xZ7mW2";
  const std::string path = scratch.write(
      "trace.json",
      trace({event("user_annotation", "load " + token, "1", "100"),
             event("cuda_runtime", "cudaLaunchKernel", "5", "2", R"("correlation": 7)"), kernel_event("gemm", "20", "10")}));
  const auto profile = read(path, {});
  ASSERT_TRUE(profile) << profile.error().message;
  ASSERT_FALSE(profile->ranges.empty());
  EXPECT_EQ(profile->ranges.front().name, "load [redacted]");
  EXPECT_EQ(names_of(profile->nvtx), std::vector<std::string>{"load [redacted]"});
}

TEST(ScreenOfCaptures, EveryTextOfAProfile) {
  const std::string secret = "https://u:Sesame99open@h/";
  Profile profile;
  profile.api.resize(1);
  profile.api[0].name = secret;
  profile.nccl.resize(1);
  profile.nccl[0].name = secret;
  profile.memory.resize(1);
  profile.memory[0].name = secret;
  profile.kernels.resize(1);
  profile.kernels[0].parents.resize(1);
  profile.kernels[0].parents[0].name = secret;
  profile.ranges.resize(1);
  profile.ranges[0].name = secret;
  profile.frames.resize(1);
  profile.frames[0].name = secret;
  profile.metrics.push_back({secret, secret, secret, secret, {}});
  profile.collectives.resize(1);
  profile.collectives[0].group = profile.collectives[0].dtype = secret;
  profile.devices.resize(1);
  profile.devices[0].name = secret;
  profile.steps.name = secret;
  profile.info.version = secret;
  profile.info.context["stack.url"] = secret;
  profile.info.context["stack.api_key"] = "Sesame99open";
  profile.warnings.push_back({"unread_lines", "of " + secret});
  screen(profile);
  const std::string clean = "https://[redacted]@h/";
  for (const std::string* text :
       {&profile.api[0].name, &profile.nccl[0].name, &profile.memory[0].name, &profile.kernels[0].parents[0].name,
        &profile.ranges[0].name, &profile.frames[0].name, &profile.metrics[0].kernel, &profile.metrics[0].shape,
        &profile.metrics[0].metric, &profile.metrics[0].unit, &profile.collectives[0].group, &profile.collectives[0].dtype,
        &profile.devices[0].name, &profile.steps.name, &profile.info.version, &profile.info.context["stack.url"]})
    EXPECT_EQ(*text, clean);
  EXPECT_EQ(profile.info.context["stack.api_key"], "[redacted]");
  EXPECT_EQ(profile.warnings[0].message, "of " + clean);
  EXPECT_EQ(said(profile, "secret_in_source").substr(0, 13), "2 texts hold ") << "the address in all places, and the key";
}

TEST(ScreenOfCaptures, PlainNamesStayWithoutAWord) {
  Profile profile;
  for (const char* name :
       {"void cutlass::Kernel2<cutlass_80_tensorop_s1688gemm_64x64_16x6_nn_align4>(Params)", "tokens_per_second"})
    profile.kernels.push_back({name});
  screen(profile);
  EXPECT_EQ(profile.kernels[0].name, "void cutlass::Kernel2<cutlass_80_tensorop_s1688gemm_64x64_16x6_nn_align4>(Params)");
  EXPECT_EQ(profile.kernels[1].name, "tokens_per_second");
  EXPECT_TRUE(profile.warnings.empty());
}

TEST(ScreenOfCaptures, ErrorsToo) {
  EXPECT_EQ(
      screened({core::ErrorCode::invalid_input, "no range https://u:Sesame99open@h/", "give --token Sesame99open", "p"}).message,
      "no range https://[redacted]@h/");
}

// Counted, and never read into anything: a program's own metadata may hold the whole environment.
TEST(EnvironmentsInTraces, AreCountedWhereverTheyStand) {
  const auto rows = [](std::string_view head) {
    const auto profile = read_trace(trace({kernel_event("gemm", "1", "10")}, head));
    EXPECT_TRUE(profile);
    return profile ? profile->environment_rows : 999;
  };
  EXPECT_EQ(rows(R"("traceName": "x", "with_flops": 1, "metadata": {"system": {"os": "Linux", "torch_env_info": {"a": "b"}}})"),
            0U);
  EXPECT_EQ(rows(R"("metadata": {"system": {"env": {"HF_TOKEN": "do-not-print-me-1234", "HOME": "/root"}}})"), 2U);
  EXPECT_EQ(rows(R"("Environment": ["A=do-not-print-me-1234", "B=2", "C=3"])"), 3U);
  EXPECT_EQ(rows(R"("processes": [{"environ": "A=1"}, {"environ": {"A": "1"}}])"), 2U);
  EXPECT_EQ(rows(R"("metadata": {"api_key": "do-not-print-me-1234", "token": 5, "password": ""})"), 1U);
  EXPECT_EQ(rows(R"("metadata": {"command": "run --token do-not-print-me-1234"})"), 1U);
  EXPECT_EQ(rows(R"("metadata": {"env": {"HF_TOKEN": "[redacted]"}, "api_key": "[redacted]"})"), 0U);
}

}  // namespace
}  // namespace plumbline::profiles::test
