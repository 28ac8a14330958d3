-- What a registry holds, derived from it: every row can be made again by `plumbline index rebuild`.

-- Which registry: one row. Nothing of another one is added or believed.
CREATE TABLE plumbline.origin (
  only_one boolean PRIMARY KEY DEFAULT true CHECK (only_one),
  address text NOT NULL
);

CREATE TABLE plumbline.measurements (
  id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  family text COLLATE "C" NOT NULL,
  measurement text COLLATE "C" NOT NULL,
  UNIQUE (family, measurement)
);

-- One row for each context that any entry has; `packed` is what the program compares, `context` what people ask for.
CREATE TABLE plumbline.contexts (
  id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  sha256 bytea NOT NULL UNIQUE,
  packed bytea NOT NULL,
  context jsonb NOT NULL
);
CREATE INDEX contexts_by_value ON plumbline.contexts USING gin (context jsonb_path_ops);

-- sha256 is over key, unit and direction: a key may be longer than an index takes.
CREATE TABLE plumbline.series (
  id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  measurement_id int NOT NULL REFERENCES plumbline.measurements,
  sha256 bytea NOT NULL,
  key text COLLATE "C" NOT NULL,
  unit text NOT NULL,
  direction text NOT NULL,
  UNIQUE (measurement_id, sha256)
);

CREATE TABLE plumbline.entries (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  measurement_id int NOT NULL REFERENCES plumbline.measurements,
  slug text COLLATE "C" NOT NULL,
  measured text COLLATE "C" NOT NULL, -- where it stands among the others: its slug, or what it would be of when it was measured
  at timestamptz NOT NULL,            -- the same as a time
  entry_sha256 text NOT NULL,         -- '' for entries of the reference tool
  context_id int NOT NULL REFERENCES plumbline.contexts,
  tier text NOT NULL,
  shape text NOT NULL,
  format text NOT NULL,
  value double precision,
  unit text NOT NULL,
  label text NOT NULL,
  notes text NOT NULL,
  git_commit text NOT NULL,
  record bytea NOT NULL,              -- the part of baseline.json that lists ask for
  words text NOT NULL,                -- what `search` looks through, in lower case
  keys text[] NOT NULL,
  points_left_out int NOT NULL,
  UNIQUE (measurement_id, slug)
);
CREATE INDEX entries_by_context ON plumbline.entries (measurement_id, context_id, measured DESC, slug DESC);
CREATE INDEX entries_by_time ON plumbline.entries (at);

-- One value of one series: the median of the trials. Never asked by entry without its time.
CREATE TABLE plumbline.points (
  series_id int NOT NULL,
  at timestamptz NOT NULL,
  entry_id bigint NOT NULL,
  value double precision NOT NULL,
  n int NOT NULL,
  sd double precision
) PARTITION BY RANGE (at);
CREATE INDEX points_by_series ON plumbline.points (series_id, at) INCLUDE (value, n, sd, entry_id);

-- Months are made when a point falls into one. What lies outside of this century has two partitions of its own.
CREATE TABLE plumbline.points_before PARTITION OF plumbline.points FOR VALUES FROM (MINVALUE) TO ('2000-01-01 00:00:00+00');
CREATE TABLE plumbline.points_after PARTITION OF plumbline.points FOR VALUES FROM ('2100-01-01 00:00:00+00') TO (MAXVALUE);

-- With its owner's rights, so that who may only add can add in a new month.
CREATE FUNCTION plumbline.make_month(moment timestamptz) RETURNS void LANGUAGE plpgsql
SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  first timestamp := date_trunc('month', moment AT TIME ZONE 'UTC');
  name text := 'points_' || to_char(first, 'YYYY_MM');
BEGIN
  IF first < '2000-01-01' OR first >= '2100-01-01' OR to_regclass('plumbline.' || name) IS NOT NULL THEN RETURN; END IF;
  -- One after the other; a lock of the table itself, so that what the one before made is seen.
  LOCK TABLE plumbline.points IN SHARE UPDATE EXCLUSIVE MODE;
  IF to_regclass('plumbline.' || name) IS NOT NULL THEN RETURN; END IF;
  EXECUTE format('CREATE TABLE plumbline.%I PARTITION OF plumbline.points FOR VALUES FROM (%L) TO (%L)', name,
                 first AT TIME ZONE 'UTC', (first + interval '1 month') AT TIME ZONE 'UTC');
END $$;

CREATE TABLE plumbline.bundles (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  measurement_id int NOT NULL REFERENCES plumbline.measurements,
  slug text COLLATE "C" NOT NULL,
  at timestamptz NOT NULL,
  bundle_sha256 text NOT NULL,
  kind text NOT NULL, -- diff, profile-diff, outliers
  verdict text NOT NULL,
  tier text NOT NULL,
  label text NOT NULL,
  baseline_slug text NOT NULL,
  reasons text[] NOT NULL, -- codes, in order of weight
  reason text NOT NULL,    -- the first one's sentence
  words text NOT NULL,
  keys text[] NOT NULL,
  UNIQUE (measurement_id, slug)
);
CREATE INDEX bundles_by_time ON plumbline.bundles (at);
CREATE INDEX bundles_by_verdict ON plumbline.bundles (verdict, at);

CREATE TABLE plumbline.acceptances (
  measurement_id int NOT NULL REFERENCES plumbline.measurements,
  seq bigint NOT NULL,
  slug text COLLATE "C" NOT NULL,
  entry_sha256 text NOT NULL,
  reason text NOT NULL,
  at timestamptz NOT NULL,
  accepted_by text NOT NULL,
  PRIMARY KEY (measurement_id, seq)
);
