-- The types of action of a drug.
SELECT nr, drug, NULL::BOOLEAN AS yes, said([many('actions', drug, list_sort(actions))]) AS facts
FROM cards WHERE len(actions) > 0;
