-- SNPs and tissues of a gene in Alzheimer's disease by SMR: p below 2.95e-6, no test for heterogeneity.
WITH hits AS (
    FROM smr WHERE disease = 'AD' AND p < 2.95e-6
    QUALIFY row_number() OVER (PARTITION BY gene, snp, tissue ORDER BY p, nr) = 1),
each_snp AS (
    SELECT gene, snp, min(p) AS least, list(tissue ORDER BY p, tissue) AS tissues,
           list({'tissue': tissue, 'p': p, 'heidi': heidi} ORDER BY p, tissue) AS signals
    FROM hits GROUP BY gene, snp),
found AS (
    SELECT gene, count(*) AS n, list(snp ORDER BY least, snp) AS snps, list(signals ORDER BY least, snp) AS signals,
           list(tissues ORDER BY least, snp) AS tissues
    FROM each_snp GROUP BY gene),
asked AS (SELECT gene, min(nr) AS nr FROM smr WHERE disease = 'AD' AND p IS NOT NULL GROUP BY gene)
SELECT nr, gene, n IS NOT NULL AS yes,
       said([one('verdict', '', CASE WHEN n > 0 THEN 'yes' ELSE 'no' END), one('number of SNPs', gene, n),
           many('SNPs', gene, snps)]
            || flatten(list_transform(coalesce(snps, [])[:10], lambda s, i: [many('tissues', s, tissues[i])]))
            || flatten(list_transform(coalesce(snps, [])[:10], lambda s, i: list_transform(signals[i],
                lambda g: one('p', s || ' in ' || g.tissue, sci2(g.p)))))
            || flatten(list_transform(coalesce(snps, [])[:10], lambda s, i: list_transform(signals[i],
                lambda g: one('HEIDI', s || ' in ' || g.tissue, sci4(g.heidi)))))) AS facts
FROM asked LEFT JOIN found USING (gene);
