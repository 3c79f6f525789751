/* What is not possible cannot be done speculatively either. */

BEGIN { speculate(speculation()); panic(); }
