/*
 * What the Erlang VM can tell beyond OTP's own probes: questions that its authors only wished to ask.
 * No VM carries notes for them; functions that it exports answer, by probes/translators.def, on VMs
 * with and without notes. The form is that of erlang.d.
 */
provider vm {
	/* A BIF works on an ETS table; fires when it returns. With result 0 and reason 1024 it gave way to
	 * others and goes on later. `reference` is where the numbers of a table's reference are. */
	probe ets__call(char *p : pid, uint64_t table : term, uint64_t reference : address,
			uint64_t result : term, uint64_t reason : number);

	/* A term is copied: into a message, a table, the heap of another process... */
	probe term__copy(uint64_t size : words);

	/* A tuple was copied into an ETS table. The structure that has its size begins so many bytes behind the
	 * object. */
	probe ets__store(uint64_t object : address, uint64_t offset : bytes);

	/* A thread finds a lock taken, and begins to wait. Process and flags are those of a lock of a process,
	 * event is what another lock has its thread woken by. */
	probe lock__wait(char *process : pid, int wanted : flags, int taken : flags,
			 uint64_t event : address);

	/* The wait is over; kind is 0 for a lock of a process, 1 for another. */
	probe lock__taken(int kind : number);

	/* A BIF of the VM returns, which may go on with what another one on an ETS table began. */
	probe ets__resume(char *p : pid, uint64_t result : term, uint64_t reason : number);
};
