/*
 * What the Erlang VM can tell beyond OTP's own probes: questions that its authors only wished to ask.
 * No VM carries notes for them; functions that it exports answer, by probes/translators.def, on VMs
 * with and without notes. The form is that of erlang.d.
 */
provider vm {
	/* A BIF works on an ETS table; fires when it returns. */
	probe ets__call(char *p : pid, uint64_t table : term);

	/* A process hands a signal to the connection to a node, and again for each further part of a large
	 * one. `connection` is the VM's entry of that node. */
	probe dist__send(char *p : pid, uint64_t peer : term, uint64_t connection : address);

	/* A packet is ready to be written to the connection to a node. Bytes: without what the carrier adds. */
	probe dist__packet(uint64_t peer : term, uint64_t bytes : bytes);

	/* A connection to a node is up. `flags` are those of the distribution protocol. */
	probe node__up(uint64_t peer : term, uint64_t flags : flags);

	/* A connection to a node ends, before its monitors hear of it. */
	probe node__down(uint64_t peer : term, uint64_t flags : flags, uint64_t reason : term);

	/* A process is suspended: by a busy port, which then is named, by a busy connection to a node, or by
	 * what else it has to wait for without receiving. */
	probe process__suspend(char *p : pid, char *port : port);

	/* One suspended process is resumed. */
	probe process__resume(char *p : pid);

	/* A list of suspended processes is resumed: those that a port or a connection to a node kept waiting. */
	probe processes__resume(uint64_t list : address);
};
