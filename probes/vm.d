/*
 * What the Erlang VM can tell beyond OTP's own probes: questions that its authors only wished to ask.
 * No VM carries notes for them; functions that it exports answer, by probes/translators.def, on VMs
 * with and without notes. The form is that of erlang.d.
 */
provider vm {
	/* A process sends a message to an alias of a local process, as a server that answers a gen_server:call. */
	probe message__send__alias(char *sender : pid, char *receiver : pid);

	/* A term is copied, perhaps a message that is being sent. */
	probe message__send__copy(uint64_t term : term, uint64_t size : words);

	/* A BIF works on an ETS table; fires when it returns. */
	probe ets__call(char *p : pid, uint64_t table : term);
};
