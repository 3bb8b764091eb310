"""What a reviewer reads: record, audit, diff, explain, expect."""
