"""Scorers and analyses of the study that anybody calls alone, with what they take and give."""
