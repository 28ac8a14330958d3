// Rows read from the pages of a database are those that SQLite reads: over every kind of value, schema, page size and tree, and
// what the pages cannot be read for is left to SQLite. SQLite itself is the other implementation that everything is held against.
#include "profiles/readers/sqlite/sqlite_rows.hpp"

#include <atomic>
#include <random>

#include "profiles/readers/sqlite/sqlite_pages.hpp"
#include "tests/profiles/fixture.hpp"

namespace plumbline::profiles::test {
namespace {

using Table = std::vector<std::vector<std::string>>;

struct Read {
  bool whole = false, over_pages = false;
  Table rows;
  std::string error;
};

Read rows_of(const std::string& path, const std::string& table, const std::vector<std::string_view>& columns, RowSource source) {
  Read read;
  auto database = Database::open(path, {}, {});
  if (!database) {
    read.error = database.error().message;
    return read;
  }
  RowScan scan;
  scan.columns = columns;
  scan.source = source;
  scan.over_pages = &read.over_pages;
  scan.rows = [&](const RowBatch& batch) -> core::Status {
    for (std::size_t i = 0; i < batch.size(); ++i) {
      std::vector<std::string>& cells = read.rows.emplace_back();
      for (std::size_t column = 0; column < columns.size(); ++column) {
        const auto number = batch[i].integer(column);
        cells.push_back(number                 ? "i" + std::to_string(*number)
                        : batch[i].has(column) ? "t" + std::string(batch[i].text(column))
                                               : "-");
      }
    }
    return {};
  };
  const auto done = scan_rows(*database, table, scan);
  read.whole = done && *done;
  if (!done) read.error = done.error().message;
  return read;
}

void expect_alike(const std::string& path, const std::string& table, const std::vector<std::string_view>& columns,
                  bool over_pages, std::size_t rows) {
  const Read mine = rows_of(path, table, columns, RowSource::pages_where_possible);
  const Read sqlite = rows_of(path, table, columns, RowSource::sqlite);
  EXPECT_TRUE(mine.whole) << mine.error;
  EXPECT_TRUE(sqlite.whole) << sqlite.error;
  EXPECT_EQ(mine.over_pages, over_pages);
  EXPECT_FALSE(sqlite.over_pages);
  EXPECT_EQ(sqlite.rows.size(), rows);
  EXPECT_TRUE(mine.rows == sqlite.rows);
}

// i counts from 1.
std::string filled(const std::string& table, int rows, const std::string& values) {
  return "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i < " + std::to_string(rows) + ") INSERT INTO " +
         table + " SELECT " + values + " FROM n;";
}

struct RowsCase {
  const char* name;
  std::string sql;
  std::vector<std::string_view> columns;
  bool over_pages;
  std::size_t rows;
};
class SqliteRows : public ::testing::TestWithParam<RowsCase> {};
TEST_P(SqliteRows, AreTheSameBothWays) {
  Scratch scratch;
  run_sql(scratch / "x.sqlite", GetParam().sql);
  expect_alike(scratch / "x.sqlite", "t", GetParam().columns, GetParam().over_pages, GetParam().rows);
}
INSTANTIATE_TEST_SUITE_P(
    Kinds, SqliteRows,
    ::testing::Values(
        RowsCase{"integers_of_every_size",
                 "CREATE TABLE t (a INTEGER, b INTEGER); INSERT INTO t VALUES (0,1),(1,0),(-1,127),(128,-128),(-129,32767),"
                 "(32768,-32769),(8388607,-8388608),(8388608,-8388609),(2147483647,-2147483648),(2147483648,-2147483649),"
                 "(140737488355327,-140737488355328),(140737488355328,-140737488355329),(9223372036854775807,"
                 "-9223372036854775808),(NULL,NULL);",
                 {"b", "a"},
                 true,
                 14},
        RowsCase{"values_of_other_kinds",
                 "CREATE TABLE t (a INTEGER, b TEXT, c); INSERT INTO t VALUES ('word','',1.5),(1.5,x'00ff','x'),(x'',5,NULL),"
                 "(NULL,NULL,x'6162'),('17','17','17'),(2.0,2.0,2.0);",
                 {"a", "b", "c"},
                 true,
                 6},
        RowsCase{"a_column_that_is_not_there", "CREATE TABLE t (a); INSERT INTO t VALUES (1),(2);", {"b", "a", "c"}, true, 2},
        RowsCase{"no_column_at_all", "CREATE TABLE t (a); INSERT INTO t VALUES (1),(2);", {"b"}, true, 2},
        RowsCase{"an_empty_table", "CREATE TABLE t (a);", {"a"}, true, 0},
        RowsCase{"row_ids_as_keys",
                 "CREATE TABLE t (v TEXT, id INTEGER PRIMARY KEY); INSERT INTO t(id,v) VALUES (-5,'a'),(7,'b'),"
                 "(9223372036854775807,'c'),(-9223372036854775808,'d');",
                 {"id", "v"},
                 true,
                 4},
        RowsCase{"keys_counted_up",
                 "CREATE TABLE t (id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, v); " + filled("t(v)", 3000, "i*i"),
                 {"v", "id"},
                 true,
                 3000},
        RowsCase{"names_of_the_row_id_taken",
                 "CREATE TABLE t (rowid TEXT, oid); INSERT INTO t(rowid, oid) VALUES ('a', 1),('b', 2);",
                 {"rowid", "oid"},
                 true,
                 2},
        RowsCase{"all_names_of_the_row_id_taken",
                 "CREATE TABLE t (rowid, oid, _ROWID_); INSERT INTO t VALUES (3, 1, 2),(4, 2, 3);",
                 {"rowid", "oid"},
                 false,
                 2},
        RowsCase{"rows_without_ids",
                 "CREATE TABLE t (a INTEGER PRIMARY KEY, b) WITHOUT ROWID; " + filled("t", 500, "i, -i"),
                 {"b", "a"},
                 false,
                 500},
        RowsCase{"whole_numbers_in_real_columns",
                 "CREATE TABLE t (a REAL, b FLOATING POINT, c INTEGER); INSERT INTO t VALUES (5, 6, 7),(5.5, 6.5, 8);",
                 {"a", "b", "c"},
                 false,
                 2},
        RowsCase{"real_columns_that_nobody_wants",
                 "CREATE TABLE t (a REAL, c INTEGER); INSERT INTO t VALUES (5, 7),(5.5, 8);",
                 {"c"},
                 true,
                 2},
        RowsCase{"generated_columns",
                 "CREATE TABLE t (a, b AS (a * 2), c); INSERT INTO t VALUES (1, 2),(3, 4);",
                 {"c", "b"},
                 false,
                 2},
        RowsCase{"texts_over_many_pages",
                 "CREATE TABLE t (a, b, c); " + filled("t", 60, "i, replace(hex(zeroblob(i * 400)), '0', 'x') || i, -i"),
                 {"c", "b", "a"},
                 true,
                 60},
        RowsCase{"long_headers",
                 "CREATE TABLE t (a, b, c); " + filled("t", 30, "replace(hex(zeroblob(9000)), '0', 'y'), i, 'z'"),
                 {"b", "c"},
                 true,
                 30},
        RowsCase{"pages_of_512_bytes",
                 "PRAGMA page_size=512; CREATE TABLE t (a, b); " + filled("t", 20000, "i * 77, 'n' || i"),
                 {"a", "b"},
                 true,
                 20000},
        RowsCase{"pages_of_64_KiB",
                 "PRAGMA page_size=65536; CREATE TABLE t (a, b); " + filled("t", 60000, "i * 77, 'n' || i"),
                 {"a", "b"},
                 true,
                 60000},
        RowsCase{"pages_with_a_map_of_pointers",
                 "PRAGMA auto_vacuum=FULL; CREATE TABLE t (a, b); " + filled("t", 9000, "i * 77, 'n' || i"),
                 {"a"},
                 true,
                 9000},
        RowsCase{"other_tables_pages_in_between",
                 "CREATE TABLE t (a, b); CREATE TABLE u (a); " + filled("t", 5000, "i, 'first'") +
                     filled("u", 90000, "'u' || i") + filled("t", 9000, "-i, 'again'") + filled("u", 300, "i") +
                     filled("t", 70000, "i * 3, i || 'x'"),
                 {"a", "b"},
                 true,
                 84000},
        RowsCase{"rows_that_went",
                 "CREATE TABLE t (a, b); " + filled("t", 30000, "i, 'some text ' || i") +
                     "DELETE FROM t WHERE a % 3 = 0 OR a BETWEEN 9000 AND 12000; UPDATE t SET b = b || b WHERE a % 7 = 0;" +
                     filled("t", 999, "i, i"),
                 {"b", "a"},
                 true,
                 18000 + 999},
        RowsCase{"text_in_sixteen_bits",
                 "PRAGMA encoding='UTF-16'; CREATE TABLE t (a, b); INSERT INTO t VALUES (1, 'word');",
                 {"a", "b"},
                 false,
                 1},
        RowsCase{"made_for_a_log_that_is_gone",
                 "PRAGMA journal_mode=WAL; CREATE TABLE t (a); INSERT INTO t VALUES (1),(2);",
                 {"a"},
                 true,
                 2}),
    [](const auto& each) { return each.param.name; });

TEST(SqlitePages, AColumnThatCameLaterIsLeftToSqlite) {
  Scratch scratch;
  const std::string path = scratch / "x.sqlite";
  run_sql(path,
          "CREATE TABLE t (a); INSERT INTO t VALUES (1),(2); ALTER TABLE t ADD COLUMN b INTEGER DEFAULT 7; "
          "INSERT INTO t VALUES (3, 4);");
  const Read mine = rows_of(path, "t", {"b"}, RowSource::pages_where_possible);
  EXPECT_TRUE(mine.over_pages);
  EXPECT_FALSE(mine.whole);
  EXPECT_EQ(mine.error, "");
  const Read sqlite = rows_of(path, "t", {"b"}, RowSource::sqlite);
  EXPECT_EQ(sqlite.rows, (Table{{"i7"}, {"i7"}, {"i4"}}));
  expect_alike(path, "t", {"a"}, true, 3);
}

TEST(SqlitePages, AKeyThatLooksLikeTheRowIdAndIsNot) {
  Scratch scratch;
  const std::string path = scratch / "x.sqlite";
  run_sql(path, "CREATE TABLE t (a INTEGER PRIMARY KEY DESC, b); INSERT INTO t VALUES (5, 'x'),(3, 'y');");
  EXPECT_FALSE(rows_of(path, "t", {"a"}, RowSource::pages_where_possible).whole);
}

TEST(SqlitePages, ALogOrJournalBesideTheFileIsLeftToSqlite) {
  for (const char* beside : {"-wal", "-journal"}) {
    Scratch scratch;
    const std::string path = scratch / "x.sqlite";
    run_sql(path, "CREATE TABLE t (a); INSERT INTO t VALUES (1),(2);");
    scratch.write(std::string("x.sqlite") + beside, "something");
    expect_alike(path, "t", {"a"}, false, 2);
  }
}

TEST(SqlitePages, BytesReservedOnEveryPageAreLeftToSqlite) {
  Scratch scratch;
  const std::string path = scratch / "x.sqlite";
  sqlite3* db = nullptr;
  ASSERT_EQ(sqlite3_open(path.c_str(), &db), SQLITE_OK);
  int reserved = 32;
  ASSERT_EQ(sqlite3_file_control(db, "main", SQLITE_FCNTL_RESERVE_BYTES, &reserved), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(db, "CREATE TABLE t (a); INSERT INTO t VALUES (1),(2);", nullptr, nullptr, nullptr), SQLITE_OK);
  sqlite3_close(db);
  expect_alike(path, "t", {"a"}, false, 2);
}

TEST(SqlitePages, AnErrorOfTheConsumerEndsTheScanWhereverItComesFrom) {
  Scratch scratch;
  const std::string path = scratch / "x.sqlite";
  run_sql(path, "CREATE TABLE t (a, b); " + filled("t", 150000, "i, 'some text to fill the pages'"));
  for (const std::int64_t last : {1, 40000, 149999}) {
    auto database = Database::open(path, {}, {});
    ASSERT_TRUE(database);
    RowScan scan;
    scan.columns = {"a"};
    std::int64_t seen = 0;
    scan.rows = [&](const RowBatch& batch) -> core::Status {
      for (std::size_t i = 0; i < batch.size(); ++i) {
        if (batch[i].integer(0) != ++seen) return core::fail(core::ErrorCode::internal, "out of order");
        if (seen == last) return core::fail(core::ErrorCode::invalid_input, "enough");
      }
      return {};
    };
    const auto done = scan_rows(*database, "t", scan);
    ASSERT_FALSE(done);
    EXPECT_EQ(done.error().message, "enough");
    EXPECT_EQ(seen, last);
  }
}

TEST(SqlitePages, AStopAskedForMidwayIsHeard) {
  Scratch scratch;
  const std::string path = scratch / "x.sqlite";
  run_sql(path, "CREATE TABLE t (a, b); " + filled("t", 150000, "i, 'some text to fill the pages'"));
  std::atomic<bool> stop{false};
  auto database = Database::open(path, {}, [&] { return stop.load(); });
  ASSERT_TRUE(database);
  RowScan scan;
  scan.columns = {"a"};
  scan.rows = [&](const RowBatch&) -> core::Status {
    stop = true;
    return {};
  };
  const auto done = scan_rows(*database, "t", scan);
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().code, core::ErrorCode::cancelled);
}

// Bytes changed at random in a sound file: the pages say "unusual", or what SQLite says.
TEST(SqlitePages, DamageNeverGivesRowsThatSqliteDoesNotSee) {
  Scratch scratch;
  const std::string path = scratch / "x.sqlite";
  run_sql(path, "PRAGMA page_size=512; CREATE TABLE t (id INTEGER PRIMARY KEY, a INTEGER, b TEXT); " +
                    filled("t", 400, "i * 2, i * 977, CASE i % 50 WHEN 0 THEN hex(zeroblob(700)) ELSE 'n' || i END"));
  std::ifstream in(path, std::ios::binary);
  const std::string sound((std::istreambuf_iterator<char>(in)), {});
  std::mt19937 random(20240607);
  int answered = 0;
  int unusual = 0;
  for (int round = 0; round < 600; ++round) {
    std::string damaged = sound;
    for (unsigned change = 0; change <= random() % 3; ++change) {
      damaged[512 + random() % (damaged.size() - 512)] = static_cast<char>(random());
    }
    scratch.write("y.sqlite", damaged);
    const Read mine = rows_of(scratch / "y.sqlite", "t", {"b", "id", "a"}, RowSource::pages_where_possible);
    const Read sqlite = rows_of(scratch / "y.sqlite", "t", {"b", "id", "a"}, RowSource::sqlite);
    if (!mine.whole || !mine.over_pages) {
      ++unusual;
      continue;
    }
    ++answered;
    EXPECT_TRUE(sqlite.whole) << round << " " << sqlite.error;
    EXPECT_TRUE(mine.rows == sqlite.rows) << round;
  }
  EXPECT_GT(answered, 100);
  EXPECT_GT(unusual, 50);
}

TEST(SqlitePages, AFormatThatIsNotPlainIsNotRead) {
  Scratch scratch;
  const std::string path = scratch / "x.sqlite";
  run_sql(path, "CREATE TABLE t (a);");
  std::ifstream in(path, std::ios::binary);
  const std::string file((std::istreambuf_iterator<char>(in)), {});
  const auto changed = [&](std::size_t at, char to) {
    std::string copy = file.substr(0, 100);
    copy[at] = to;
    return page_format(copy, file.size());
  };
  const auto sound = page_format(file.substr(0, 100), file.size());
  ASSERT_TRUE(sound);
  EXPECT_EQ(sound->page_size, 4096U);
  EXPECT_EQ(sound->pages, 2U);
  EXPECT_FALSE(page_format(file.substr(0, 99), file.size()));
  EXPECT_FALSE(page_format(file.substr(0, 100), file.size() - 1));
  EXPECT_FALSE(changed(0, 's'));
  EXPECT_FALSE(changed(17, 1));    // a page size that is no power of two
  EXPECT_FALSE(changed(18, 3));    // a later version
  EXPECT_FALSE(changed(20, 8));    // bytes reserved
  EXPECT_FALSE(changed(21, 65));   // other fractions
  EXPECT_FALSE(changed(59, 2));    // UTF-16
  EXPECT_FALSE(changed(27, 100));  // counters that differ: the number of pages is not kept
}

}  // namespace
}  // namespace plumbline::profiles::test
