-- The extension was made in our schema once, and would go with it, and other people's indexes with that. Who may not move it is told
-- so when he drops the schema.
DO $$
BEGIN
  IF EXISTS (SELECT FROM pg_extension WHERE extname = 'pg_trgm' AND extnamespace = 'plumbline'::regnamespace) THEN
    ALTER EXTENSION pg_trgm SET SCHEMA public;
  END IF;
EXCEPTION WHEN insufficient_privilege THEN
  RAISE NOTICE 'pg_trgm stays where it is: %', SQLERRM;
END $$;
