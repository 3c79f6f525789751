/*
 * What the Erlang VM can tell beyond OTP's own probes: questions that its authors only wished to ask.
 * No VM carries notes for them; functions that it exports answer, by probes/translators.def, on VMs
 * with and without notes. The form is that of erlang.d.
 */
provider vm {
	/* A BIF works on an ETS table; fires when it returns. */
	probe ets__call(char *p : pid, uint64_t table : term);

	/* A process calls native code that its scheduler cannot interrupt: a NIF, or a BIF that is not light. */
	probe native__entry(char *p : pid, char *mfa : mfa);

	/* The call is over. On dirty schedulers it is over when the process is let go. */
	probe native__return(char *p : pid);

	/* A process called the driver of a port: output, control, call. Fires when the driver returns. */
	probe port__call(char *p : pid, uint64_t port_name : address);

	/* A process was collected; fires when it goes on. */
	probe gc__run(char *p : pid);

	/*
	 * A process gets something to do, or more of it: a message, a timer, the end of a suspension. One that
	 * neither runs nor waits in a run queue already is put into one then.
	 */
	probe process__wake(char *p : pid);

	/* A scheduler ran the tasks of a port; fires when it lets the port go. */
	probe port__run(char *port : port, uint64_t port_name : address);
};
