/* count() counts. */
/* @options: -q */

BEGIN { @ = count(); @ = count(); @ = count(); exit(0); }
