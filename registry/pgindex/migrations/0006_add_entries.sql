-- Entries with their values, in one statement. As a function its plan is made once for a connection and not for each call, which takes
-- longer than the rest. Dimensions are looked up by what names them; one that is not there yet makes a NULL, which no column takes.
-- Rows go in in one order, so that two who add the same never wait for each other.
CREATE FUNCTION plumbline.add_entries(
  text[], text[], text[], text[], timestamptz[], text[], bytea[], text[], text[], text[], float8[], text[], text[], text[], text[],
  bytea[], text[], text[], int[], bigint[], bytea[], float8[], int[], float8[]) RETURNS bigint LANGUAGE plpgsql
SET search_path = plumbline, pg_temp SET plan_cache_mode = force_generic_plan SET jit = off AS $$
DECLARE
  count_added bigint;
BEGIN
  WITH given AS (
    SELECT g.*, m.id AS measurement_id FROM unnest($1, $2, $3, $4, $5, $6,
      $7, $8, $9, $10, $11, $12, $13, $14, $15,
      $16, $17, $18, $19)
      WITH ORDINALITY AS g(family, measurement, slug, measured, at, entry_sha256, context, tier, shape, format, value, unit, label,
      notes, git_commit, record, words, keys, left_out, no)
    LEFT JOIN measurements m ON m.family = g.family AND m.measurement = g.measurement
  ), added AS (
    INSERT INTO entries(measurement_id, slug, measured, at, entry_sha256, context_id, tier, shape, format, value, unit, label, notes,
      git_commit, record, words, keys, points_left_out)
    SELECT g.measurement_id, g.slug, g.measured, g.at, g.entry_sha256, c.id, g.tier, g.shape, g.format, g.value, g.unit, g.label,
      g.notes, g.git_commit, g.record, g.words, string_to_array(g.keys, E'\x1f'), g.left_out
    FROM given g LEFT JOIN contexts c ON c.sha256 = g.context
    ORDER BY g.measurement_id, g.slug
    ON CONFLICT (measurement_id, slug) DO NOTHING
    RETURNING id, measurement_id, slug, at
  ), pointed AS (
    INSERT INTO points(series_id, at, entry_id, value, n, sd)
    SELECT s.id, a.at, a.id, p.value, p.n, p.sd
    FROM unnest($20, $21, $22, $23, $24) AS p(no, series, value, n, sd)
    JOIN given g ON g.no = p.no
    JOIN added a ON a.measurement_id = g.measurement_id AND a.slug = g.slug
    LEFT JOIN series s ON s.measurement_id = g.measurement_id AND s.sha256 = p.series
    RETURNING 1
  )
  SELECT count(*) FROM added INTO count_added;
  RETURN count_added;
END $$;
