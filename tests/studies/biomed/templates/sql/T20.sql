-- How many SNPs of a chromosome have p below 5e-8, one entry an SNP, by p and then by its text.
WITH hits AS (
    FROM pd WHERE p < 5e-8 AND chromosome(chr_38) IS NOT NULL
    QUALIFY row_number() OVER (PARTITION BY chr_38, SNP ORDER BY p, nr) = 1),
found AS (
    SELECT chr_38, count(*) AS n, list(SNP ORDER BY p, SNP) AS snps, list(sci2(p) ORDER BY p, SNP) AS ps,
           list(sci4(b) ORDER BY p, SNP) AS bs
    FROM hits GROUP BY chr_38),
asked AS (SELECT chr_38, min(nr) AS nr FROM pd WHERE p IS NOT NULL AND chromosome(chr_38) IS NOT NULL GROUP BY chr_38)
SELECT nr, chr_38 AS chromosome, NULL::BOOLEAN AS yes,
       said([one('number of SNPs', chr_38, coalesce(n, 0)), many('SNPs', chr_38, snps), one('study', '', pd_study())]
            || list_transform(coalesce(snps, [])[:10], lambda s, i: one('p', s, ps[i]))
            || list_transform(coalesce(snps, [])[:10], lambda s, i: one('b', s, bs[i]))) AS facts
FROM asked LEFT JOIN found USING (chr_38);
