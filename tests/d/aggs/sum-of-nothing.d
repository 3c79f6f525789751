/* sum() takes something. */

BEGIN { @a = sum(); }
