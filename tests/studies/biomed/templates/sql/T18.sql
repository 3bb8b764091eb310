-- Whether a drug has a black-box warning; no question where no row says so either way.
SELECT nr, drug, warned AS yes, said([one('verdict', '', CASE WHEN warned THEN 'yes' ELSE 'no' END)]) AS facts
FROM drugs WHERE warned IS NOT NULL;
