/*
 * @adds: Erlang terms
 * @erlbpf: `term()` and `%T` print them. `term(argN)` is an argument of a probe of `erlang` as a term, on VMs with
 *   and without notes; `argterm` is the term that the probe is about, such as the message of `message-send` or the
 *   reason of `process-exit`, and needs a function of the VM that gets this term; `term(word)` is any word that is a
 *   term, such as an argument of a function that `pid` probes. If a term is a key, the kernel makes its text, which
 *   is shorter and may end in `...`.
 */
/* @options: -q -c "erl -noshell -kernel logger_level none -eval '[begin spawn(fun() -> exit({bye, [1]}) end), timer:sleep(100) end || _ <- lists:seq(1, 600)], halt().'" */

erlang$target:::process-exit
/strstr(copyinstr(arg1), "bye") != NULL/
{
	printf("%T\n", argterm);
	exit(0);
}
