/*
 * What the Erlang VM can tell beyond OTP's own probes: questions that its authors only wished to ask.
 * No VM carries notes for them; functions that it exports answer, by probes/translators.def, on VMs
 * with and without notes. The form is that of erlang.d.
 */
provider vm {
	/* A BIF works on an ETS table; fires when it returns. */
	probe ets__call(char *p : pid, uint64_t table : term);

	/* A BIF works; fires when its C function returns. Which BIF it is, is not an argument. */
	probe bif__call(char *p : pid);

	/* A process is there: what spawned it, and what it is to run. Fires when the VM has made it. */
	probe process__spawned(char *p : pid, char *parent : pid, uint64_t module : term,
			       uint64_t function : term, uint64_t arguments : term);

	/* A process is no more, for whatever reason, killed before it ran included. */
	probe process__exited(char *p : pid);

	/* Messages, and signals that become messages, are put into a queue: from `first` to the one whose
	 * `next` is at `last`. Fires when they are enqueued; `sender` is not always a pid. */
	probe message__enqueued(char *receiver : pid, char *sender : pid, uint64_t first : address,
				uint64_t last : address);

	/* Messages are dropped: `first` and those behind it. */
	probe message__dropped(uint64_t first : address);

	/* A message is taken out of the queue: by receive, or since an exit signal is handled. What is left
	 * then: messages of the process's own queue, of its middle queue, and of the one that senders use. */
	probe message__removed(char *p : pid, uint64_t message : address, uint64_t own : count,
			       uint64_t middle : count, uint64_t outer : count);
};
