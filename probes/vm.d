/*
 * What the Erlang VM can tell beyond OTP's own probes: questions that its authors only wished to ask.
 * No VM carries notes for them; functions that it exports answer, by probes/translators.def, on VMs
 * with and without notes. The form is that of erlang.d.
 */
provider vm {
	/* A BIF works on an ETS table; fires when it returns. */
	probe ets__call(char *p : pid, uint64_t table : term);

	/* A driver's callback is called; fires when it returns. What bytes it is given, if any; and
	 * the address of the port, where the callback tells. */
	probe driver__callback(uint64_t bytes : number, uint64_t port : number);

	/* A thread is about to work for a port: the address of where it keeps the address of the port
	 * that it works for. */
	probe port__work(uint64_t current : number);
};
