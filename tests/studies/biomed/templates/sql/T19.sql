-- The effect of an SNP, counted for the allele that is rarer.
SELECT nr, SNP AS snp, NULL::BOOLEAN AS yes,
       said([one('b', SNP, sci4(b)), one('effect allele', SNP, A1), one('study', '', pd_study())]) AS facts
FROM pd WHERE b IS NOT NULL
QUALIFY row_number() OVER (PARTITION BY SNP ORDER BY nr) = 1;
