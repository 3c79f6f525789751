/*
 * @language: the size of structs with bit-fields
 * @dtrace: Oracle's DTrace rounds it up to whole bytes only.
 * @erlbpf: It is that of C: members share a unit of their type, and the struct is aligned as its members.
 */
/* @options: -q */

struct flags { int a:3; int b:4; };
struct large { int a:30; int b:30; };
BEGIN { printf("%d %d\n", sizeof (struct flags), sizeof (struct large)); exit(0); }
