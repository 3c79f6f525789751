/* It exists. */

BEGIN { clear(@nobody); }
