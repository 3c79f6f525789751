/*
 * @command: D libraries
 * @dtrace: They come with DTrace, in `/usr/lib/dtrace`, and may have clauses.
 * @erlbpf: They are loaded from the folders of `-L` only, and may only have declarations.
 */
/* @options: -q -L library */

BEGIN { printf("%d\n", ANSWER); exit(0); }
