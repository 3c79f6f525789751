/* Ids begin with 1. */

0 { trace(1); }
