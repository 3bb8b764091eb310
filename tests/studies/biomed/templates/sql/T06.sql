-- The genes that a drug targets where it is used for a disease, and how far it came there.
SELECT nr, drug, disease, NULL::BOOLEAN AS yes,
       said([counted('targets', drug, genes), many('targets', drug, genes),
             one('status', drug, CASE WHEN phase = 4 THEN 'approved' WHEN phase < 4 THEN 'in clinical trials' END),
             one('phase', drug, CASE WHEN phase < 4 THEN phase_text(phase) END)]) AS facts
FROM treatments WHERE len(genes) > 0;
