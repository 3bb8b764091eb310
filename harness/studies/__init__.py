"""Studies: one folder a published study; nothing here knows of stores, engines or records."""
