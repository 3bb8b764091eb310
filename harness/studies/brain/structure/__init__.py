"""Which rows there are, by label and block, and the folds that are made of them."""
