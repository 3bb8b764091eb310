-- The highest phase of a drug.
SELECT nr, drug, NULL::BOOLEAN AS yes, said([one('phase', drug, phase_text(phase))]) AS facts
FROM drugs WHERE phase IS NOT NULL;
