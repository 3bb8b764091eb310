"""Evidence of runs, for a reviewer: records, comparison with expectations, diff, explain, fsck, audit, claims."""
