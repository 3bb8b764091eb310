"""The steps that label the answers of one benchmark, one module each."""
