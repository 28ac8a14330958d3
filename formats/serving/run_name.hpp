// What names of result files say of a run whose JSON does not: InferenceX (InferenceMAX) and vLLM's own CI keep tensor, expert
// and data parallel sizes only there. Private to formats/.
#pragma once

#include <string_view>

#include "core/context.hpp"

namespace plumbline::formats {

// "dsr1_1k1k_fp8_sglang_tp8-ep1-dpafalse_disagg-false_spec-none_conc16_h200-a.json", "serving_llama8B_tp1_sharegpt_qps_1.json",
// "results_concurrency_64_gpus_16_ctx_8_gen_8.json", with "prefill-tp4-…_decode-tp8-…" where the phases have GPUs of their own.
// Fields of the context; none for a name that says neither a tensor parallel size nor how many GPUs served how many requests.
[[nodiscard]] core::Context context_of_run_name(std::string_view file);

}  // namespace plumbline::formats
