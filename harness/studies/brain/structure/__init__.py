"""The rows of each dataset, by label and block, and the folds made from them."""
