/*
 * What the Erlang VM can tell beyond OTP's own probes: questions that its authors only wished to ask.
 * No VM carries notes for them; functions that it exports answer, by probes/translators.def, on VMs
 * with and without notes. The form is that of erlang.d.
 */
provider vm {
	/* A BIF on an ETS table returns. If result is 0 and reason is 1024, it has yielded and continues
	 * later. `reference` is the address of the numbers of the table's reference. */
	probe ets__call(char *p : pid, uint64_t table : term, uint64_t reference : address,
			uint64_t result : term, uint64_t reason : number);

	/* A term is copied, for example into a message, an ETS table or the heap of another process. */
	probe term__copy(uint64_t size : words);

	/* A tuple was copied into an ETS table. The structure that holds its size starts `offset` bytes after
	 * the object. */
	probe ets__store(uint64_t object : address, uint64_t offset : bytes);

	/* A thread finds a lock taken and starts to wait. process, wanted and taken are set for a process
	 * lock; event is set for other locks: the address of the event that wakes the thread. */
	probe lock__wait(char *process : pid, int wanted : flags, int taken : flags,
			 uint64_t event : address);

	/* The thread has got the lock. kind: 0 for a process lock, 1 for another lock. */
	probe lock__taken(int kind : number);

	/* A BIF returns that may have continued an ETS operation which had yielded. */
	probe ets__resume(char *p : pid, uint64_t result : term, uint64_t reason : number);

	/* A term is copied; it may be a message that is being sent. */
	probe message__send__copy(uint64_t term : term, uint64_t size : words);

	/* A process calls a BIF that is not light, that is, one that compiled code does not call directly but
	 * through a function of the VM. */
	probe native__entry(char *p : pid, char *mfa : mfa);

	/* The call returns. */
	probe native__return(char *p : pid);

	/* A call from a process to the driver of a port (output, control, call) returns. */
	probe port__call(char *p : pid, uint64_t port_name : address);

	/* The garbage collection of a process is over. */
	probe gc__run(char *p : pid);

	/*
	 * A process gets work: a message, a timeout, the end of a suspension. If it is neither running nor in a
	 * run queue, it is then put into a run queue.
	 */
	probe process__wake(char *p : pid);

	/* A scheduler stops running a process, which has used so many reductions since it was picked. */
	probe process__out(char *p : pid, int reductions : count);

	/*
	 * A task (work for a port) is put into the queue of the port. kind: 0 input, 1 output, 2 timeout,
	 * 3 command of the distribution, 4 signal (a request from a process or from another port).
	 */
	probe task__schedule(char *port : port, uint64_t task : address, int kind : number);

	/* A task of a port has ended or was cancelled; its memory is freed. */
	probe task__done(uint64_t task : address);

	/* A scheduler is about to run the tasks of a port. */
	probe port__pick(char *port : port, uint64_t port_name : address, char *owner : pid);

	/* A scheduler has run the tasks of a port and releases the port. */
	probe port__run(char *port : port, uint64_t port_name : address);

	/* A process calls an Erlang function that has a breakpoint of the VM (`erlbpf calls --via vm` sets some). The
	 * arguments of the call are at `registers`. The others say how deep the stack of the process is. */
	probe breakpoint__entry(char *p : pid, char *mfa : mfa, uint64_t registers : address, uint64_t stop : address,
			      uint64_t heap : address, uint64_t heap_size : words);

	/* Such a function returns, together with those that called others as their last act. */
	probe breakpoint__return(char *p : pid, uint64_t stop : address, uint64_t heap : address,
			       uint64_t heap_size : words);

	/* A process goes on after an exception: a catch or try has it. Its reason and its class are the second and the
	 * fourth of the words at `registers`. The others say how deep the stack of the process is then. */
	probe exception__caught(char *p : pid, uint64_t registers : address, uint64_t stop : address,
			      uint64_t heap : address, uint64_t heap_size : words);

	/* The same call as of `breakpoint-entry`, with its arguments: those beyond the arity of the function are what others
	 * have left there. In D beam*:MODULE:FUNCTION/ARITY:entry. */
	probe beam__entry(uint64_t a0 : term, uint64_t a1 : term, uint64_t a2 : term, uint64_t a3 : term,
			  uint64_t a4 : term, uint64_t a5 : term, uint64_t a6 : term, uint64_t a7 : term,
			  char *p : pid, char *mfa : mfa);

	/* The same with the depth of the stack, in words. In D erlang*:MODULE:FUNCTION/ARITY:function-entry, by the names that
	 * OTP has for it. */
	probe beam__old__entry(uint64_t a0 : number, uint64_t a1 : number, uint64_t a2 : number, uint64_t depth : number,
			       uint64_t a4 : number, uint64_t a5 : number, uint64_t a6 : number, uint64_t a7 : number,
			       char *p : pid, char *mfa : mfa);

	/* Such a function returns: its result, how long the call took, and how many words the stack had when it began. The arguments
	 * between are none. In D beam*:MODULE:FUNCTION/ARITY:return. */
	probe beam__return(uint64_t none : number, uint64_t result : term, uint64_t took : number, uint64_t depth : number,
			   uint64_t a4 : number, uint64_t a5 : number, uint64_t a6 : number, uint64_t a7 : number,
			   char *p : pid, char *mfa : mfa);

	/* An exception ends such a call, and is caught by a caller. In D beam*:MODULE:FUNCTION/ARITY:exception. */
	probe beam__exception(uint64_t class : term, uint64_t reason : term, uint64_t took : number, uint64_t depth : number,
			      uint64_t a4 : number, uint64_t a5 : number, uint64_t a6 : number, uint64_t a7 : number,
			      char *p : pid, char *mfa : mfa);

	/* A process has ended, and with it the calls that it was within. */
	probe beam__gone(char *p : pid);

	/* A function of the VM is called. `erlbpf uprobe` selects the functions. */
	probe uprobe__entry(char *p : pid);

	/* A function of the VM returns. `erlbpf uprobe` selects the functions. */
	probe uprobe__return(char *p : pid);

	/* The C function of a BIF returns. The arguments do not say which BIF it is. */
	probe bif__call(char *p : pid);

	/* Messages, or signals that become messages, are put into a mailbox: a list from `first` to the one
	 * whose `next` field is at `last`. `sender` is not always a pid. */
	probe message__enqueued(char *receiver : pid, char *sender : pid, uint64_t first : address,
				uint64_t last : address);

	/* Messages are dropped: `first` and all after it in the list. */
	probe message__dropped(uint64_t first : address);

	/* A message is removed from a mailbox, by receive or because an exit signal is handled. own, middle
	 * and outer: how many messages remain in the private queue of the process, in its middle queue, and in
	 * the queue that senders use. */
	probe message__removed(char *p : pid, uint64_t message : address, uint64_t own : count,
			       uint64_t middle : count, uint64_t outer : count);

	/* A process sends a signal to a peer node. A large signal is sent in parts, and the probe fires for each
	 * part. `connection` is the address of the VM's entry for the peer. */
	probe dist__send(char *p : pid, uint64_t peer : term, uint64_t connection : address);

	/* A packet is ready to be written to the connection to a peer. bytes: without the header of the
	 * carrier. */
	probe dist__packet(uint64_t peer : term, uint64_t bytes : bytes);

	/* The connection to a peer is up. `flags`: capabilities of the distribution protocol. */
	probe node__up(uint64_t peer : term, uint64_t flags : flags);

	/* The connection to a peer ends. Its monitors have not been notified yet. */
	probe node__down(uint64_t peer : term, uint64_t flags : flags, uint64_t reason : term);

	/* A process is suspended: by a busy port, by a busy connection to a peer, or for another reason. `port`
	 * is only set for a busy port. */
	probe process__suspend(char *p : pid, char *port : port);

	/* One suspended process is resumed. */
	probe process__resume(char *p : pid);

	/* A list of suspended processes is resumed: those that waited for a port or for a connection. */
	probe processes__resume(uint64_t list : address);

	/* A callback of a driver returns. bytes: how many it got, if any. port: the address of the port, if
	 * the callback has it. callback: a number, see translators.def. */
	probe driver__callback(uint64_t bytes : number, uint64_t port : number, int callback : number);

	/* The opening of a file has ended. error: 0 or an errno. */
	probe file__open(char *path : text, uint64_t handle : number, int error : number);

	/* The closing of a file has ended. */
	probe file__close(uint64_t handle : number, int fd : number);

	/* Another file operation, on a path or on an open file, has ended. bytes: read or written; negative if
	 * it failed. */
	probe file__call(char *path : text, uint64_t handle : number, int fd : number, uint64_t bytes : number);

	/* A process starts to wait for a dirty I/O scheduler, to run a NIF there. */
	probe dirty_io__queued(char *p : pid);

	/* A dirty scheduler starts to run a NIF for a process. waiting: how many processes are in its run
	 * queue. */
	probe dirty_nif__start(char *p : pid, int waiting : number);

	/* A driver queues a job for the async threads. p: the owner of the port. */
	probe async__queued(char *p : pid, char *port : port, char *port_name : text, uint64_t data : number);

	/* The driver gets the result of a job of the async threads. p: the owner of the port. */
	probe async__ready(char *p : pid, char *port : port, uint64_t data : number);

	/* A driver queues a job for the async threads. queue_len: jobs that were queued since the trace
	 * started and have not ended. In D, an old name of the provider erlang. */
	probe aio_pool__add(int thread : number, int queue_len : count);

	/* The driver gets the result of a job of the async threads. In D, an old name of the provider erlang. */
	probe aio_pool__get(int thread : number, int queue_len : count);

	/* A file operation of prim_file starts. command: the number that the operation had in efile_drv. In D,
	 * an old name of the provider erlang. */
	probe efile_drv__entry(int thread : number, int tag : number, char *user_tag : text, int command : number,
			       char *path : text);

	/* The same event as efile_drv-entry; efile_drv had two probes for it. */
	probe efile_drv__int_entry(int thread : number, int tag : number, char *user_tag : text,
				   int command : number);

	/* The file operation has ended. */
	probe efile_drv__int_return(int thread : number, int tag : number, char *user_tag : text,
				    int command : number);

	/* The same event as efile_drv-int_return. */
	probe efile_drv__return(int thread : number, int tag : number, char *user_tag : text,
				int command : number);

	/* A port is closed and freed. It gets no more results of async jobs. */
	probe port__gone(char *port : port);

	/* A callback of an inet driver returns. received, sent: total bytes of the socket after the callback;
	 * *_before: the same before it. at: the address of the VM's structure for the socket. */
	probe inet__callback(char *p : pid, char *port : port, int family : number, int type : number,
			     int protocol : number, uint64_t received_before : number,
			     uint64_t received : number, uint64_t sent_before : number,
			     uint64_t sent : number, uint64_t at : number);

	/* A NIF of prim_socket returns. The arguments have the same meaning as for inet-callback. */
	probe socket__call(char *p : pid, int fd : number, int family : number, int type : number,
			   int protocol : number, uint64_t received_before : number,
			   uint64_t received : number, uint64_t sent_before : number,
			   uint64_t sent : number, uint64_t at : number);

	/* A socket of an inet driver is closed. at: the address of the VM's structure for it. */
	probe inet__stop(char *p : pid, char *port : port, int family : number, int type : number,
			 int protocol : number, uint64_t at : number);

	/* A thread starts to work for a port. current: where the thread stores the address of that port. */
	probe port__work(uint64_t current : number);

	/* A scheduler starts to fire its timers that are due. now: the VM's monotonic time, in ns. */
	probe timers__fire(uint64_t now : number);

	/* A scheduler has fired its timers that were due. now: the VM's monotonic time, in ns. */
	probe timers__fired(uint64_t now : number);

	/*
	 * A timer has fired or was cancelled, and the VM frees its structure. p: the process or port of the timer;
	 * empty if the timer was set for a registered name, which is then in name. due: in ms of the VM's
	 * monotonic time.
	 */
	probe timer__dropped(char *p : pid, uint64_t name : term, uint64_t due : number, int flags : flags,
			     int state : number);

	/* Code of an application calls erlbpf:probe/1 or probe/2 of the package erlbpf (probes/app). The process,
	 * the name of the probe and its term. In D also app*:::NAME. */
	probe app__probe(char *p : pid, char *name : name, uint64_t data : term);

	/* A span of the package erlbpf begins (event 0), ends (1), or ends by an exception (2): erlbpf:span/2, span/3.
	 * parent: the span around it, or 0. took: in ns, 0 when it begins. trace: the OpenTelemetry trace id, an
	 * integer, or []. In D also app*:::NAME. */
	probe app__span(char *p : pid, char *name : name, uint64_t data : term, int event : number,
			uint64_t span : number, uint64_t parent : number, uint64_t took : number,
			uint64_t trace : term);
};
