/* So is the minus before an operand. */

BEGIN { trace(-"a"); }
