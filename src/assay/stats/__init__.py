"""How sure a number is: intervals, tests, corrections and effect sizes."""
