/* What void * points to has no type. */

BEGIN { trace(*(void *)0); }
