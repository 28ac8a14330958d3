-- The packed record of an entry has a text more: what was kept before is derived again, which whoever brings the tables up to date
-- goes on with.
TRUNCATE plumbline.entries, plumbline.points;
