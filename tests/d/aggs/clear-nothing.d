/* clear() takes one aggregation. */

BEGIN { @a = count(); clear(); }
