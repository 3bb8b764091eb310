-- The five tables as the contract of the study has them, from the raw files; and how a fact is written down.
-- {folder} is where the files lie. A fact: its slot, what it is the slot of, its values, and how many there are of all.
CREATE MACRO one(slot, whose, v) AS
    CASE WHEN v IS NOT NULL THEN {'slot': slot, 'of': whose, 'values': [v::VARCHAR], 'all': NULL::BIGINT} END;
CREATE MACRO many(slot, whose, l) AS
    CASE WHEN len(l) > 0 THEN
        {'slot': slot, 'of': whose, 'values': (l::VARCHAR[])[:10], 'all': CASE WHEN len(l) > 10 THEN len(l) END}
    END;
CREATE MACRO counted(slot, whose, l) AS one('number of ' || slot, whose, CASE WHEN len(l) > 1 THEN len(l) END);
CREATE MACRO phase_text(p) AS CASE WHEN p = floor(p) THEN p::BIGINT::VARCHAR ELSE p::VARCHAR END;
CREATE MACRO sci2(x) AS format('{:.2e}', x);
CREATE MACRO sci4(x) AS format('{:.4e}', x);
CREATE MACRO ad_study() AS 'Bellenguez 2022';
CREATE MACRO pd_study() AS 'Nalls et al. 2019';
CREATE MACRO alphabetical(l) AS
    list_transform(list_sort(list_transform(l, lambda x: {'key': lower(x), 'it': x})), lambda s: s.it);
CREATE MACRO said(facts) AS list_filter(facts, lambda f: f IS NOT NULL);
CREATE MACRO known_p(p) AS CASE WHEN p != -9999 AND NOT isnan(p) THEN p END;
CREATE MACRO place(id) AS regexp_extract(id, '(\d+)$', 1)::BIGINT;
CREATE MACRO chromosome(c) AS CASE WHEN c NOT IN ('', '0', 'NA') THEN c END;
CREATE MACRO parts(t, separator) AS
    list_filter(list_transform(string_split_regex(coalesce(t, ''), separator), lambda x: trim(x)),
                lambda x: x NOT IN ('', 'NONE'));

CREATE MACRO once(l) AS list_filter(l, lambda x, i: list_position(l, x) = i);  -- list_distinct loses the order

CREATE MACRO oriented(path) AS TABLE
    SELECT place(UUID) AS nr, UUID, SNP,
           chr_37, bp_37, chr_38, bp_38,
           CASE WHEN freq > 0.5 THEN A2 ELSE A1 END AS A1,
           CASE WHEN freq > 0.5 THEN A1 ELSE A2 END AS A2,
           CASE WHEN freq > 0.5 THEN (1 - freq::VARCHAR::DECIMAL(38, 20))::DOUBLE ELSE freq END AS freq,
           CASE WHEN freq > 0.5 THEN -b ELSE b END AS b,
           known_p(p) AS p, nearestGene
    FROM read_parquet(path);
CREATE TABLE ad AS FROM oriented('{folder}/ad_gwas.parquet');
CREATE TABLE pd AS FROM oriented('{folder}/pd_gwas.parquet');
-- A question about an SNP is answered from one row: the first, in the natural order of the source, of those that have
-- what is asked. So it is of its place in GRCh38 with its genes: strict drops rows without a place, and NONE; paper
-- keeps both.
CREATE MACRO placed_38(rows_) AS TABLE
    SELECT nr, SNP, coalesce(chr_38, '0') AS chr, coalesce(bp_38, 0) AS bp, once(several) AS genes
    FROM (SELECT *, CASE WHEN getvariable('mode') = 'strict' THEN parts(nearestGene, ';')
                         ELSE list_filter(string_split(coalesce(nearestGene, ''), ';'), lambda x: x != '') END
                             AS several
          FROM query_table(rows_))
    WHERE getvariable('mode') = 'paper' OR (chromosome(chr_38) IS NOT NULL AND bp_38 > 0)
    QUALIFY row_number() OVER (PARTITION BY SNP ORDER BY nr) = 1;
-- So it is of its places in both builds, and of its genes.
CREATE MACRO placed_twice(rows_) AS TABLE
    SELECT nr, SNP, chr_37, bp_37, chr_38, bp_38 FROM query_table(rows_)
    WHERE chromosome(chr_37) IS NOT NULL AND chromosome(chr_38) IS NOT NULL AND bp_37 > 0 AND bp_38 > 0
    QUALIFY row_number() OVER (PARTITION BY SNP ORDER BY nr) = 1;
CREATE MACRO near_genes(rows_) AS TABLE
    SELECT nr, SNP, once(several) AS genes FROM (SELECT *, parts(nearestGene, ';') AS several FROM query_table(rows_))
    WHERE len(several) > 0 QUALIFY row_number() OVER (PARTITION BY SNP ORDER BY nr) = 1;
-- One row for each gene that a row of a study names.
CREATE MACRO by_gene(rows_) AS TABLE
    SELECT unnest(genes) AS gene, [nr, unnest(range(len(genes)))] AS spot, * EXCLUDE genes
    FROM (SELECT once(several) AS genes, * EXCLUDE several
          FROM (SELECT parts(nearestGene, ';') AS several, * FROM query_table(rows_)));
