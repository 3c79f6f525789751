/* What is printed together has the same keys. */

BEGIN { @a[1] = count(); @b["x"] = count(); printa(@a, @b); }
