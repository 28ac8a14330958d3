-- Words are looked for anywhere in a text, as `plumbline search` does: trigrams find them. Without the extension (it comes with
-- PostgreSQL's own additional modules) a search reads the column instead. It stands in nobody's schema: others may use it, too, and
-- ours may be dropped.
DO $$
DECLARE
  home text;
BEGIN
  BEGIN
    CREATE EXTENSION IF NOT EXISTS pg_trgm SCHEMA public;
  EXCEPTION WHEN OTHERS THEN
    RAISE NOTICE 'pg_trgm is not to be had: %', SQLERRM;
  END;
  SELECT n.nspname INTO home FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace WHERE e.extname = 'pg_trgm';
  IF home IS NULL THEN RETURN; END IF;
  EXECUTE format('CREATE INDEX entries_by_word ON plumbline.entries USING gin (words %I.gin_trgm_ops)', home);
  EXECUTE format('CREATE INDEX bundles_by_word ON plumbline.bundles USING gin (words %I.gin_trgm_ops)', home);
END $$;
