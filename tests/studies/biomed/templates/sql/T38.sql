-- The positions of an SNP in both builds, by both studies; a study that lacks one of them is absent.
WITH rows_ad AS (FROM placed_twice('ad')),
rows_pd AS (FROM placed_twice('pd')),
pairs AS (
    SELECT CASE WHEN a.nr IS NOT NULL THEN [0, a.nr] ELSE [1, p.nr] END AS nr, coalesce(a.SNP, p.SNP) AS snp,
           a.SNP IS NOT NULL AS in_ad, p.SNP IS NOT NULL AS in_pd, a AS a, p AS p,
           coalesce((a.chr_37, a.bp_37, a.chr_38, a.bp_38) != (p.chr_37, p.bp_37, p.chr_38, p.bp_38), false) AS differ
    FROM rows_ad a FULL JOIN rows_pd p ON a.SNP = p.SNP),
judged AS (SELECT *, differ AND in_ad AND in_pd AS apart FROM pairs)
SELECT nr, snp, NULL::BOOLEAN AS yes,
       said([one('chromosome', 'GRCh37', CASE WHEN NOT apart THEN coalesce(a.chr_37, p.chr_37) END),
             one('position', 'GRCh37', CASE WHEN NOT apart THEN coalesce(a.bp_37, p.bp_37) END),
             one('chromosome', 'GRCh38', CASE WHEN NOT apart THEN coalesce(a.chr_38, p.chr_38) END),
             one('position', 'GRCh38', CASE WHEN NOT apart THEN coalesce(a.bp_38, p.bp_38) END),
             one('chromosome', 'GRCh37 in ' || ad_study(), CASE WHEN apart THEN a.chr_37 END),
             one('position', 'GRCh37 in ' || ad_study(), CASE WHEN apart THEN a.bp_37 END),
             one('chromosome', 'GRCh38 in ' || ad_study(), CASE WHEN apart THEN a.chr_38 END),
             one('position', 'GRCh38 in ' || ad_study(), CASE WHEN apart THEN a.bp_38 END),
             one('chromosome', 'GRCh37 in ' || pd_study(), CASE WHEN apart THEN p.chr_37 END),
             one('position', 'GRCh37 in ' || pd_study(), CASE WHEN apart THEN p.bp_37 END),
             one('chromosome', 'GRCh38 in ' || pd_study(), CASE WHEN apart THEN p.chr_38 END),
             one('position', 'GRCh38 in ' || pd_study(), CASE WHEN apart THEN p.bp_38 END),
             one('study', '', CASE WHEN NOT (in_ad AND in_pd) THEN CASE WHEN in_ad THEN ad_study()
                 ELSE pd_study() END END),
             many('studies', '', CASE WHEN in_ad AND in_pd THEN [ad_study(), pd_study()] END)]) AS facts
FROM judged;
