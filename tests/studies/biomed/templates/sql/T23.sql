-- How many mechanisms a drug has, and which.
SELECT nr, drug, NULL::BOOLEAN AS yes,
       said([one('number of mechanisms', drug, len(mechanisms)), many('mechanisms', drug, alphabetical(mechanisms))])
           AS facts
FROM cards WHERE len(mechanisms) > 0;
