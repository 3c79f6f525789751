/*
 * What the Erlang VM can tell beyond OTP's own probes: questions that its authors only wished to ask.
 * No VM carries notes for them; functions that it exports answer, by probes/translators.def, on VMs
 * with and without notes. The form is that of erlang.d.
 */
provider vm {
	/* A BIF works on an ETS table; fires when it returns. */
	probe ets__call(char *p : pid, uint64_t table : term);

	/* A driver's callback is called; fires when it returns. What bytes it is given, if any; and
	 * the address of the port, where the callback tells; and which one it is (translators.def). */
	probe driver__callback(uint64_t bytes : number, uint64_t port : number, int callback : number);

	/* A file is opened; fires when that is done. error: 0, or an errno. */
	probe file__open(char *path : text, uint64_t handle : number, int error : number);

	/* A file is closed; fires when that is done. */
	probe file__close(uint64_t handle : number, int fd : number);

	/* Another file operation, on a path or on an open file; fires when it is done. bytes: read or
	 * written, negative if that failed. */
	probe file__call(char *path : text, uint64_t handle : number, int fd : number, uint64_t bytes : number);

	/* A process must wait for a dirty I/O scheduler to run a NIF. */
	probe dirty_io__queued(char *p : pid);

	/* A dirty scheduler begins to run a NIF for a process. waiting: how many are in its run queue. */
	probe dirty_nif__start(char *p : pid, int waiting : number);

	/* A driver queues work for the threads of the async pool; p owns the port. */
	probe async__queued(char *p : pid, char *port : port, char *port_name : text, uint64_t data : number);

	/* Work of the async pool is done, and the driver is told; p owns the port. */
	probe async__ready(char *p : pid, char *port : port, uint64_t data : number);

	/* A port is gone: it is told of no work that is done. */
	probe port__gone(char *port : port);

	/* A callback of an inet driver is called for a socket; fires when it returns. What the socket had
	 * received and sent in all, before and after. at: the address of what the VM keeps of it. */
	probe inet__callback(char *p : pid, char *port : port, int family : number, int type : number,
			     int protocol : number, uint64_t received_before : number,
			     uint64_t received : number, uint64_t sent_before : number,
			     uint64_t sent : number, uint64_t at : number);

	/* A NIF of prim_socket is called for a socket; fires when it returns. The rest is as above. */
	probe socket__call(char *p : pid, int fd : number, int family : number, int type : number,
			   int protocol : number, uint64_t received_before : number,
			   uint64_t received : number, uint64_t sent_before : number,
			   uint64_t sent : number, uint64_t at : number);

	/* An inet driver's socket is gone; at: as above. */
	probe inet__stop(char *p : pid, char *port : port, int family : number, int type : number,
			 int protocol : number, uint64_t at : number);

	/* A thread is about to work for a port: the address of where it keeps the address of the port
	 * that it works for. */
	probe port__work(uint64_t current : number);
};
