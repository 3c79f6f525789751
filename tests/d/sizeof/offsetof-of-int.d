/* Only structs and unions have offsets. */

BEGIN { trace(offsetof(int, a)); }
