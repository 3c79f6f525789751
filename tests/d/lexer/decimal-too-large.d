/* So has a decimal one. */

BEGIN { trace(18446744073709551616); }
