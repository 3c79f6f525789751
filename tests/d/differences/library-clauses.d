/*
 * @command: clauses in D libraries
 * @dtrace: They are part of the program.
 * @erlbpf: They are errors, so that a library never changes what a program traces.
 */
/* @options: -q -L library-with-clauses */
/* @status: 1 */

BEGIN { exit(0); }
