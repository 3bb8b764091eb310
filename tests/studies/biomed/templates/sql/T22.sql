-- Whether p of an SNP is below 5e-8, and p.
SELECT nr, SNP AS snp, p < 5e-8 AS yes,
       said([one('verdict', '', CASE WHEN p < 5e-8 THEN 'yes' ELSE 'no' END), one('p', SNP, sci2(p)),
             one('study', '', ad_study())]) AS facts
FROM ad WHERE p IS NOT NULL
QUALIFY row_number() OVER (PARTITION BY SNP ORDER BY nr) = 1;
