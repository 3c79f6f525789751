/* D knows no comments to the end of the line. */

BEGIN { trace(1); } // no
