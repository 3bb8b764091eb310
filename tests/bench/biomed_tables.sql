-- Tables of the real sizes with nothing real in them. {scale} is the share of the real numbers of rows, {folder} is
-- where the files go. Every value is a function of a row's number, so the same version of DuckDB writes the same rows.
CREATE MACRO mixed(i, what) AS hash(hash(i, what));  -- twice: once leaves draws of two purposes alike
CREATE MACRO u(i, what) AS mixed(i, what) / 18446744073709551616.0;  -- from 0 to 1
CREATE MACRO pick(i, what, n) AS (mixed(i, what) % n)::BIGINT;
CREATE MACRO gene_name(k) AS 'GEN' || lpad(k::VARCHAR, 5, '0');
CREATE MACRO rs_name(i) AS 'rs99' || lpad(((i * 48271) % 2147483647)::VARCHAR, 10, '0');  -- no two rows alike
CREATE MACRO allele(i, what) AS ['A', 'C', 'G', 'T'][pick(i, what, 4) + 1];
CREATE MACRO other_allele(i, what) AS ['A', 'C', 'G', 'T'][(pick(i, what, 4) + 1 + pick(i, what || '2', 3)) % 4 + 1];
CREATE MACRO ad_size() AS floor(21_080_000 * {scale})::BIGINT;
CREATE MACRO pd_size() AS floor(7_800_000 * {scale})::BIGINT;
CREATE MACRO smr_size() AS floor(1_500_000 * {scale})::BIGINT;
CREATE MACRO drug_count() AS floor(15_000 * {scale})::BIGINT;
CREATE MACRO use_count() AS floor(60_000 * {scale})::BIGINT;
CREATE MACRO gene_count() AS greatest(floor(20_000 * {scale}), 300)::BIGINT;

-- A row of a study by the number of its SNP: they lie along the chromosomes, a gene has about a thousand of them.
CREATE MACRO gene_of(i) AS floor(i * gene_count() / ad_size())::BIGINT;
CREATE MACRO causal(i) AS pick(gene_of(i), 'causal', 50) = 0;
CREATE MACRO nearest(i, salt) AS CASE
    WHEN pick(i, 'none', 20) = 0 THEN 'NONE'
    WHEN pick(i, 'two', 2) = 0 THEN gene_name(gene_of(i)) || ';' || gene_name((gene_of(i) + 1) % gene_count())
    ELSE gene_name((gene_of(i) + CASE WHEN pick(i, salt, 50) = 0 THEN 1 ELSE 0 END) % gene_count()) END;
CREATE MACRO level(i, salt) AS CASE
    WHEN causal(i) AND pick(i, salt || 'hit', 12) = 0 THEN 4e-8 * pow(10, -20 * u(i, salt || 'p'))
    ELSE u(i, salt || 'p') END;
