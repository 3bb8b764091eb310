-- SNPs of a gene with p below 5e-8, one entry an SNP, by p and then by its text.
WITH hits AS (
    FROM ad_genes WHERE p < 5e-8
    QUALIFY row_number() OVER (PARTITION BY gene, SNP ORDER BY p, nr) = 1),
found AS (
    SELECT gene, count(*) AS n, list(SNP ORDER BY p, SNP) AS snps, list(sci2(p) ORDER BY p, SNP) AS ps,
           list(sci4(b) ORDER BY p, SNP) AS bs
    FROM hits GROUP BY gene),
asked AS (SELECT gene, min(nr) AS first FROM ad_genes WHERE p IS NOT NULL GROUP BY gene)
SELECT (first, gene) AS nr, gene, n IS NOT NULL AS yes,
       said([one('verdict', '', CASE WHEN n > 0 THEN 'yes' ELSE 'no' END), one('study', '', ad_study()),
             one('number of SNPs', gene, n), many('SNPs', gene, snps)]
            || list_transform(coalesce(snps, [])[:10], lambda s, i: one('p', s, ps[i]))
            || list_transform(coalesce(snps, [])[:10], lambda s, i: one('b', s, bs[i]))) AS facts
FROM asked LEFT JOIN found USING (gene);
