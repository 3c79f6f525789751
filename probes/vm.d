/*
 * What the Erlang VM can tell beyond OTP's own probes: questions that its authors only wished to ask.
 * No VM carries notes for them; functions that it exports answer, by probes/translators.def, on VMs
 * with and without notes. The form is that of erlang.d.
 */
provider vm {
	/* A BIF works on an ETS table; fires when it returns. */
	probe ets__call(char *p : pid, uint64_t table : term);

	/* A function of the VM is called; which ones, `erlbpf uprobe` is told. */
	probe uprobe__entry(char *p : pid);

	/* ... and returns. */
	probe uprobe__return(char *p : pid);
};
