"""What somebody means to run: the YAML schema and its reader."""
