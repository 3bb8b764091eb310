"""Questions as datasets: published or generated, sampled and split, and the import of answers from earlier runs."""
