-- SNPs of a gene with p below 5e-8 and a rarer allele that raises the risk, one entry an SNP, by p and then by its
-- text.
WITH hits AS (
    FROM pd_genes WHERE p < 5e-8 AND b > 0
    QUALIFY row_number() OVER (PARTITION BY gene, SNP ORDER BY p, nr) = 1),
found AS (
    SELECT gene, count(*) AS n, list(SNP ORDER BY p, SNP) AS snps, list(p ORDER BY p, SNP) AS ps,
           list(b ORDER BY p, SNP) AS bs
    FROM hits GROUP BY gene),
asked AS (SELECT gene, min(nr) AS first FROM pd_genes WHERE p IS NOT NULL GROUP BY gene)
SELECT (first, gene) AS nr, gene, n IS NOT NULL AS yes,
       said([one('verdict', '', CASE WHEN n > 0 THEN 'yes' ELSE 'no' END), one('study', '', pd_study()),
             one('number of SNPs', gene, n), many('SNPs', gene, snps)]
            || list_transform(coalesce(snps, [])[:10], lambda s, i: one('p', s, ps[i]))
            || list_transform(coalesce(snps, [])[:10], lambda s, i: one('b', s, bs[i]))) AS facts,
       list_transform(coalesce(ps, [])[:10], lambda x: sci2(x::DOUBLE)) AS printed
FROM asked LEFT JOIN found USING (gene);
