-- The SNP of least p of a gene in a kind of data and a disease, and whether it is functionally significant.
WITH ranked AS (
    FROM smr WHERE p IS NOT NULL
    QUALIFY row_number() OVER (PARTITION BY gene, omic_type, disease ORDER BY p, snp, nr) = 1)
SELECT nr, gene, omic_type, disease, coalesce(p < 2.95e-6 AND heidi > 0.01, false) AS yes,
       said([one('verdict', '', CASE WHEN p < 2.95e-6 AND heidi > 0.01 THEN 'yes' ELSE 'no' END), one('SNP', gene,
           snp),
             one('p', snp, sci2(p)), one('HEIDI', snp, sci4(heidi))]) AS facts
FROM ranked;
