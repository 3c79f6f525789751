/*
 * What the Erlang VM can tell: every probe of the provider "erlang", once.
 *
 * This is D: "__" in a name stands for "-" (process__spawn is process-spawn), and an argument is
 * written `C type, name : kind`. The kind says what the argument means, whichever way it is read:
 *
 *   pid port node      identifiers and node names    name text reason     text, bounded by the VM
 *   mfa                module:function/arity         process              a pid or a port
 *   words bytes        sizes                         count number flags depth label    numbers
 *
 * The comment above a probe says when it fires. Then, each on lines of its own:
 *
 *   WRONG:        what the probe is known to report that is not so
 *   DENY always:  why no wildcard enables it, and why an explicit request needs --unsafe
 *   DENY jit:     the same, on the JIT flavor only
 *   NEVER:        why no VM fires it
 *   EMU ONLY:     what is left of it on the JIT flavor
 *   NOTE ONLY:    why no function of a VM without notes can stand for it
 *
 * The names, their order and their arguments are those of OTP's erts/emulator/beam/erlang_dtrace.d,
 * identical in 25.2.3, 27.3.4.1 and 29.1.1. What was measured about them is OTP 25.2.3's.
 * probes/gen.c turns this file into tables and the fake BEAM of the tests.
 */
provider erlang {
	/* A local process sends a message.
	 * WRONG: also fires for messages to other nodes, in addition to message-send-remote. */
	probe message__send(char *sender : pid, char *receiver : pid, uint32_t size : words,
			    int token_label : label, int token_previous : number,
			    int token_current : number);

	/* A local process sends a message to a process on another node. */
	probe message__send__remote(char *sender : pid, char *node_name : node,
				    char *receiver : name, uint32_t size : words,
				    int token_label : label, int token_previous : number,
				    int token_current : number);

	/* A message enters the private queue of its receiver.
	 * WRONG: fires in the receiver when it fetches its signals, not when the message is sent;
	 * queue_len counts the private queue only. */
	probe message__queued(char *receiver : pid, uint32_t size : words, uint32_t queue_len : count,
			      int token_label : label, int token_previous : number,
			      int token_current : number);

	/* A process takes a message out of its mailbox.
	 * WRONG: queue_len counts the private queue only. */
	probe message__receive(char *receiver : pid, uint32_t size : words, uint32_t queue_len : count,
			       int token_label : label, int token_previous : number,
			       int token_current : number);

	/* A term is copied. The probe does not say to which process. */
	probe copy__struct(uint32_t size : words);

	/* A term is copied to a process. */
	probe copy__object(char *proc : pid, uint32_t size : words);

	/* A function is called by a local call.
	 * EMU ONLY: the probe site exists, but compiled code never reaches it. */
	probe local__function__entry(char *p : pid, char *mfa : mfa, int depth : depth);

	/* A function is called through an export entry.
	 * DENY jit: while this probe is on, apply/3 on a BIF of a module that is not loaded yet crashes
	 * the VM (erts_code_to_codemfa of a shared fragment).
	 * EMU ONLY: only fires for apply and for calls of funs from C code. */
	probe global__function__entry(char *p : pid, char *mfa : mfa, int depth : depth);

	/* A function returns.
	 * WRONG: does not fire for the instruction deallocate_return, which ends most functions that call
	 * other functions.
	 * EMU ONLY: there is no probe site. */
	probe function__return(char *p : pid, char *mfa : mfa, int depth : depth);

	/* A built-in function is called.
	 * EMU ONLY: there is no probe site. */
	probe bif__entry(char *p : pid, char *mfa : mfa);

	/* A built-in function returns.
	 * EMU ONLY: there is no probe site. */
	probe bif__return(char *p : pid, char *mfa : mfa);

	/* A native function (NIF) is called.
	 * EMU ONLY: only fires for dirty NIFs. */
	probe nif__entry(char *p : pid, char *mfa : mfa);

	/* A native function (NIF) returns.
	 * EMU ONLY: only fires for dirty NIFs. */
	probe nif__return(char *p : pid, char *mfa : mfa);

	/* A major garbage collection of a process starts. */
	probe gc_major__start(char *p : pid, int need : words);

	/* A minor garbage collection of a process starts. */
	probe gc_minor__start(char *p : pid, int need : words);

	/* A major garbage collection of a process ends. */
	probe gc_major__end(char *p : pid, int reclaimed : words);

	/* A minor garbage collection of a process ends. */
	probe gc_minor__end(char *p : pid, int reclaimed : words);

	/* A process is spawned. */
	probe process__spawn(char *p : pid, char *mfa : mfa);

	/* A process exits. */
	probe process__exit(char *p : pid, char *reason : reason);

	/* An exit signal is sent to a local process. */
	probe process__exit_signal(char *sender : process, char *receiver : pid, char *reason : reason);

	/* An exit signal is sent to a process on another node. */
	probe process__exit_signal__remote(char *sender : process, char *node_name : node,
					   char *receiver : name, char *reason : reason,
					   int token_label : label, int token_previous : number,
					   int token_current : number);

	/* A scheduler starts to run a process.
	 * EMU ONLY: the note only fires on dirty schedulers; erlbpf probes the return of erts_schedule
	 * instead. */
	probe process__scheduled(char *p : pid, char *mfa : mfa);

	/* A scheduler stops running a process. */
	probe process__unscheduled(char *p : pid);

	/* A process hibernates. */
	probe process__hibernate(char *p : pid, char *mfa : mfa);

	/* A process that waited for a busy port continues.
	 * DENY always: if a process waits for a busy port while this probe is on, a scheduler spins for
	 * ever, even after the probe is off (the loop around the probe in io.c and erl_port_task.c never
	 * advances). */
	probe process__port_unblocked(char *p : pid, char *port : port);

	/* The heap of a process grows. */
	probe process__heap_grow(char *p : pid, int old_size : words, int new_size : words);

	/* The heap of a process shrinks. */
	probe process__heap_shrink(char *p : pid, int old_size : words, int new_size : words);

	/* A process that monitors nodes gets a nodeup or nodedown message. */
	probe dist__monitor(char *node : node, char *what : name, char *monitored_node : node,
			    char *type : name, char *reason : reason);

	/* A process is suspended because the connection to another node is busy. */
	probe dist__port_busy(char *node : node, char *port : port, char *remote_node : node,
			      char *pid : pid);

	/* The output callback of a distribution driver is called.
	 * WRONG: never fires with the standard driver, which uses outputv. */
	probe dist__output(char *node : node, char *port : port, char *remote_node : node,
			   int bytes : bytes);

	/* The outputv callback of a distribution driver is called.
	 * WRONG: bytes is never set; its value is 0 or stale. */
	probe dist__outputv(char *node : node, char *port : port, char *remote_node : node,
			    int bytes : bytes);

	/* The connection to another node is no longer busy.
	 * WRONG: may fire several times after one dist-port_busy. */
	probe dist__port_not_busy(char *node : node, char *port : port, char *remote_node : node);

	/* A port is opened. */
	probe port__open(char *process : process, char *port_name : text, char *port : port);

	/* A port gets a command: close, command or connect. */
	probe port__command(char *process : process, char *port : port, char *port_name : text,
			    char *command_type : name);

	/* A port gets a control operation (port_control/3).
	 * WRONG: inet ports add the magic number 0x03f1a300 to command_no. */
	probe port__control(char *process : process, char *port : port, char *port_name : text,
			    int command_no : number);

	/* A port is closed, or gets an exit signal.
	 * WRONG: OTP calls the fourth argument new_process, but it is the exit reason. */
	probe port__exit(char *process : process, char *port : port, char *port_name : text,
			 char *new_process : reason);

	/* A port gets a new owner. */
	probe port__connect(char *process : process, char *port : port, char *port_name : text,
			    char *new_process : pid);

	/* A port becomes busy. */
	probe port__busy(char *port : port);

	/* A port is no longer busy. */
	probe port__not_busy(char *port : port);

	/* A driver's init callback is called. */
	probe driver__init(char *name : text, int major : number, int minor : number,
			   int flags : flags);

	/* A driver's start callback is called. */
	probe driver__start(char *process : process, char *name : text, char *port : port);

	/* A driver's stop callback is called.
	 * WRONG: process may be garbage if the port has no owner. */
	probe driver__stop(char *process : process, char *name : text, char *port : port);

	/* A driver is unloaded. */
	probe driver__finish(char *name : text);

	/* A driver's flush callback is called. */
	probe driver__flush(char *process : process, char *port : port, char *port_name : text);

	/* A driver's output callback is called.
	 * WRONG: OTP calls the first argument node, but it is the process. */
	probe driver__output(char *node : process, char *port : port, char *port_name : text,
			     int bytes : bytes);

	/* A driver's outputv callback is called.
	 * WRONG: OTP calls the first argument node, but it is the process. */
	probe driver__outputv(char *node : process, char *port : port, char *port_name : text,
			      int bytes : bytes);

	/* A driver's control callback is called.
	 * WRONG: OTP calls the first argument node, but it is the process; inet drivers add the magic
	 * number 0x03f1a300 to command. */
	probe driver__control(char *node : process, char *port : port, char *port_name : text,
			      int command : number, int bytes : bytes);

	/* A driver's call callback is called.
	 * WRONG: OTP calls the first argument node, but it is the process. */
	probe driver__call(char *node : process, char *port : port, char *port_name : text,
			   int command : number, int bytes : bytes);

	/* A driver's event callback is called.
	 * NEVER: OTP has removed the callback; the probe is declared but has no site. */
	probe driver__event(char *node : process, char *port : port, char *port_name : text);

	/* A driver's ready_input callback is called.
	 * WRONG: OTP calls the first argument node, but it is the process. */
	probe driver__ready_input(char *node : process, char *port : port, char *port_name : text);

	/* A driver's ready_output callback is called.
	 * WRONG: OTP calls the first argument node, but it is the process. */
	probe driver__ready_output(char *node : process, char *port : port, char *port_name : text);

	/* A driver's timeout callback is called.
	 * WRONG: OTP calls the first argument node, but it is the process. */
	probe driver__timeout(char *node : process, char *port : port, char *port_name : text);

	/* A driver's ready_async callback is called. */
	probe driver__ready_async(char *process : process, char *port : port, char *port_name : text);

	/* A driver's process_exit callback is called.
	 * WRONG: OTP calls the first argument node, but it is the process. */
	probe driver__process_exit(char *node : process, char *port : port, char *port_name : text);

	/* A driver's stop_select callback is called.
	 * WRONG: name is truncated to seven characters. */
	probe driver__stop_select(char *name : text);

	/* A trace event of the tracer module dyntrace.
	 * NEVER: no build of the module has a probe site. */
	probe trace(char *p : process, char *event : name, char *state : text, char *arg1 : text,
		    char *arg2 : text);

	/* A seq_trace event of the tracer module dyntrace.
	 * NEVER: no build of the module has a probe site. */
	probe trace_seq(char *state : text, char *label : text, char *seq_info : text);
};
