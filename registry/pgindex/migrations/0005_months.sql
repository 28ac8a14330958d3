-- A new month is made beside the table and then attached, which waits for no reader and lets none wait. One that was detached comes
-- back when a value falls into it. Whoever cannot have the lock soon gives up: the entry is published, and told later.
CREATE OR REPLACE FUNCTION plumbline.make_month(moment timestamptz) RETURNS void LANGUAGE plpgsql
SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET lock_timeout = '3s' AS $$
DECLARE
  first timestamp := date_trunc('month', moment AT TIME ZONE 'UTC');
  name text := 'points_' || to_char(first, 'YYYY_MM');
BEGIN
  IF first < '2000-01-01' OR first >= '2100-01-01' THEN RETURN; END IF;
  IF EXISTS (SELECT FROM pg_inherits WHERE inhparent = 'plumbline.points'::regclass AND inhrelid = to_regclass('plumbline.' || name)) THEN
    RETURN;
  END IF;
  -- One after the other; a lock of the table itself, so that what the one before made is seen.
  LOCK TABLE plumbline.points IN SHARE UPDATE EXCLUSIVE MODE;
  IF EXISTS (SELECT FROM pg_inherits WHERE inhparent = 'plumbline.points'::regclass AND inhrelid = to_regclass('plumbline.' || name)) THEN
    RETURN;
  END IF;
  IF to_regclass('plumbline.' || name) IS NULL THEN
    EXECUTE format('CREATE TABLE plumbline.%I (LIKE plumbline.points)', name);
  END IF;
  EXECUTE format('ALTER TABLE plumbline.points ATTACH PARTITION plumbline.%I FOR VALUES FROM (%L) TO (%L)', name,
                 first AT TIME ZONE 'UTC', (first + interval '1 month') AT TIME ZONE 'UTC');
END $$;
