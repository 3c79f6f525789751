/*
 * @command: what `-x tree` shows
 * @dtrace: It also has the attributes and the flags of each node, and what is declared; a third pass is that of generated code.
 * @erlbpf: It has the clauses, and the types of nodes: 1 as the program is read, 2 when it was checked, 3 both. On standard error, as
 *   in DTrace.
 */
/* @options: -q -x tree=2 */

BEGIN { exit(0); }
