/* A file has a name. */
/* @options: -w */

BEGIN { freopen("."); }
