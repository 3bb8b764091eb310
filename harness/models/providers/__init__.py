"""Providers: one file each way a model is asked, found by its name; and what several of them share."""
