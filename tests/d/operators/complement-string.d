/* And ~. */

BEGIN { trace(~"a"); }
