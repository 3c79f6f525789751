/*
 * @adds: `ustack()` and `ufunc()` of Erlang
 * @erlbpf: They know the names of Erlang functions. In probes of nodes, `ustack()` is the function of the VM that has
 *   the probe, then the Erlang functions that the process is in, which it reads from the stack of the process; in
 *   `profile` probes, the same of Erlang code that was interrupted (x86-64). Functions of C between them are left out,
 *   unless they keep frame pointers. In other probes it only shows Erlang functions if the node keeps frame pointers
 *   (`+JPperf true`). With `-x ustacklines` each has its file and its line, if the VM knows them:
 *   `lists:map/2+0x8c (lists.erl:1559)`.
 */
/* @options: -q -c "erl -noshell -kernel logger_level none -eval 'L = lists:seq(1, 1000000), [begin spawn(lists, max, [[1]]), lists:last(L) end || _ <- lists:seq(1, 10000)], halt().'" */

/* What the node does while it starts is not looked at: it begins with the first process that runs lists:max/1. */

int n;

erlang$target:::process-spawn /copyinstr(arg1) == "lists:max/1"/ { n = 1; }
profile-997 /pid == $target && arg1 && n == 1/ { @[ufunc(arg1)] = count(); seen++; }
tick-10ms /seen > 100/ { n = 2; trunc(@, 1); printa("%A\n", @); trunc(@); exit(0); }
