-- Position in GRCh38 and nearest genes by both studies. Strict: a study without chromosome or position is absent, and
-- NONE is no gene. Paper: both are kept as they stand, and what is missing is 0.
WITH rows_ad AS (FROM placed_38('ad')),
rows_pd AS (FROM placed_38('pd')),
pairs AS (
    SELECT CASE WHEN a.nr IS NOT NULL THEN [0, a.nr] ELSE [1, p.nr] END AS nr, coalesce(a.SNP, p.SNP) AS snp,
           a.SNP IS NOT NULL AS in_ad, p.SNP IS NOT NULL AS in_pd, a.chr AS chr_a, p.chr AS chr_p, a.bp AS bp_a,
           p.bp AS bp_p, coalesce(a.genes, []) AS genes_a, coalesce(p.genes, []) AS genes_p
    FROM rows_ad a FULL JOIN rows_pd p ON a.SNP = p.SNP),
judged AS (
    SELECT *, in_ad AND in_pd AND (chr_a != chr_p OR bp_a != bp_p
           OR (len(genes_a) > 0 AND len(genes_p) > 0 AND list_sort(genes_a) != list_sort(genes_p))) AS apart
    FROM pairs)
SELECT nr, snp, NULL::BOOLEAN AS yes,
       said([one('chromosome', 'GRCh38', CASE WHEN NOT apart THEN coalesce(chr_a, chr_p) END),
             one('position', 'GRCh38', CASE WHEN NOT apart THEN coalesce(bp_a, bp_p) END),
             many('genes', snp, CASE WHEN NOT apart THEN CASE WHEN len(genes_a) > 0 THEN genes_a ELSE genes_p END END),
             one('chromosome', 'GRCh38 in ' || ad_study(), CASE WHEN apart THEN chr_a END),
             one('position', 'GRCh38 in ' || ad_study(), CASE WHEN apart THEN bp_a END),
             many('genes', snp || ' in ' || ad_study(), CASE WHEN apart THEN genes_a END),
             one('chromosome', 'GRCh38 in ' || pd_study(), CASE WHEN apart THEN chr_p END),
             one('position', 'GRCh38 in ' || pd_study(), CASE WHEN apart THEN bp_p END),
             many('genes', snp || ' in ' || pd_study(), CASE WHEN apart THEN genes_p END),
             one('study', '', CASE WHEN NOT (in_ad AND in_pd) THEN CASE WHEN in_ad THEN ad_study()
                 ELSE pd_study() END END),
             many('studies', '', CASE WHEN in_ad AND in_pd THEN [ad_study(), pd_study()] END)]) AS facts
FROM judged;
