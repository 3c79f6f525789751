/*
 * @adds: `ustack()` and `ufunc()` of Erlang
 * @erlbpf: They know the names of Erlang functions in JIT code. In `profile` probes, `ustack()` also shows their
 *   Erlang callers, which it reads from the stack of the process (x86-64). In other probes it only shows Erlang
 *   callers if the node keeps frame pointers (`+JPperf true`). With `-x ustacklines` each has its file and its line,
 *   if the VM knows them: `lists:map/2+0x8c (lists.erl:1559)`.
 */
/* @options: -q -c "erl -noshell -kernel logger_level none -eval 'L = lists:seq(1, 1000000), [lists:last(L) || _ <- lists:seq(1, 10000)], halt().'" */

int n;

profile-997 /pid == $target && arg1 && !n/ { @[ufunc(arg1)] = count(); }
tick-3s { n = 1; }
tick-3100ms { trunc(@, 1); printa("%A\n", @); }
tick-3500ms { trunc(@); exit(0); }
