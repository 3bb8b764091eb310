"""Code: programs in answers, taken out to be tried, and what they printed read as an answer."""
