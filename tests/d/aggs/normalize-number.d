/* In this order. */

BEGIN { normalize(1, 2); }