CREATE VIEW ad_genes AS FROM by_gene('ad');
CREATE VIEW pd_genes AS FROM by_gene('pd');

CREATE TABLE smr AS
    SELECT place(UUID) AS nr, UUID, Gene AS gene, topRSID AS snp, Disease AS disease, Omic_tissue AS tissue,
           Omic_type AS omic_type, A1, A2, Freq AS freq, b_GWAS, known_p(p_GWAS) AS p_gwas, b_SMR,
           known_p(p_SMR_multi) AS p, known_p(p_HEIDI) AS heidi, func_sig
    FROM read_parquet('{folder}/smr.parquet');
CREATE TABLE drug_targets AS SELECT place(UUID) AS nr, * FROM read_parquet('{folder}/drug_targets.parquet');
CREATE TABLE indications AS SELECT place(UUID) AS nr, * FROM read_parquet('{folder}/indications.parquet');

-- One drug is one name: any flag wins, the highest phase, the earliest year, all targets.
CREATE TABLE drugs AS
    SELECT drugName AS drug, min(nr) AS nr, list(UUID ORDER BY nr) AS ids,
           coalesce(bool_or(drugIsWithdrawn), false) AS withdrawn, coalesce(bool_or(drugIsApproved), false) AS flag,
           max(CASE WHEN maxClinicalTrialPhase >= 0.5 THEN maxClinicalTrialPhase END) AS phase,
           min(yearOfFirstApproval) FILTER (yearOfFirstApproval > 0) AS year,
           list_sort(list_distinct(flatten(list(parts(newLinkedTargets_string, '[,;\s]+'))))) AS targets,
           bool_or(blackBoxWarning) AS warned
    FROM drug_targets WHERE drugName IS NOT NULL GROUP BY drugName;
CREATE TABLE statuses AS
    SELECT *, CASE WHEN withdrawn THEN 'withdrawn' WHEN flag AND phase = 4 THEN 'approved'
                   WHEN phase IS NOT NULL THEN 'trial' ELSE 'none' END AS status
    FROM drugs;
CREATE VIEW targets AS
    WITH cell AS (SELECT nr, drugName AS drug, parts(newLinkedTargets_string, '[,;\s]+') AS genes FROM drug_targets),
    named AS (SELECT unnest(genes) AS gene, [nr, unnest(range(len(genes)))] AS spot, drug FROM cell)
    SELECT gene, drug, min(spot) AS nr, any_value(status) AS status FROM named JOIN statuses USING (drug)
        GROUP BY gene, drug;

-- What a drug is used for: one row for each drug and disease, the highest phase and the earliest year of its rows.
CREATE VIEW uses AS
    SELECT *, coalesce(nullif(efo_term, ''), nullif(mesh_heading, '')) AS disease,
           CASE WHEN max_phase_for_ind >= 0.5 THEN max_phase_for_ind END AS phase
    FROM indications;
CREATE TABLE treatments AS
    SELECT drugName AS drug, disease, min(nr) AS nr, max(phase) AS phase,
           min(yearOfFirstApproval) FILTER (yearOfFirstApproval > 0) AS year,
           list_sort(list_distinct(list(approvedSymbol) FILTER (approvedSymbol NOT IN ('', 'NONE')))) AS genes,
           list_sort(list_distinct(list(lower(drugType)) FILTER (drugType != ''))) AS types
    FROM uses WHERE drugName IS NOT NULL AND disease IS NOT NULL GROUP BY drugName, disease;

-- The list-like cells of a drug, all rows of its name together, in the order of its rows.
-- Names in a cell stand apart by semicolons, bars or ends of lines, else by commas with a blank behind them (OURS).
CREATE MACRO cells(t) AS parts(t, CASE WHEN regexp_matches(t, '[;|\n]') THEN '[;|\n]' ELSE ',\s+' END);
CREATE TABLE cards AS
    SELECT drug, nr, once(a) AS trade_names, once(b) AS synonyms, once(c) AS actions, once(d) AS mechanisms,
           once(e) AS diseases, once(f) AS types
    FROM (SELECT drugName AS drug, min(nr) AS nr,
                 flatten(list(cells(tradeNames_string) ORDER BY nr)) AS a,
                 flatten(list(cells(drugSynonyms_string) ORDER BY nr)) AS b,
                 flatten(list(cells(lower(drugActionType)) ORDER BY nr)) AS c,
                 flatten(list(cells(drugMechanismOfAction) ORDER BY nr)) AS d,
                 flatten(list(cells(linkedDiseasesDrug_string) ORDER BY nr)) AS e,
                 coalesce(list(lower(drugMolecularType) ORDER BY nr) FILTER (drugMolecularType != ''), []) AS f
          FROM drug_targets WHERE drugName IS NOT NULL GROUP BY drugName);
-- Trade names that one drug alone bears.
CREATE TABLE trade_names AS
    WITH borne AS (SELECT unnest(trade_names) AS name, [nr, unnest(range(len(trade_names)))] AS spot, drug FROM cards)
    SELECT name AS trade_name, any_value(drug) AS its, min(spot) AS spot
    FROM borne GROUP BY name HAVING count(DISTINCT drug) = 1;
