// Escaping and layout: what a hostile key, an odd number or a narrow terminal must not break.
#include "reports/text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/text.hpp"
#include "records.hpp"
#include "reports/profile_parts.hpp"
#include "reports/reports.hpp"

namespace plumbline::reports {
namespace {

using testing::HasSubstr;
using testing::Not;

// A Markdown line without its code spans, in which nothing is markup.
std::string without_code(const std::string& line) {
  std::string out;
  for (std::size_t at = 0; at < line.size();) {
    if (line[at] == '\\' && at + 1 < line.size()) {
      out += line.substr(at, 2);
      at += 2;
      continue;
    }
    const std::size_t run = line[at] == '`' ? std::min(line.find_first_not_of('`', at), line.size()) - at : 0;
    const std::size_t close = run > 0 ? line.find(std::string(run, '`'), at + run) : std::string::npos;
    if (close != std::string::npos)
      at = close + run;
    else
      out += line[at++];
  }
  return out;
}

struct Pair {
  std::string in, out;
};

TEST(Markdown, EscapesWhatWouldBeSyntax) {
  for (const Pair& one : std::vector<Pair>{{"a|b", "a\\|b"},
                                           {"a`b", "a\\`b"},
                                           {"<b>&", "&lt;b&gt;&amp;"},
                                           {"a\nb\r\nc", "a b  c"},
                                           {"[x](y)", "\\[x\\](y)"},
                                           {"ttft_p50_ms", "ttft_p50_ms"},
                                           {"_x_", "\\_x\\_"},
                                           {"a*b\\", "a\\*b\\\\"},
                                           {"bad\xff", "bad\xEF\xBF\xBD"},
                                           {"\x1b[31m", "\xEF\xBF\xBD\\[31m"}}) {
    EXPECT_EQ(markdown_text(one.in), one.out);
  }
}

TEST(Markdown, FencesCodeWithMoreBackticksThanItHolds) {
  EXPECT_EQ(markdown_code("x"), "`x`");
  EXPECT_EQ(markdown_code("a`b"), "``a`b``");
  EXPECT_EQ(markdown_code("`a``b"), "``` `a``b ```");
  EXPECT_EQ(markdown_code("a|b", true), "`a\\|b`");
  EXPECT_EQ(markdown_code("a\nb"), "`a b`");
}

TEST(Markup, EscapesForHtmlAndXml) {
  EXPECT_EQ(markup("<a href=\"x\">'&"), "&lt;a href=&quot;x&quot;&gt;&#39;&amp;");
  EXPECT_EQ(markup(std::string("a\0b\x1f\xff\xEF\xBF\xBF", 8)),
            "a\xEF\xBF\xBD"
            "b\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD");
}

TEST(Csv, QuotesByRfc4180) {
  EXPECT_EQ(csv_field("plain"), "plain");
  EXPECT_EQ(csv_field("=cmd()_ms"), "'=cmd()_ms");
  EXPECT_EQ(csv_field("a\x1b[31m"), "a\xEF\xBF\xBD[31m");
  EXPECT_EQ(csv_field("a,b"), "\"a,b\"");
  EXPECT_EQ(csv_field("say \"x\""), "\"say \"\"x\"\"\"");
  EXPECT_EQ(csv_field("two\nlines"), "\"two\nlines\"");
}

TEST(GitHub, EscapesCommands) {
  EXPECT_EQ(github_data("50%\r\nnext: a,b"), "50%25%0D%0Anext: a,b");
  EXPECT_EQ(github_property("a:b,c%"), "a%3Ab%2Cc%25");
}

TEST(Terminal, CutsInTheMiddleBetweenCodePoints) {
  EXPECT_EQ(shorten_middle("abcdefghij", 10), "abcdefghij");
  EXPECT_EQ(shorten_middle("abcdefghij", 7), "abc…hij");
  EXPECT_EQ(shorten_middle("日本語のキー", 7), "日…キー" + std::string());
  EXPECT_EQ(shorten_middle("abc", 1), "…");
  EXPECT_EQ(shorten_middle("abc", 0), "");
  for (int width = 0; width < 14; ++width) {
    const std::string cut = shorten_middle("aé日本😀z̈文字x", width);
    EXPECT_LE(display_width(cut), width);
    EXPECT_TRUE(core::is_valid_utf8(cut)) << width;
  }
  for (std::size_t bytes = 3; bytes < 30; ++bytes) {
    const std::string cut = shorten_bytes("aé日本😀z̈文字xyz-0123456789", bytes);
    EXPECT_LE(cut.size(), bytes);
    EXPECT_TRUE(core::is_valid_utf8(cut)) << bytes;
  }
}

TEST(Terminal, KnowsHowWideTextIs) {
  EXPECT_EQ(display_width("abc"), 3);
  EXPECT_EQ(display_width("é"), 1);
  EXPECT_EQ(display_width("e\xCC\x81"), 1);
  EXPECT_EQ(display_width("日本"), 4);
  EXPECT_EQ(display_width("😀"), 2);
  EXPECT_EQ(display_width("⏰"), 2);
  EXPECT_EQ(display_width("\xE1\x84\x92\xE1\x85\xA1\xE1\x86\xAB"), 2) << "Hangul's letters make one syllable";
  EXPECT_EQ(display_width("น้ำ"), 2) << "a tone mark stands above";
  EXPECT_EQ(display_width("✓"), 1);
}

TEST(Terminal, GetsNoControlCharacters) {
  const std::string shown =
      one_line(std::string("a\x1b[2J\x07\tb\nc\x7f\xC2\x9B"
                           "d\0e",
                           16));
  for (const char c : shown) EXPECT_GE(static_cast<unsigned char>(c), 0x20);
  EXPECT_THAT(shown, Not(HasSubstr("\xC2\x9B")));
}

TEST(Numbers, AreShownWithTheirUnits) {
  EXPECT_EQ(figure(310, "GB/s"), "310 GB/s");
  EXPECT_EQ(figure(12.5, "%"), "12.5%");
  EXPECT_EQ(figure(1234567, ""), "1234567");
  EXPECT_EQ(figure(0.1 + 0.2, "s"), "0.3 s");
  EXPECT_EQ(figure(std::nan(""), "s"), "n/a");
  EXPECT_EQ(signed_figure(15, "GB/s"), "+15 GB/s");
  EXPECT_EQ(signed_figure(-15, "GB/s"), "-15 GB/s");
  EXPECT_EQ(signed_percent(4.83), "+4.8%");
  EXPECT_EQ(signed_percent(-120.4), "-120%");
  EXPECT_EQ(signed_percent(0), "0%");
  EXPECT_EQ(percent(6.0), "6%");
  EXPECT_EQ(percent(std::nullopt), "n/a");
  EXPECT_EQ(grouped(1234567), "1,234,567");
  EXPECT_EQ(grouped(12), "12");
  EXPECT_EQ(byte_count(1536), "1.5 KiB");
}

TEST(ReferenceTool, TimesAndPercentsAreItsOwnText) {
  for (const auto& [ns, text] : std::vector<std::pair<std::int64_t, std::string>>{{0, "0"},
                                                                                  {100, "100ns"},
                                                                                  {-999, "-999ns"},
                                                                                  {1500, "1.500us"},
                                                                                  {300000000, "300.000ms"},
                                                                                  {1000000000, "1.000s"},
                                                                                  {-300000000, "-300.000ms"}}) {
    EXPECT_EQ(fmt_ns(ns), text);
  }
  EXPECT_EQ(fmt_pct(50.0), "+50.0%");
  EXPECT_EQ(fmt_pct(-100.0), "-100.0%");
  EXPECT_EQ(fmt_pct(0.0), "+0.0%");
  EXPECT_EQ(fmt_pct(std::nullopt), "n/a");
}

TEST(DiffMarkdown, OpensWithTheVerdictAndClosesWithTheDigests) {
  const std::string text = diff_markdown(fixture::scalar());
  EXPECT_TRUE(text.starts_with("# GREEN (")) << text;
  EXPECT_THAT(text, HasSubstr("\n| Key | Change | Baseline | Current | State |\n|---|---:|---:|---:|---|\n"));
  EXPECT_LT(text.find("| Key | Change |"), text.find("<details>"));
  EXPECT_GT(text.find("<summary>Sides and digests</summary>"), text.rfind("<summary>How each row was judged</summary>"));
  EXPECT_TRUE(text.ends_with("\n</details>\n"));
}

TEST(DiffMarkdown, TablesHaveOneLineARowWhateverTheKeys) {
  const std::string text = diff_markdown(fixture::hostile());
  std::size_t from = 0;
  while (from < text.size()) {
    const std::size_t end = text.find('\n', from);
    const std::string line = text.substr(from, end - from);
    if (line.starts_with("| ")) {
      EXPECT_TRUE(line.ends_with(" |")) << line;
    }
    EXPECT_THAT(without_code(line), Not(HasSubstr("<script")));
    EXPECT_THAT(line, Not(HasSubstr("\x1b")));
    from = end + 1;
  }
  EXPECT_TRUE(core::is_valid_utf8(text));
}

TEST(DiffHtml, HoldsNoMarkupOfAKeyAndNoOutsideResource) {
  const std::string page = diff_html(fixture::hostile());
  EXPECT_EQ(page.find("<script"), page.rfind("<script")) << "but for the page's own at its end";
  EXPECT_THAT(page, Not(HasSubstr("<script>alert")));
  EXPECT_THAT(page, Not(HasSubstr("<b>fam")));
  EXPECT_THAT(page, Not(HasSubstr("<x>")));
  EXPECT_THAT(page, Not(HasSubstr("http://")));
  EXPECT_THAT(page, Not(HasSubstr("https://")));
  EXPECT_THAT(page, Not(HasSubstr("src=")));
  EXPECT_THAT(page, Not(HasSubstr("url(")));
  EXPECT_THAT(page, HasSubstr("{{mustache}}"));  // data is never a template
  EXPECT_TRUE(core::is_valid_utf8(page));
}

TEST(DiffTable, StaysWithinItsWidthAndSendsNoEscapesUnlessAsked) {
  const std::string text = diff_table(fixture::hostile(), false, 100);
  EXPECT_THAT(text, Not(HasSubstr("\x1b")));
  EXPECT_TRUE(core::is_valid_utf8(text));
  EXPECT_THAT(diff_table(fixture::serving(), true, 100), HasSubstr("\x1b[1;31mRED\x1b[0m"));
  core::DiffResult wide = fixture::many_rows(50);
  auto& order = fixture::rows_of(wide).order;
  order.clear();
  for (std::uint32_t i = 0; i < 50; ++i) order.push_back(i);
  const std::string many = diff_table(wide, false, 80);
  EXPECT_THAT(many, HasSubstr("… and 40 more rows"));
  for (std::size_t from = 0; from < many.size();) {
    const std::size_t end = many.find('\n', from);
    const std::string line = many.substr(from, end - from);
    EXPECT_LE(display_width(line), 80) << line;
    from = end + 1;
  }
}

TEST(DiffGithub, IsLinesOfCommandsAndEndsInTheVerdict) {
  const std::string text = diff_github(fixture::hostile());
  std::size_t lines = 0, errors = 0, warnings = 0;
  for (std::size_t from = 0; from < text.size();) {
    const std::size_t end = text.find('\n', from);
    const std::string line = text.substr(from, end - from);
    EXPECT_TRUE(line.starts_with("::error ") || line.starts_with("::warning ") || line.starts_with("::notice ")) << line;
    errors += line.starts_with("::error ") ? 1 : 0;
    warnings += line.starts_with("::warning ") ? 1 : 0;
    ++lines;
    from = end + 1;
  }
  EXPECT_LE(errors, 10U);
  EXPECT_LE(warnings, 10U);
  EXPECT_GT(lines, 3U);
  EXPECT_THAT(text, HasSubstr("more findings in the bundle"));
  EXPECT_THAT(diff_github(fixture::scalar()),
              HasSubstr("::notice title=plumbline GREEN::GREEN (DRAFT) demo/throughput: 1 row compared: 1 improved"));
}

TEST(DiffCsv, HasOneRecordARow) {
  const std::string text = diff_csv(fixture::serving());
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 12);
  EXPECT_THAT(
      text,
      HasSubstr(
          "\r\nmetrics.64.errors,errors,,lower-is-better,regressed,false,0,3,3,,percent,5,default,true,false,true,1,1,,,\r\n"));
}

TEST(ProfileMarkdown, ChoosesRangesForBothSidesTogether) {
  core::ProfileDiff diff = fixture::profile();
  ASSERT_EQ(interesting_ranges(diff).size(), 1U);
  EXPECT_EQ(interesting_ranges(diff)[0]->name, "forward");
  diff.nvtx.erase(diff.nvtx.begin());
  ASSERT_EQ(interesting_ranges(diff).size(), 1U);  // none is named by a word: all
  EXPECT_EQ(interesting_ranges(diff)[0]->name, "dataloader");
}

TEST(ProfileMarkdown, KeepsTheReferenceToolsSections) {
  const std::string text = profile_markdown(fixture::profile());
  EXPECT_THAT(text, HasSubstr("# Profile diff\n\nBaseline: `B`  \nCandidate: `C`\n"));
  EXPECT_THAT(text, HasSubstr("Sorted by absolute delta-of-totals; top `5` rows per table.\n"));
  for (const char* title : {"### NVTX ranges (interesting subset)\n", "### GPU kernels (top deltas)\n",
                            "### CUDA API (top deltas)\n", "### NCCL collectives\n"}) {
    EXPECT_THAT(text, HasSubstr(title));
  }
  EXPECT_THAT(
      text,
      HasSubstr("| Name | Baseline | Candidate | Delta | Pct | Calls (b -> c) |\n| --- | ---: | ---: | ---: | ---: | ---: |\n"));
  EXPECT_THAT(text, HasSubstr("| `layernorm_kernel` | 300.000ms | 0 | -300.000ms | -100.0% | 1000 -> - |\n"));
  EXPECT_THAT(text, HasSubstr("| `new_kernel` | 0 | 100ns | 100ns | n/a | - -> 1 |\n"));
  core::ProfileDiff empty = fixture::profile();
  empty.nccl.clear();
  EXPECT_THAT(profile_markdown(empty), HasSubstr("### NCCL collectives\n\n_No data._\n"));
}

TEST(SourceMarkdown, IsTheReferenceToolsTemplateWithOurLines) {
  const std::string text = source_markdown(fixture::scalar_record());
  EXPECT_TRUE(text.starts_with(
      "# SOURCE: perf-baseline demo / throughput\n\n**Registered at (UTC):** `2026-11-20T15:03:59Z`\n"
      "**Registered by:** `(unknown)` on `host`\n**profile-and-optimize SHA at registration:** `(unknown)`\n\n## Source\n\n"
      "- Path at registration time: `/repo/b.txt`\n- SHA-256: `"));
  EXPECT_THAT(text, HasSubstr("\n## Notes\n\nfirst \\| note\n"));
  EXPECT_THAT(source_markdown(fixture::structured_record()),
              HasSubstr("**profile-and-optimize SHA at registration:** `0123456789ab`\n"));
  core::BaselineRecord record = fixture::scalar_record();
  record.notes.clear();
  EXPECT_THAT(source_markdown(record), HasSubstr("\n## Notes\n\n_(none)_\n"));
}

}  // namespace
}  // namespace plumbline::reports
