/* It is divided by a number. */

BEGIN { @a = count(); normalize(@a, "two"); }