CREATE MACRO missing_place(i) AS pick(i, 'lost', 100) = 0;
CREATE MACRO chromosome_of(i) AS (floor(i * 22 / ad_size()) + 1)::BIGINT::VARCHAR;
CREATE MACRO position_of(i) AS 10_000 + (i % greatest(ad_size() // 22, 1)) * 140;

COPY (
    SELECT 'AD_made_UUID_' || i AS UUID,
           CASE WHEN i % 1000 = 999 THEN rs_name(i - 1) ELSE rs_name(i) END AS SNP,
           chromosome_of(i) AS chr_37, position_of(i) + 17 AS bp_37,
           CASE WHEN missing_place(i) THEN '0' ELSE chromosome_of(i) END AS chr_38, position_of(i) AS bp_38,
           allele(i, 'a') AS A1, other_allele(i, 'a') AS A2, round(u(i, 'freq') * 0.6, 4) AS freq,
           round(u(i, 'b') - 0.5, 4) AS b, level(i, 'ad') AS p, nearest(i, 'ad') AS nearestGene
    FROM (SELECT range AS i FROM range(ad_size()))
) TO '{folder}/ad_gwas.parquet' (FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE 500_000);

COPY (
    SELECT 'PD_made_' || j AS UUID,
           rs_name(CASE WHEN j % 20 = 0 THEN 30_000_000 + j ELSE i END) AS SNP,
                -- one in twenty is in this study alone
           chromosome_of(i) AS chr_37, position_of(i) + 17 AS bp_37, chromosome_of(i) AS chr_38,
           position_of(i) + CASE WHEN pick(i, 'moved', 200) = 0 THEN 5 ELSE 0 END AS bp_38,
           allele(i, 'a') AS A1, other_allele(i, 'a') AS A2, round(u(i, 'freq'), 4) AS freq,
           round(u(i, 'b pd') - 0.5, 4) AS b, level(i, 'pd') AS p, nearest(i, 'pd') AS nearestGene
    FROM (SELECT range AS j, floor(range * ad_size() / pd_size())::BIGINT AS i FROM range(pd_size()))
) TO '{folder}/pd_gwas.parquet' (FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE 500_000);

COPY (
    SELECT 'SMR_made_' || i AS UUID, gene_name(gene) AS Gene,
           chromosome_of(gene * ad_size() // gene_count()) || ':' || position_of(gene) AS topSNP,
           rs_name(gene * ad_size() // gene_count() + pick(i, 'top', 40)) AS topRSID,
           ['AD', 'PD', 'LBD', 'ALS', 'FTD', 'PSP'][pick(i, 'disease', 6) + 1] AS Disease,
           'Tissue ' || pick(i, 'tissue', 22) AS Omic_tissue,
           'Tissue ' || pick(i, 'tissue', 22) || ' ' || ['eQTL', 'mQTL', 'pQTL', 'caQTL'][pick(i, 'omic', 4) + 1]
               AS Omic_type,
           allele(i, 'smr') AS A1, other_allele(i, 'smr') AS A2, round(u(i, 'smr freq') * 0.5, 4) AS Freq,
           round(u(i, 'b gwas') - 0.5, 4) AS b_GWAS, u(i, 'p gwas') AS p_GWAS,
           round(u(i, 'b smr') - 0.5, 4) AS b_SMR,
           CASE WHEN pick(i, 'hit', 100) = 0 THEN 2.9e-6 * pow(10, -10 * u(i, 'p')) ELSE u(i, 'p') END AS p_SMR_multi,
           CASE WHEN pick(i, 'no heidi', 50) = 0 THEN -9999.0 ELSE u(i, 'heidi') END AS p_HEIDI,
           p_SMR_multi < 2.95e-6 AND p_HEIDI > 0.01 AS func_sig
    FROM (SELECT range AS i, pick(range, 'gene', gene_count()) AS gene FROM range(smr_size()))
) TO '{folder}/smr.parquet' (FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE 500_000);

CREATE MACRO drug_name(k) AS 'Bench' || ['mabo', 'tine', 'stat', 'sol'][k % 4 + 1] || k || 'ine';
CREATE MACRO disease_name(k) AS 'made disease ' || k;
CREATE MACRO actions() AS ['INHIBITOR', 'AGONIST', 'ANTAGONIST', 'OPENER', 'MODULATOR', 'BLOCKER'];
CREATE MACRO phase_of(k) AS [0.5, 1.0, 2.0, 3.0, 4.0, 4.0][pick(k, 'phase', 6) + 1];
CREATE MACRO year_of(k) AS CASE WHEN phase_of(k) = 4 THEN 1950 + pick(k, 'year', 70) ELSE 0 END;
CREATE MACRO molecule(k) AS ['Small molecule', 'Antibody', 'Protein', 'Oligonucleotide', 'Enzyme'][pick(k, 'type',
    5) + 1];
COPY (
    SELECT 'DGT_made_' || k AS UUID, 'CHEMBL9' || lpad(k::VARCHAR, 6, '0') AS chemblIdentifier,
           drug_name(k) AS drugName,
           array_to_string(list_transform(range(pick(k, 'trades', 4)), lambda n: 'Trade' || k || 'n' || n), ', ')
               AS tradeNames_string,
           array_to_string(list_transform(range(pick(k, 'syns', 7)), lambda n: 'SYN-' || k || '-' || n), ', ')
               AS drugSynonyms_string,
           molecule(k) AS drugMolecularType, actions()[pick(k, 'action', 6) + 1] AS drugActionType,
           gene_name(pick(k, 'target', gene_count())) || ' inhibitor' AS drugMechanismOfAction,
           array_to_string(list_transform(range(pick(k, 'targets', 6)),
               lambda n: gene_name((pick(k, 'target', gene_count()) + n) % gene_count())), ', ')
                   AS newLinkedTargets_string,
           pick(k, 'targets', 6) AS numberLinkedTargets, disease_name(pick(k, 'for', 400))
               AS linkedDiseasesDrug_string,
           phase_of(k) AS maxClinicalTrialPhase, phase_of(k) = 4 AS drugIsApproved, pick(k, 'gone', 40) = 0
               AS drugIsWithdrawn,
           year_of(k) AS yearOfFirstApproval, pick(k, 'box', 8) = 0 AS blackBoxWarning
    FROM (SELECT range AS k FROM range(drug_count()))
) TO '{folder}/drug_targets.parquet' (FORMAT parquet);
COPY (
    SELECT 'DTI_made_' || i AS UUID, drug_name(k) AS drugName, 'Trade' || k || 'n0' AS tradeNames_list,
           'SYN-' || k || '-0' AS syns_list, molecule(k) AS drugType, actions()[pick(k, 'action', 6) + 1]
               AS actionType,
           gene_name(g) AS target, gene_name(g) AS approvedSymbol, 'made gene ' || g AS approvedName,
           'made heading ' || pick(i, 'use', 400) AS mesh_heading, disease_name(pick(i, 'use', 400)) AS efo_term,
           'EFO:99' || pick(i, 'use', 400) AS efo_id, 'D99' || pick(i, 'use', 400) AS mesh_id,
           year_of(k) AS yearOfFirstApproval, least(phase_of(k), [0.5, 1.0, 2.0, 3.0, 4.0][pick(i, 'to', 5) + 1])
               AS max_phase_for_ind,
           (9_000_000 + k)::VARCHAR AS patent_no, greatest(year_of(k) - 4, 0) AS usan_year
    FROM (SELECT i, k, (pick(k, 'target', gene_count()) + i % 3) % gene_count() AS g
          FROM (SELECT range AS i, pick(range, 'drug', drug_count()) AS k FROM range(use_count())))
) TO '{folder}/indications.parquet' (FORMAT parquet);
