-- Whether a drug is approved for a disease, with the year of its first approval; else the phase that it reached.
SELECT nr, drug, disease, coalesce(phase = 4, false) AS yes,
       said([one('verdict', '', CASE WHEN phase = 4 THEN 'yes' ELSE 'no' END),
             one('year', drug, CASE WHEN phase = 4 THEN year END),
             one('phase', drug, CASE WHEN phase < 4 THEN phase_text(phase) END)]) AS facts
FROM treatments;
