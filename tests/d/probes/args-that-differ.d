/* Without a type on which all probes of the clause agree, args[0] is a number. */
/* @options: -q */

proc:::exit, proc:::create { trace(args[0]->pr_pid); }
