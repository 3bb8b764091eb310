-- The tree of 2.2: the targets and the status of a drug.
SELECT nr, type AS molecule_type, drug, NULL::BOOLEAN AS yes,
       said([CASE WHEN len(targets) != 1 THEN one('number of targets', drug, len(targets)) END, many('targets', drug,
           targets),
             one('status', drug, CASE status WHEN 'trial' THEN 'in clinical trials'
                 WHEN 'none' THEN 'no clinical trial' ELSE status END),
             one('phase', drug, CASE WHEN status IN ('approved', 'trial') THEN phase_text(phase) END),
             one('year', drug, CASE WHEN status = 'approved' THEN year END)]) AS facts
FROM (SELECT unnest(types) AS type, drug FROM cards) JOIN statuses USING (drug);
