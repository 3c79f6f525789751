/* The aggregation exists. */

BEGIN { normalize(@nobody, 2); }
