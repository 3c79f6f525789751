/* For library-clauses.d. */
BEGIN { printf("of the library\n"); }
