"""Engines, which run steps in isolation: one file each, behind one protocol (`engine.py`)."""
