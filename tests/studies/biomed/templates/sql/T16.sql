-- The SNP of least p in a tissue and a disease, of the significant ones with p_HEIDI above 0.01.
WITH ranked AS (
    FROM smr WHERE heidi > 0.01 AND p < 2.95e-6
    QUALIFY row_number() OVER (PARTITION BY tissue, disease ORDER BY p, snp, nr) = 1)
SELECT nr, tissue, disease, NULL::BOOLEAN AS yes,
       said([one('SNP', tissue, snp), one('gene', snp, gene), one('p', snp, sci2(p)), one('HEIDI', snp,
           sci4(heidi))]) AS facts
FROM ranked;
