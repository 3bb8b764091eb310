-- Whether a drug is approved, and since when; else how far it came.
SELECT nr, drug, status = 'approved' AS yes,
       said([one('verdict', '', CASE WHEN status = 'approved' THEN 'yes' ELSE 'no' END),
             one('year', drug, CASE WHEN status = 'approved' THEN year END),
             one('status', drug, CASE WHEN status = 'withdrawn' THEN status END),
             one('phase', drug, CASE WHEN status = 'trial' THEN phase_text(phase) END)]) AS facts
FROM statuses;
