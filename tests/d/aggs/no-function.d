/* An aggregation is no statement. */

BEGIN { @a = count(); @a; }
