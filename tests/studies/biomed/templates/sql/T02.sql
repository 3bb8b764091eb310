-- Frequencies of both alleles of an SNP; the rarer one is the effect allele. Unrounded as facts; printed with three
-- decimals, half to even, so that both add up to 1.
WITH exact AS (SELECT *, freq::VARCHAR::DECIMAL(38, 20) AS f FROM pd WHERE freq IS NOT NULL
    QUALIFY row_number() OVER (PARTITION BY SNP ORDER BY nr) = 1),
halves AS (SELECT *, floor(f * 1000) AS whole, f * 1000 - floor(f * 1000) AS rest FROM exact),
printed AS (
    SELECT *, ((whole + CASE WHEN rest > 0.5 OR (rest = 0.5 AND whole % 2 = 1) THEN 1 ELSE 0 END) / 1000)::DECIMAL(6,
        3) AS own
    FROM halves)
SELECT nr, SNP AS snp, NULL::BOOLEAN AS yes,
       said([one('frequency', A1, freq), one('other frequency', A2, 1 - f), one('effect allele', SNP, A1),
             one('other allele', SNP, A2), one('study', '', pd_study())]) AS facts,
       [own::VARCHAR, (1 - own)::DECIMAL(6, 3)::VARCHAR] AS printed
FROM printed;
