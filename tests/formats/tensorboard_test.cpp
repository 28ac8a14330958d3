// Event files of TensorBoard: their records and checksums by known answers, the fixture as its rows, and whatever is cut or
// forced. tests/program/test_event_files.py asks the rest, with files of a writer that knows nothing of the reader.
#include "formats/training/tf_records.hpp"
#include "tests/formats/reading.hpp"

namespace plumbline::formats {
namespace {

TEST(Crc32c, is_that_of_rfc_3720) {
  EXPECT_EQ(crc32c(""), 0U);
  EXPECT_EQ(crc32c("123456789"), 0xE3069283U);
  EXPECT_EQ(crc32c(std::string(32, '\0')), 0x8A9136AAU);
  EXPECT_EQ(crc32c(std::string(32, '\xFF')), 0x62A8AB43U);
  std::string rising;
  for (char c = 0; c < 32; ++c) rising += c;
  EXPECT_EQ(crc32c(rising), 0x46DD794EU);
  EXPECT_EQ(masked_crc32c("123456789"), 0xC78AB0E5U);
}

TEST(TensorBoard, a_fixture_is_its_rows) {
  EXPECT_EQ(rows("tensorboard.tfevents"),
            "tensorboard\n"
            "train/loss = 0.6666666865348816 lower-is-better\n"
            "train/learning_rate = 0.0010000000474974513 context\n"
            "perf/step_time_ms = 252.5 253.5 254.5 255.5 256.5 [ms] lower-is-better\n"
            "perf/tokens_per_second = 4002.25 4003.25 4004.25 4005.25 4006.25 [tok/s] higher-is-better\n"
            "time/elapsed_s = 15 [s] context\n"
            "eval/accuracy = 0.75 higher-is-better\n"
            "eval/loss = 0.6875 lower-is-better\n"
            "last_step = 6 context\n"
            "logged_for = 12.5 [s] context\n"
            "headline perf/step_time_ms\n"
            "headline train/loss\n"
            "! unread_values\n"
            "! warm_up\n");
}

TEST(TensorBoard, a_file_cut_anywhere_is_rows_or_an_error) { cut_anywhere("tensorboard.tfevents", "tensorboard"); }

TEST(TensorBoard, other_bytes_under_its_name_are_refused) {
  EXPECT_EQ(refused("{\"a\": 1}", "tensorboard"),
            "no event file of TensorBoard: it does not begin with a record of one | give events.out.tfevents.… as the run wrote "
            "it | result");
}

TEST(TensorBoard, an_event_file_between_others_is_one_of_a_folder) {
  Input input;
  input.name = "results";
  input.is_directory = true;
  const std::string events = fixture("tensorboard.tfevents");
  input.files = {{"events.out.tfevents.1", events}, {"times.json", R"({"latency_ms": 5})"}};
  const auto m = read(input, testing::reading_all());
  ASSERT_TRUE(m) << m.error().message;
  EXPECT_EQ(m->format.name, "directory");
  EXPECT_TRUE(has_line(listing_of(*m), "times.json:latency_ms = 5 [ms] lower-is-better")) << listing_of(*m);
  EXPECT_TRUE(has_line(listing_of(*m), "events.out.tfevents.1:eval/loss = 0.6875 lower-is-better")) << listing_of(*m);
}

}  // namespace
}  // namespace plumbline::formats
