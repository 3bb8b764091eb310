"""Claims: published numbers compared with runs, and how often the same was tried before."""
