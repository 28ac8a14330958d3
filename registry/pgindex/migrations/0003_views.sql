-- What dashboards and people ask for: these names and columns stay.

CREATE VIEW plumbline.entry_list AS
  SELECT m.family, m.measurement, e.slug, e.at, e.entry_sha256, e.tier, e.shape, e.format, e.value, e.unit, e.label, e.notes,
         e.git_commit, c.context
  FROM plumbline.entries e
  JOIN plumbline.measurements m ON m.id = e.measurement_id
  JOIN plumbline.contexts c ON c.id = e.context_id;

CREATE VIEW plumbline.series_list AS
  SELECT s.id AS series_id, m.family, m.measurement, s.key, s.unit, s.direction
  FROM plumbline.series s JOIN plumbline.measurements m ON m.id = s.measurement_id;

CREATE VIEW plumbline.verdict_list AS
  SELECT m.family, m.measurement, b.slug, b.at, b.kind, b.verdict, b.tier, b.label, b.baseline_slug, b.bundle_sha256, b.reasons,
         b.reason
  FROM plumbline.bundles b JOIN plumbline.measurements m ON m.id = b.measurement_id;

CREATE VIEW plumbline.acceptance_list AS
  SELECT m.family, m.measurement, a.seq, a.slug, a.at, a.accepted_by, a.reason
  FROM plumbline.acceptances a JOIN plumbline.measurements m ON m.id = a.measurement_id;
