/*
 * @adds: probes of VMs without notes
 * @erlbpf: `erlangPID` has the same probes on a stock VM; DTrace needs one that is built for it.
 */
/* @options: -q -c "erl -noshell -kernel logger_level none -eval '[begin spawn(fun() -> ok end), timer:sleep(100) end || _ <- lists:seq(1, 600)], halt().'" */

erlang$target:::process-spawn /!n/ { n = 1; printf("%s %d\n", probename, strlen(copyinstr(arg0)) > 4); exit(0); }
