/* A clause commits one speculation. */

BEGIN { i = speculation(); j = speculation(); }
BEGIN { commit(i); commit(j); }
