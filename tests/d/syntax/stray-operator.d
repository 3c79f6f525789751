/* An operator needs its operands. */

BEGIN { x = 1 + ; }
