// inferencebench envelopes: rows, context, what the model's checks say, and the texts that are hashed. That a file is accepted is
// shown on the fixture; each error by one change of it.
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "core/native.hpp"
#include "systems/inferencebench/model.hpp"
#include "tests/formats/listing.hpp"

namespace plumbline::formats {
namespace {

std::string fixture() {
  std::ifstream file(std::string(PLUMBLINE_TESTS) + "/formats/fixtures/inferencebench.json");
  return {std::istreambuf_iterator<char>(file), {}};
}

// The fixture with one text in the place of another, which must be there.
std::string changed(const std::string& from, const std::string& to) {
  std::string text = fixture();
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

systems::inferencebench::Envelope envelope(const std::string& text) {
  Input input;
  input.name = "e.json";
  input.bytes = text;
  const auto measurement = read(input, testing::reading_all());
  if (!measurement) {
    ADD_FAILURE() << measurement.error().message;
    return {};
  }
  return *core::native_file<systems::inferencebench::Envelope>(*measurement);
}

TEST(InferencebenchEnvelope, rows_context_and_placeholders) {
  EXPECT_EQ(listing_of(fixture()), R"(inferencebench
ttft_p50_ms = 24.5 [ms] lower-is-better
ttft_p99_ms = 33.25 [ms] lower-is-better
throughput_tok_per_s = 1056.5 [tok/s] higher-is-better
req_per_s_all = 7.5 [req/s] higher-is-better
compliance_rate = 0.97 higher-is-better
ok_rate = 1 gate higher-is-better
joules_per_token = 2.5 [J/token] lower-is-better
ttft_p95_ms = 30 [ms] lower-is-better
n_ok = 60 context
cost_usd_per_million_tokens = [USD/Mtoken] lower-is-better null
slo_hardware_class = context text 'h100'
context hardware.cpu = Example CPU
context hardware.fingerprint = )" + envelope(fixture()).hardware_fingerprint +
                                       R"(
context hardware.gpu = Example GPU 80GB
context hardware.gpu_count = 2
context identity.model = example/model-8b
context identity.model_revision = abc1234
context identity.quantization = bf16
context identity.suite = llm.inference.example
context identity.suite_version = 1.0.0
context serving.engine = vllm
context serving.engine_version = 0.22.1
context serving.provider = vllm
context stack.cuda = 13.0
context stack.driver = 580.1
context stack.nccl = 2.28
context workload.concurrency = 16
context workload.dataset = example-prompts
context workload.dataset_hash = 6666666666666666666666666666666666666666666666666666666666666666
context workload.seed = 42
headline throughput_tok_per_s
headline accuracy
headline pass_at_1
! placeholder_provenance
! null_values
)");
}

TEST(InferencebenchEnvelope, the_schema_of_envelopes_is_none) {
  EXPECT_EQ(
      listing_of(
          R"({"properties": {"envelope_version": {"const": "v1"}, "suite_id": {"minLength": 1}, "hardware_fingerprint": {}}})")
          .substr(0, 12),
      "generic-json");
}

TEST(InferencebenchEnvelope, an_error_names_the_field_and_its_place) {
  EXPECT_EQ(listing_of(changed("\"suite_id\": \"llm.inference.example\",", ""), "e.json", "inferencebench"),
            "error: envelope v1: suite_id is missing (e.json)\n");
  EXPECT_EQ(listing_of(changed("\"revision\": \"abc1234\"", "\"revision\": \"abc\""), "e.json"),
            "error: envelope v1: model.revision must have 7 to 40 characters, not \"abc\" (e.json:9:17)\n");
  const auto message = [](const std::string& from, const std::string& to) {
    const std::string text = listing_of(changed(from, to), "e.json");
    return text.substr(0, text.find(" (e.json"));
  };
  EXPECT_EQ(message("\"v1\"", "\"v2\""),
            "error: envelope v1: envelope_version must be \"v1\", the only version there is, not \"v2\"");
  EXPECT_EQ(message("\"1.0.0\"", "\"1.0\""), "error: envelope v1: suite_version must be a version like 1.0.0, not \"1.0\"");
  EXPECT_EQ(message("2026-06-01T10:00:00.250000Z", "yesterday"),
            "error: envelope v1: timestamp must be an RFC 3339 time, not \"yesterday\"");
  EXPECT_EQ(message("10:00:00.250000Z", "10:00:00"),
            "error: envelope v1: timestamp must say its time zone, not \"2026-06-01T10:00:00\"");
  EXPECT_EQ(message("2026-06-01T", "2026-02-29T"),
            "error: envelope v1: timestamp must be an RFC 3339 time, not \"2026-02-29T10:00:00.250000Z\"");
  EXPECT_EQ(message("\"seed\": 42", "\"seed\": 4.5"), "error: envelope v1: seed must be a whole number, not 4.5");
  EXPECT_EQ(message("\"channels\": 8", "\"channels\": 17"),
            "error: envelope v1: hardware_fingerprint.memory.channels must be a whole number from 1 to 16, not 17");
  EXPECT_EQ(message("\"ecc\": true", "\"ecc\": 1"),
            "error: envelope v1: hardware_fingerprint.memory.ecc must be true or false, not 1");
  EXPECT_EQ(message("\"pci_id\": \"0000:01:00.0\"", "\"pci_id\": \" \""),
            "error: envelope v1: hardware_fingerprint.gpus[1].pci_id must not be empty, not \" \"");
  EXPECT_EQ(message("\"ttft_p50_ms\": 24.5", "\"ttft_p50_ms\": [24.5]"),
            "error: envelope v1: metrics.ttft_p50_ms must be a number, a text or null, not an array");
  EXPECT_EQ(message("\"dev-key\"", "\"pgp\""),
            "error: envelope v1: signature.method must be dev-key or sigstore-cosign, not \"pgp\"");
  EXPECT_EQ(message("\"warnings\": []", "\"warnings\": [1]"), "error: envelope v1: warnings must hold texts, not 1");
  EXPECT_EQ(message("\"hash\": \"6", "\"hash\": \"G"),
            "error: envelope v1: dataset.hash must be 64 lower-case hex digits, not "
            "\"G666666666666666666666666666666666666666666666666666666666666666\"");
}

TEST(InferencebenchEnvelope, an_envelope_cut_anywhere_is_an_error) {
  const std::string text = fixture();
  for (std::size_t size = 1; size + 3 < text.size(); ++size) {
    EXPECT_TRUE(listing_of(text.substr(0, size), "e.json", "inferencebench").starts_with("error: ")) << size;
  }
}

TEST(InferencebenchEnvelope, the_signed_text_is_the_models_and_the_raw_text_the_files) {
  const auto plain = envelope(fixture());
  EXPECT_EQ(plain.canonical_model, plain.canonical_raw);
  EXPECT_TRUE(plain.canonical_raw.starts_with(R"({"dataset":{"hash":"66)")) << plain.canonical_raw;
  EXPECT_EQ(plain.canonical_raw.find("signature"), std::string::npos);

  const auto time = envelope(changed("10:00:00.250000Z", "10:00:00.2500009+00:00"));
  EXPECT_EQ(time.canonical_model, plain.canonical_model);
  EXPECT_NE(time.canonical_raw, plain.canonical_raw);
  const auto zone = envelope(changed("10:00:00.250000Z", "10:00-0130"));
  EXPECT_NE(zone.canonical_model.find(R"("timestamp":"2026-06-01T10:00:00-01:30")"), std::string::npos);
  EXPECT_EQ(envelope(changed("\"llm.standard\"", "\" llm.standard\\u00a0\"")).canonical_model, plain.canonical_model);
  EXPECT_EQ(envelope(changed("\"warnings\": [],", "")).canonical_model, plain.canonical_model);
  EXPECT_EQ(envelope(changed("\"distributions\": {},", "")).canonical_model, plain.canonical_model);
  EXPECT_EQ(envelope(changed("\"ok_rate\": 1.0", "\"ok_rate\": true")).canonical_model, plain.canonical_model);
  EXPECT_NE(envelope(changed("\"ok_rate\": 1.0", "\"ok_rate\": 1")).canonical_model, plain.canonical_model)
      << "a whole number stays one";
  // Of a name that stands twice the last counts, as for Python.
  const auto twice = envelope(changed("\"seed\": 42", "\"seed\": 7, \"seed\": 42"));
  EXPECT_EQ(twice.canonical_model, plain.canonical_model);
  EXPECT_EQ(twice.canonical_raw, plain.canonical_raw);
}

TEST(InferencebenchEnvelope, the_fingerprint_sorts_its_gpus_and_leaves_other_fields_out) {
  const auto plain = envelope(fixture());
  EXPECT_TRUE(
      plain.canonical_fingerprint.starts_with(R"({"bios":{"above_4g":true,"resizable_bar":true,"version":"1.0"},"cpu":)"));
  EXPECT_LT(plain.canonical_fingerprint.find("0000:01:00.0"), plain.canonical_fingerprint.find("0000:02:00.0"));
  EXPECT_EQ(envelope(changed("\"microcode\": \"0x1\"", "\"microcode\": \"0x1\", \"cores\": 8")).canonical_fingerprint,
            plain.canonical_fingerprint);
}

}  // namespace
}  // namespace plumbline::formats
