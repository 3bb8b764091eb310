"""Code answers: an item's tests as a trial's program, and what a trial's end says of the answer."""
