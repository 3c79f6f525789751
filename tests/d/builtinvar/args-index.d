/* Its index is constant. */

BEGIN { i = 0; trace(args[i]); }
