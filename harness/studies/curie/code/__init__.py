"""Code: extract programs from answers so that trials can run them, and read what they printed as the answer."""
