/* It exists. */

BEGIN { trunc(@nobody); }
