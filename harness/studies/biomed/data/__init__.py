"""Questions as datasets: published files, generated ones, samples and splits of them, and answers of earlier runs."""
