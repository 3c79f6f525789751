/* count() takes nothing. */

BEGIN { @a = count(1); }
