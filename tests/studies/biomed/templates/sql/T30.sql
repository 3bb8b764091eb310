-- The significant SNP of least p of a gene in a kind of data and a disease; strict mode asks for p_HEIDI above 0.01.
WITH ranked AS (
    FROM smr WHERE p < 2.95e-6 AND (getvariable('mode') = 'paper' OR heidi > 0.01)
    QUALIFY row_number() OVER (PARTITION BY gene, omic_type, disease ORDER BY p, snp, nr) = 1)
SELECT nr, gene, omic_type, disease, NULL::BOOLEAN AS yes,
       said([one('SNP', gene, snp), one('p', snp, sci2(p)), one('HEIDI', snp, sci4(heidi))]) AS facts
FROM ranked;
