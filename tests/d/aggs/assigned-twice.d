/* One aggregation gets one value at a time. */

BEGIN { (@a = count()) = count(); }
