"""Tables from scores: rates and their intervals, comparisons, categories, model order, costs, published figures."""
