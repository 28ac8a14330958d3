// Pages of metrics as real exporters write them: vLLM, Triton, DCGM, Ray, node exporter, and what newer formats allow. Numbers
// are our own.
#include <gtest/gtest.h>

#include "formats/system/prometheus.hpp"
#include "tests/formats/reading.hpp"

namespace plumbline::formats {
namespace {

TEST(PrometheusRates, the_name_and_the_label_say_whether_more_is_better) {
  using core::Direction;
  for (const auto& [name, labels, direction] : std::initializer_list<std::tuple<const char*, const char*, Direction>>{
           {"http_requests", "code=200,method=get", Direction::higher},
           {"http_requests", "code=503", Direction::lower},
           {"http_requests", "status=4xx", Direction::lower},
           {"http_requests", "handler=/500", Direction::higher},
           {"grpc_server_handled_requests", "grpc_code=Unavailable", Direction::lower},
           {"grpc_server_handled_requests", "grpc_code=OK", Direction::higher},
           {"vllm:request_success", "finished_reason=stop", Direction::higher},
           {"vllm:request_success", "finished_reason=abort", Direction::lower},
           {"vllm:num_aborted_requests", "", Direction::lower},
           {"retried_requests", "", Direction::lower},
           {"vllm:generation_tokens", "", Direction::higher},
           // Time, size, waiting and proposals: more may be load as well as harm.
           {"nv_inference_request_duration_us", "", Direction::unknown},
           {"http_request_duration_seconds", "", Direction::unknown},
           {"queued_requests", "", Direction::unknown},
           {"spec_decode_num_draft_tokens", "", Direction::unknown},
           {"request_bytes", "", Direction::unknown}}) {
    EXPECT_EQ(prometheus::rate_direction(name, labels), direction) << name << "{" << labels << "}";
  }
}

TEST(PrometheusRates, failures_by_status_are_judged_the_other_way_and_sums_of_time_not_at_all) {
  const auto page = [](const char* ok, const char* bad, const char* time, const char* at) {
    return "# TYPE http_requests_total counter\nhttp_requests_total{code=\"200\"} " + std::string(ok) + " " + at +
           "\nhttp_requests_total{code=\"500\"} " + bad + " " + at + "\n# TYPE nv_inference_request_duration_us counter\n" +
           "nv_inference_request_duration_us " + time + " " + at + "\n# EOF\n";
  };
  const std::string text = listing_of(page("100", "5", "1000", "1000") + page("300", "15", "9000", "1010"));
  EXPECT_TRUE(has_line(text, "http_requests{code=200}.per_second = 20 [1/s] higher-is-better")) << text;
  EXPECT_TRUE(has_line(text, "http_requests{code=500}.per_second = 1 [1/s] lower-is-better")) << text;
  EXPECT_TRUE(has_line(text, "nv_inference_request_duration_us.per_second = 800 [1/s] context")) << text;
}

TEST(Prometheus, where_a_card_sits_and_its_driver_are_no_part_of_the_key) {
  EXPECT_EQ(
      listing_of("# TYPE DCGM_FI_DEV_GPU_UTIL gauge\n"
                 "DCGM_FI_DEV_GPU_UTIL{gpu=\"0\",UUID=\"GPU-1\",pci_bus_id=\"00000000:1A:00.0\",device=\"nvidia0\",modelName="
                 "\"NVIDIA H100\",Hostname=\"node-1\",DCGM_FI_DRIVER_VERSION=\"535.129.03\",container=\"\"} 38\n"),
      "prometheus\nDCGM_FI_DEV_GPU_UTIL{device=nvidia0,gpu=0,modelName=NVIDIA H100}.value = 38 context\n");
}

TEST(Prometheus, names_in_quotation_marks_stand_in_the_braces) {
  EXPECT_EQ(listing_of("# TYPE \"http.server.duration_seconds\" histogram\n"
                       "{\"http.server.duration_seconds_bucket\",\"a.b\"=\"c\",le=\"0.5\"} 5\n"
                       "{\"http.server.duration_seconds_bucket\",\"a.b\"=\"c\",le=\"+Inf\"} 10\n"
                       "{\"http.server.duration_seconds_count\",\"a.b\"=\"c\"} 10\n"),
            "prometheus\n"
            "http.server.duration_seconds{a.b=c}.count = 10 context\n"
            "http.server.duration_seconds{a.b=c}.p50 = 0.5 [s] lower-is-better\n"
            "http.server.duration_seconds{a.b=c}.p90 = 0.5 [s] lower-is-better\n"
            "http.server.duration_seconds{a.b=c}.p99 = 0.5 [s] lower-is-better\n");
  // Two names, none, or a quotation that does not end are no sample.
  EXPECT_EQ(warning_of("# TYPE a gauge\na 1\n{\"b\",\"c\"} 1\n{d=\"e\"} 1\n{\"f\n", "unread_values"),
            "3 lines are no sample, and left out; the first is line 3");
}

TEST(Prometheus, a_page_without_types_is_told_by_its_samples) {
  EXPECT_EQ(listing_of("vllm:time_to_first_token_seconds_bucket{le=\"0.5\",model_name=\"m\"} 5\n"
                       "vllm:time_to_first_token_seconds_bucket{le=\"+Inf\",model_name=\"m\"} 10\n"
                       "vllm:time_to_first_token_seconds_count{model_name=\"m\"} 10\n"
                       "vllm:time_to_first_token_seconds_sum{model_name=\"m\"} 4\n"),
            "prometheus\n"
            "vllm:time_to_first_token_seconds{model_name=m}.count = 10 context\n"
            "vllm:time_to_first_token_seconds{model_name=m}.mean = 0.4 [s] lower-is-better\n"
            "vllm:time_to_first_token_seconds{model_name=m}.p50 = 0.5 [s] lower-is-better\n"
            "vllm:time_to_first_token_seconds{model_name=m}.p90 = 0.5 [s] lower-is-better\n"
            "vllm:time_to_first_token_seconds{model_name=m}.p99 = 0.5 [s] lower-is-better\n");
  // Two such lines in another text are no page.
  EXPECT_NE(listing_of("a{b=\"c\"} 1\na{b=\"d\"} 2\n").substr(0, 11), "prometheus\n");
}

TEST(Prometheus, a_summary_of_nothing_has_no_quantiles_and_a_time_may_be_called_a_total) {
  EXPECT_EQ(listing_of("# TYPE event_duration_seconds_total summary\n"
                       "event_duration_seconds_total{a=\"x\",quantile=\"0.5\"} 0.25\n"
                       "event_duration_seconds_total_sum{a=\"x\"} 5\n"
                       "event_duration_seconds_total_count{a=\"x\"} 10\n"
                       "event_duration_seconds_total{a=\"y\",quantile=\"0.5\"} 0\n"
                       "event_duration_seconds_total_sum{a=\"y\"} 0\n"
                       "event_duration_seconds_total_count{a=\"y\"} 0\n"),
            "prometheus\n"
            "event_duration_seconds_total{a=x}.p50 = 0.25 [s] lower-is-better\n"
            "event_duration_seconds_total{a=x}.count = 10 context\n"
            "event_duration_seconds_total{a=x}.mean = 0.5 [s] lower-is-better\n"
            "event_duration_seconds_total{a=y}.p50 = context null 'nothing was observed'\n"
            "event_duration_seconds_total{a=y}.count = 0 context\n");
}

}  // namespace
}  // namespace plumbline::formats
