-- The genes nearest to an SNP, by both studies; a study without a gene, or with NONE alone, is absent.
WITH rows_ad AS (FROM near_genes('ad')),
rows_pd AS (FROM near_genes('pd')),
pairs AS (
    SELECT CASE WHEN a.nr IS NOT NULL THEN [0, a.nr] ELSE [1, p.nr] END AS nr, coalesce(a.SNP, p.SNP) AS snp,
           a.SNP IS NOT NULL AS in_ad, p.SNP IS NOT NULL AS in_pd, a.genes AS genes_a, p.genes AS genes_p,
           coalesce(list_sort(a.genes) != list_sort(p.genes), false) AS apart
    FROM rows_ad a FULL JOIN rows_pd p ON a.SNP = p.SNP)
SELECT nr, snp, NULL::BOOLEAN AS yes,
       said([many('genes', snp, CASE WHEN NOT apart THEN coalesce(genes_a, genes_p) END),
             many('genes', snp || ' in ' || ad_study(), CASE WHEN apart THEN genes_a END),
             many('genes', snp || ' in ' || pd_study(), CASE WHEN apart THEN genes_p END),
             one('study', '', CASE WHEN NOT (in_ad AND in_pd) THEN CASE WHEN in_ad THEN ad_study()
                 ELSE pd_study() END END),
             many('studies', '', CASE WHEN in_ad AND in_pd THEN [ad_study(), pd_study()] END)]) AS facts
FROM pairs;
