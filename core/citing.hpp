// How a text of somebody else (a key, a kernel's name, a note, a file's name) stands in a sentence of ours. It is data: whatever
// it says, a reader, a terminal and a language model must see where it begins and ends. So it is quoted, bounded, on one line,
// without secrets, and nothing in it can end the quotation: quotes and backslashes are escaped as in JSON, and so are characters
// that would change how the rest is shown (core::is_deceptive). Every sentence of ours uses these; whole documents are escaped by
// reports/.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace plumbline::core {

inline constexpr std::size_t kCitedBytes = 160;

// "all_reduce[size=1GiB].busbw", in double quotes. Past `bytes` bytes the middle is left out.
[[nodiscard]] std::string cited(std::string_view text, std::size_t bytes = kCitedBytes);

// Each of them quoted: "a", "b" and 3 more.
[[nodiscard]] std::string cited_list(std::span<const std::string> texts, std::size_t at_most = 5);

// A unit behind a number (GB/s, tokens/s, %) or a key of the context (hardware.gpu): as it stands when it is one short word, else
// quoted like any text.
[[nodiscard]] std::string cited_word(std::string_view word);

// A file's name or path: as it stands when a shell would take it as one plain word, else quoted. Kept whole up to 1,024 bytes,
// for somebody has to find it.
[[nodiscard]] std::string cited_path(std::string_view path);

// A sentence in which `path` may stand: there it stands as cited_path has it.
[[nodiscard]] std::string with_cited_path(std::string sentence, std::string_view path);

// A sentence of ours cut in the middle to at most `bytes` bytes: a quotation that the cut goes through ends before it, and begins
// again behind it.
[[nodiscard]] std::string shorten_sentence(std::string_view sentence, std::size_t bytes);

// A whole sentence or a cell on one line, without quotes: breaks are blanks, other deceptive characters U+FFFD. At most `bytes`
// bytes. Secrets in it are the caller's: in a sentence of ours only what is cited can be one.
[[nodiscard]] std::string one_line(std::string_view text, std::size_t bytes = std::string_view::npos);

}  // namespace plumbline::core
