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

	/* A process sends a message to an alias of a local process, as a server that answers a gen_server:call. */
	probe message__send__alias(char *sender : pid, char *receiver : pid);

	/* A term is copied, perhaps a message that is being sent. */
	probe message__send__copy(uint64_t term : term, uint64_t size : words);

	/* A process calls a BIF that is not light, which is one that the JIT has a function of the VM call for it. */
	probe native__entry(char *p : pid, char *mfa : mfa);

	/* The call is over. */
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

	/*
	 * A task of a port is put into the port's queue, by number: 0 input, 1 output, 2 a timeout, 3 a command
	 * of the distribution, 4 a signal (what a process or another port sends it).
	 */
	probe task__schedule(char *port : port, uint64_t task : address, int kind : number);

	/* A task of a port is over, or was given up; its memory is freed. */
	probe task__done(uint64_t task : address);

	/* A scheduler is about to run the tasks of a port. */
	probe port__pick(char *port : port, uint64_t port_name : address, char *owner : pid);

	/* A scheduler ran the tasks of a port; fires when it lets the port go. */
	probe port__run(char *port : port, uint64_t port_name : address);

	/* A function of the VM is called; which ones, `erlbpf uprobe` is told. */
	probe uprobe__entry(char *p : pid);

	/* ... and returns. */
	probe uprobe__return(char *p : pid);

	/* A BIF works; fires when its C function returns. Which BIF it is, is not an argument. */
	probe bif__call(char *p : pid);

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

	/* A driver queues work for the async pool. queue_len: what was queued since tracing began, and is not
	 * done. An old name of the provider erlang, in D. */
	probe aio_pool__add(int thread : number, int queue_len : count);

	/* Work of the async pool is done, and the driver is told. An old name, too. */
	probe aio_pool__get(int thread : number, int queue_len : count);

	/* prim_file is asked to do something with a file. Old names of the provider erlang, in D: command has
	 * the numbers that efile_drv had. */
	probe efile_drv__entry(int thread : number, int tag : number, char *user_tag : text, int command : number,
			       char *path : text);

	/* The same, as efile_drv had it once more. */
	probe efile_drv__int_entry(int thread : number, int tag : number, char *user_tag : text,
				   int command : number);

	/* It is done. */
	probe efile_drv__int_return(int thread : number, int tag : number, char *user_tag : text,
				    int command : number);

	/* The same once more. */
	probe efile_drv__return(int thread : number, int tag : number, char *user_tag : text,
				int command : number);

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

	/* A scheduler begins to fire those of its timers that are due. now: the VM's monotonic time, in ns. */
	probe timers__fire(uint64_t now : number);

	/* It has fired them. */
	probe timers__fired(uint64_t now : number);

	/*
	 * A timer has fired or was cancelled, and the VM drops its structure. For a process or a port; or for the
	 * process that has a name, and is not told then. due: in ms of the VM's monotonic time.
	 */
	probe timer__dropped(char *p : pid, uint64_t name : term, uint64_t due : number, int flags : flags,
			     int state : number);
};
