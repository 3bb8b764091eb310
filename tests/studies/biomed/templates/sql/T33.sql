-- The ChEMBL identifier of a drug.
SELECT min(nr) AS nr, drugName AS drug, NULL::BOOLEAN AS yes,
       said([many('ChEMBL identifier', drugName, list(DISTINCT chemblIdentifier ORDER BY chemblIdentifier))]) AS facts
FROM drug_targets WHERE chemblIdentifier != '' AND drugName IS NOT NULL GROUP BY drugName;
