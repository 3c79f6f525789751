/* And no other. */

BEGIN { @a = strlen("abc"); }
