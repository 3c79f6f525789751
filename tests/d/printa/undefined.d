/* They exist. */

BEGIN { printa(@nobody); }
