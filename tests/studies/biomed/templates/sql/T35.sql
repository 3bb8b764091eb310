-- The type of molecule and the actions of a drug.
SELECT nr, drug, NULL::BOOLEAN AS yes,
       said([many('molecule type', drug, list_sort(types)), many('actions', drug, list_sort(actions))]) AS facts
FROM cards WHERE len(types) > 0 AND len(actions) > 0;
