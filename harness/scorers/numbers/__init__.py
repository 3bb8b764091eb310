"""Measures of arrays that steps and analyses share."""
