// One spelling for what different tools, compilers and versions write differently. Kernel names: return type, parameters,
// casts ("(int)4"), suffixes of numbers ("4ul"), anonymous and inline namespaces, the numbers of lambdas, ABI tags and hashes,
// clone marks (".kd", " [clone .kd]", ".3") go; template arguments stay. Pure functions, linear in the name's length; ask once a
// name.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace plumbline::profiles {

// "void at::native::(anonymous namespace)::foo<(int)4, float >(float*, int)" -> "at::native::foo<4,float>". What is no C++
// name ("nvjet_tst_192x192", "Memcpy DtoH") comes back as it is but for the marks at its end. Never empty unless the name is.
[[nodiscard]] std::string canonical_kernel(std::string_view name);
// The function's own name, without namespaces and template arguments: "foo".
[[nodiscard]] std::string_view base_name(std::string_view canonical);
// Of a canonical name: what stands in its outermost angle brackets, "" where there are none.
[[nodiscard]] std::string_view template_arguments(std::string_view canonical);
// The first `count` arguments at the outermost level, fewer where there are fewer.
[[nodiscard]] std::vector<std::string_view> split_arguments(std::string_view arguments, std::size_t count = 64);

}  // namespace plumbline::profiles
