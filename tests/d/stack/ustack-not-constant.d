/* And constant. */

BEGIN { ustack(pid); }
