/* Keys are always of the same types. */

BEGIN { @a[1] = count(); @a["one"] = count(); }
