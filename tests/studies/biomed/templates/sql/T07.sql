-- What a drug is approved for, else the highest phase that it reached; no question where neither is known.
WITH d AS (
    SELECT drug, min(nr) AS nr, max(phase) AS phase,
           coalesce(list(disease ORDER BY lower(disease), disease) FILTER (phase = 4), []) AS approved
    FROM treatments GROUP BY drug)
SELECT nr, drug, NULL::BOOLEAN AS yes,
       CASE WHEN len(approved) > 0
            THEN said([counted('approved uses', drug, approved), many('approved uses', drug, approved)])
            ELSE said([one('number of approved uses', drug, 0), one('phase', drug, phase_text(phase))]) END AS facts
FROM d WHERE len(approved) > 0 OR phase IS NOT NULL;
