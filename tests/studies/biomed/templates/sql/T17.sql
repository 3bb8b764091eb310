-- The generic name, use, type and action behind a trade name.
SELECT spot AS nr, trade_name, NULL::BOOLEAN AS yes,
       said([one('generic name', trade_name, its), counted('diseases', trade_name, diseases),
             many('diseases', trade_name, alphabetical(diseases)), many('molecule type', trade_name, list_sort(types)),
             many('actions', trade_name, list_sort(actions))]) AS facts
FROM trade_names t JOIN cards c ON t.its = c.drug WHERE len(diseases) > 0 AND len(types) > 0 AND len(actions) > 0;
