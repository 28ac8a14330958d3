// Names of functions in profiles of the host. A compiler gives one function several names (hot and cold parts, clones specialised
// for an argument, hashes that change with every build); a profiler adds offsets and marks. canonical_frame() is the function
// itself; readers count under it, so that a function whose clone calls it counts once. Pure; thread-safe.
#pragma once

#include <string>
#include <string_view>

namespace plumbline::profiles {

inline constexpr std::string_view kUnknownFrame = "[unknown]";

// Gone from the end, as often as they stand there: "+0x1f"; " [clone .part.0]"; GCC's .cold .part.N .isra.N .constprop.N
// .lto_priv.N .localalias; LLVM's .llvm.N and .__uniq.N; Rust's hash "::h0123456789abcdef"; symbol versions "@@GLIBC_2.2.5";
// stackcollapse's marks _[k] _[j] _[i] _[w]. Java's hidden classes lose number and address ("$$Lambda$12/0x7f…" -> "$$Lambda").
// A bare address and "" are kUnknownFrame: addresses differ from run to run.
[[nodiscard]] std::string canonical_frame(std::string_view name);

// The name without the numbers that compilers give to functions that have none: lambdas and closures. "main.run.func2.1" ->
// "main.run.func#.#", "f()::{lambda(int)#3}" -> "f()::{lambda(int)#}", "{closure#0}", "'lambda2'", "$_4", "lambda$run$7" alike.
// One more lambda in a function renumbers those behind it: a name that matches nothing on the other side may match by this.
[[nodiscard]] std::string frame_without_numbers(std::string_view name);

}  // namespace plumbline::profiles
