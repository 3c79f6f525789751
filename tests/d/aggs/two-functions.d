/* Always the same. */

BEGIN { @a = count(); @a = sum(1); }
