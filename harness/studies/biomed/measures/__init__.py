"""Tables from scores: rates and their intervals, comparisons, categories, order, costs, published figures."""
