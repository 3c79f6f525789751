/*
 * @adds: `ustack()` and `ufunc()` of Erlang
 * @erlbpf: They know the names of Erlang functions. In probes of nodes, `ustack()` is the function of the VM that has
 *   the probe, then the Erlang functions that the process is in, which it reads from the stack of the process; in
 *   `profile` probes, the same of Erlang code that was interrupted (x86-64). Functions of C between them are left out,
 *   unless they keep frame pointers. In other probes it only shows Erlang functions if the node keeps frame pointers
 *   (`+JPperf true`). With `-x ustacklines` each has its file and its line, if the VM knows them:
 *   `lists:map/2+0x8c (lists.erl:1559)`.
 */
/* @options: -q -c "erl -noshell -kernel logger_level none -eval 'L = lists:seq(1, 1000000), [lists:last(L) || _ <- lists:seq(1, 10000)], halt().'" */

/* What the node does while it starts is not looked at, however long that takes on a busy machine. */

int n;

profile-997 /pid == $target && arg1 && n == 1/ { @[ufunc(arg1)] = count(); }
tick-4s { n = 1; }
tick-5s { n = 2; }
tick-5100ms { trunc(@, 1); printa("%A\n", @); }
tick-5500ms { trunc(@); exit(0); }
