/* Without quiet, there is a header. */

BEGIN { @ = count(); exit(0); }
