"""What is computed from fits: scores, stars, omega, choices, tests."""
