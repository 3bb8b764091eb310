-- Other names of a drug.
WITH named AS (
    SELECT nr, drug, alphabetical(list_distinct(list_filter(synonyms || trade_names,
        lambda s: lower(s) != lower(drug)))) AS others
    FROM cards)
SELECT nr, drug, NULL::BOOLEAN AS yes, said([counted('other names', drug, others), many('other names', drug,
    others)]) AS facts
FROM named WHERE len(others) > 0;
