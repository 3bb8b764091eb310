"""Code answers: an item's tests as the program of a trial, and the score of an answer from the trial's result."""
