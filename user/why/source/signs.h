/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the sources observed of a node: numbers and texts that the rules judge. All texts are hostile. A share is from 0
 * to 1. Values that could not be read are 0 or "".
 */
#ifndef ERLBPF_WHY_SIGNS_H
#define ERLBPF_WHY_SIGNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SIGN_NAME 320
#define SIGN_STACK 640
#define SIGN_FEW 4 /* the worst ones of a kind */

/* A process of the node. */
struct sign_process {
	uint64_t id; /* 0: none */
	char pid[40];
	char name[SIGN_NAME];
	char function[SIGN_NAME]; /* the most frequent function, or the one that it waits in */
	char stack[SIGN_STACK];	  /* the function and its callers, newest first: "f/1 < g/2" */
	double busy;		  /* share of one scheduler */
	bool is_waiting;	  /* at the last reading */
};

#define SIGN_SENDERS 3

/* A sender to a mailbox: a process, several of the same name, a port, or a node. */
struct sign_sender {
	char name[SIGN_NAME];
	char pid[40]; /* of one of them; "": none */
	size_t processes;
	bool has_ended;
	double share; /* of the messages seen to arrive */
};

/* Servers that processes wait for implicitly: system_servers.c. */
enum system_server { SERVICE_NONE, SERVICE_LOG, SERVICE_IO, SERVICE_CODE };

#define SERVICE_BACKLOG                                                                                                \
	5 /* messages that wait for one all the time: it is too slow, even if it slows down who sends                  \
	   */

/* `least`: the shortest length; `rises`: the steps in which it grew (it never shrank). */
struct sign_mailbox {
	struct sign_process process;
	uint64_t length, grown, least;
	unsigned int rises;
	bool is_growing, is_waiting, is_suspended;
	bool searches; /* scans 1,000 messages or more, past the oldest, which it never takes */
	enum system_server service;
	double arrivals_per_s; /* 0: not known */
	struct sign_sender senders[SIGN_SENDERS];
	size_t sender_count;
	size_t callers; /* sampled processes that wait for its reply now */
	struct sign_process
		waits_for; /* the process at the end of the chain of `steps` calls that it waits for; id 0: none */
	size_t steps;
	bool is_circle; /* the chain is a cycle */
};

/* New processes of one parent that still exist. */
struct sign_growth {
	struct sign_process parent, one; /* one: of them */
	uint64_t spawned, stayed, idle;	 /* idle: did nothing after the start */
};

struct sign_process_memory {
	struct sign_process process;
	uint64_t heap, binaries; /* bytes */
	uint64_t references;	 /* to binaries, as many as were counted; 0: not known */
	int64_t heap_grown, binaries_grown;
};

/* A process that kept a normal scheduler without yielding. */
struct sign_slice {
	struct sign_process process;
	uint64_t longest_ns;
	uint64_t count, total_ns; /* of the long slices */
	double ran;		  /* share of that time in which its thread had a CPU */
	double collecting;	  /* share of that time in garbage collections */
};

/* Normal schedulers that slept while they ran a process. */
struct sign_blocked {
	struct sign_process process; /* the most frequent one */
	char function[SIGN_NAME];
	char table[SIGN_NAME]; /* for functions of ets: the most frequent table */
	double share;	       /* of the time of all schedulers */
	uint64_t processes;
	struct sign_process other; /* a process in a function of the same module that did not sleep */
};

/* Processes that are suspended because a port or connection is busy. */
struct sign_busy {
	struct sign_process process; /* the most frequent one */
	bool is_connection;
	char what[SIGN_NAME];  /* the peer, or the port */
	char owner[SIGN_NAME]; /* of a port */
	uint64_t queued;       /* bytes; connections only */
	double share;	       /* of the samples */
	uint64_t processes;
};

/* Sampled processes that wait for the same kind of thing. */
struct sign_wait_group {
	struct sign_process process; /* one of them, preferably an idle one */
	uint64_t processes, still;   /* still: idle since the previous reading */
	uint64_t idle;		     /* idle all the time */
};

/* A server with an empty mailbox, whose callers have a timeout and wait for long. */
struct sign_late_answers {
	struct sign_process process, caller; /* caller: the one that waits longest */
	uint64_t callers, longest_ns;
	struct sign_process holder; /* the process, among those that it monitors and that do not wait for it, that has
				       been idle for longest; id 0: none */
	uint64_t holders;
};

/* A server that takes long for each reply, while requests always wait in its mailbox. */
struct sign_slow_server {
	struct sign_process process, caller; /* process: id 0: none; caller: the one that waits longest */
	uint64_t callers, longest_ns, least;
};

/* Calls whose cost grows with their data: costly_calls.c. */
enum costly_call {
	COSTLY_SEARCH,
	COSTLY_INSPECT,
	COSTLY_COPY,
	COSTLY_SPAWN,
	COSTLY_LIST,
	COSTLY_LOG,
	COSTLY_LOOKUP,
	COSTLY_INSERT,
	COSTLY_TERM,
	COSTLY_CALLS
};

#define COSTLY_SHARE 0.3 /* of the scheduler time without collections; from there on, the process is known */

struct sign_costly_call {
	struct sign_process process; /* the most frequent one */
	double share;
};

enum state_kind { STATE_MAP, STATE_DICTIONARY, STATE_LIST };

/* A process whose state or process dictionary grew in each sample; id 0: none. */
struct sign_state_growth {
	struct sign_process process;
	enum state_kind kind;
	uint64_t elements, before, heap; /* heap: bytes */
	double bytes_per_s;		 /* if all elements are alike, and the heap has nothing else */
};

/* A process that appends to a large binary by copying it; id 0: none. */
struct sign_binary_appends {
	struct sign_process process;
	uint64_t least, most;  /* bytes of the binary */
	uint64_t looks, grown; /* samples in which it was larger than before */
};

/* Processes that call fsync. */
struct sign_sync {
	struct sign_process process; /* the most frequent one; id 0: none */
	double share;		     /* of the time of this process */
	double threads;		     /* dirty I/O schedulers in fsync, on average */
	uint64_t processes, callers; /* callers: sampled processes that wait for its reply */
};

/* The table that is searched, looked up in, or inserted into most. */
struct sign_table_use {
	uint64_t table; /* id of its name; 0: not known */
	char name[SIGN_NAME];
	uint64_t objects, bytes; /* of the largest table of this name */
	bool is_bag;
	double matching; /* share of match specifications among the samples */
};

/* A process that receives trace messages. */
struct sign_tracer {
	struct sign_process process; /* id 0: none found */
	char what[SIGN_NAME];	     /* one of them */
	bool is_growing;	     /* its mailbox */
};

/* Processes that always wait with short timeouts. */
struct sign_short_timeouts {
	struct sign_process process; /* one of them */
	uint64_t processes;	     /* estimated from the sampled processes */
	double wait_ms, wakes_per_s;
};

/* What busy loops do: poll the empty mailbox, yield, or repeat a call. */
enum busy_loop { LOOP_MAILBOX, LOOP_YIELD, LOOP_SAME_CALL, LOOPS };

/* Processes in busy loops. */
struct sign_busy_loops {
	struct sign_process process; /* the busiest one */
	enum busy_loop spin;	     /* what it does */
	uint64_t processes;
	double busy; /* schedulers used in total */
};

#define RECONNECTS_LEAST 3 /* connections or attempts to a node while watched */

/* The node with most connections or attempts. */
struct sign_reconnects {
	char peer[SIGN_NAME];
	uint64_t times;
	size_t peers; /* nodes with RECONNECTS_LEAST or more */
};

/* The process with most pending timers. */
struct sign_process_timers {
	struct sign_process process;
	uint64_t timers, before; /* as many as were counted */
};

/* Connections that wait to be accepted. */
struct sign_accept_queue {
	struct sign_process process; /* owner of the socket; id 0: not known */
	unsigned int port;	     /* TCP port */
	uint64_t waiting, least;
};

/* A process that has many monitors of a few things. */
struct sign_monitors {
	struct sign_process process, of; /* of: the process with most of them; id 0: not on this node, or */
	uint64_t of_one;		 /* how many are of that one */
	bool are_aliases;		 /* they are aliases of the process itself */
	uint64_t count, before, things;	 /* things: monitored ones */
	bool is_more;			 /* more exist than were counted */
};

/* Processes that wait for replies of each other in a cycle. */
struct sign_deadlock {
	struct sign_process one, other;
	size_t processes; /* 0: none */
};

/* An idle process, and the number of processes that wait for its reply, directly or through others. */
struct sign_stalled {
	struct sign_process process;
	uint64_t processes; /* 0: none */
};

/* Processes that ran in one function all the time and allocated nothing. */
struct sign_long_call {
	struct sign_process process; /* the busiest one */
	uint64_t processes;
};

/* A supervisor whose children keep exiting. */
struct sign_restarts {
	struct sign_process process, child; /* child: one that existed at the end */
	uint64_t found;			    /* samples of the supervisor in a restart */
	uint64_t seen, stayed;		    /* children: new ones, and those that still exist */
	uint64_t logged;		    /* restarts in its own log while watched */
	uint64_t same_name;		    /* processes, in a reading each, that */
	char name[SIGN_NAME];		    /* registered this name */
};

#define SIGN_PLACE 64

/* The longest wait of a dirty I/O scheduler for a file or a disk. */
struct sign_io_wait {
	struct sign_process process;
	uint64_t longest_ns;
	char place[SIGN_PLACE]; /* function of the kernel; "": not known */
	double threads;		/* waiting threads, on average */
};

struct sign_limit {
	uint64_t used, most, before; /* before: at the first reading */
	double per_s;
	bool is_steady; /* it grew in every step */
};

/* The process with most new ones. */
struct sign_owner {
	struct sign_process process;
	uint64_t made;
	char name[SIGN_NAME]; /* of one of them */
};

/* An ETS table that grew, in bytes or objects. */
struct sign_table {
	struct sign_process owner;
	char name[SIGN_NAME];
	uint64_t bytes, grown;
};

/* Purges of code or persistent terms by a process of the VM: purges.c. */
struct sign_purge {
	double reds_per_s;	     /* of that process */
	bool is_steady;		     /* it ran in every step */
	struct sign_process process; /* the cause, if it was found running */
};

struct sign_pool {
	size_t schedulers;
	double busy;		     /* mean share of time with a process or port to run */
	double full;		     /* share of samples in which all of them were busy */
	struct sign_process process; /* the busiest one */
};

/* How a normal scheduler spends its time: shares with the sum 1, or all 0 if not known. */
struct sign_time_shares {
	double code;	   /* Erlang code, and short BIFs and NIFs */
	double long_calls; /* BIFs and NIFs that do not yield for 20 ms of CPU time */
	double ports, collecting;
	double busy_wait;	    /* runs with nothing to run */
	double blocked;		    /* asleep with something to run */
	double asleep;		    /* asleep with nothing to run */
	double cpu_wait, throttled; /* ready to run without a CPU: others use it, or the control group is throttled */
};

/* CPU time that the kernel gives to the threads of normal schedulers: shares of their time. */
struct sign_cpu {
	bool is_known;
	double ran, waited;
	bool has_quota; /* a control group limits the CPU time */
	uint64_t periods, throttled_periods, throttled_ns;
	double quota; /* CPUs; 0: not known */
	char group[SIGN_NAME];
};

struct sign_memory {
	uint64_t resident;   /* bytes; 0: not known */
	uint64_t limit;	     /* of the control group, or of the machine */
	bool has_group;	     /* a control group limits the memory */
	uint64_t group_used; /* without the page cache; 0: not known */
	char group[SIGN_NAME];
	uint64_t limit_hits; /* how often the group reached its limit */
	double stalled;	     /* share of the time in which a task of the group, or of the machine, waited for memory */
	double major_faults_per_s;
	uint64_t swapped; /* bytes */
};

struct sign_allocators {
	uint64_t carriers, blocks; /* bytes, of all; 0: not known */
	char worst[32];		   /* the allocator with most unused memory */
	uint64_t worst_carriers, worst_blocks;
};

struct sign_open_files {
	struct sign_limit limit;
	uint64_t sockets, files, others; /* of the first few thousand */
	char last[SIGN_NAME];		 /* path of one of the files */
};

/* What schedulers ran when they were sampled. */
struct sign_schedulers {
	uint64_t looks; /* samples */
	struct sign_pool normal, dirty_cpu, dirty_io;
	size_t online;			    /* normal schedulers; 0: not known */
	double urgent;			    /* share of what normal schedulers ran that has priority high or max */
	struct sign_process urgent_process; /* which ran most of it */
	struct sign_slice slices[SIGN_FEW];
	struct sign_blocked blocked[SIGN_FEW];
	size_t slice_count, blocked_count;
};

/* The run queues. */
struct sign_queue {
	double runnable;  /* processes that were ready to run and did not, on average */
	uint64_t starved; /* processes of lower priority that were ready to run and never ran */
	struct sign_process starved_process;
};

/* Garbage collections. */
struct sign_gc {
	uint64_t samples;	     /* that are independent: another process, or another part of its work */
	double share;		     /* of the time that normal and dirty CPU schedulers run something */
	bool is_burst;		     /* nearly all of it in half of the steps */
	struct sign_process process; /* which is collected most */
	bool are_children;	     /* ... its short-lived children, not itself */
	double process_share;	     /* of the running time of the process or its children */
	bool hibernates;	     /* the process: each time all of its heap is collected */
	struct sign_process caller;  /* a running process that forces others to be collected; id 0: none */
};

struct sign_atoms {
	struct sign_limit limit;
	struct sign_process maker;
	bool is_maker_seen; /* it was found in a function that makes atoms; else it is only the busiest process */
	bool loads_code;    /* if sign_code is not known: a process was found loading */
	char newest[SIGN_NAME];
};

/* Loaded code. */
struct sign_code {
	bool is_known;
	uint64_t grown; /* bytes */
	struct sign_purge purge;
};

struct sign_spawns {
	double per_s;
	struct sign_process spawner;
	struct sign_growth growth;
};

/* Values that only rose for an hour; 0: they did not, or it is not known. The agent fills them. */
struct sign_hourly {
	uint64_t processes_before, processes_now;
	uint64_t bytes_before, bytes_now;
};

/* ETS tables; `most` of the limits is not known. */
struct sign_tables {
	struct sign_limit count, bytes;
	struct sign_owner created;
	struct sign_table grown;  /* the one that grew most, by bytes */
	struct sign_table filled; /* by objects */
};

struct sign_ports {
	struct sign_limit limit;
	struct sign_owner opened;
};

struct sign_timers {
	struct sign_limit pending;
	struct sign_process maker;
	struct sign_process_timers receiver; /* of most of them */
};

/* Persistent terms. */
struct sign_terms {
	struct sign_limit literals; /* bytes */
	struct sign_process writer;
	struct sign_purge purge;
};

/* Binaries outside of heaps. */
struct sign_binary_use {
	struct sign_limit bytes;
	int64_t referred_grown; /* bytes, once for each reference of a process */
};

struct sign_costly {
	struct sign_costly_call calls[COSTLY_CALLS];
	struct sign_table_use searched, looked_up, inserted;
	double slow_inserts;	       /* share of the inserts of the main inserter that did not end at once */
	struct sign_process copied_to; /* main receiver of large messages; id 0: not known */
	struct sign_process writer;    /* found most often writing to a device; id 0: none */
};

/* What processes wait for. */
struct sign_waits {
	struct sign_wait_group dns, send, peer, accept;
	struct sign_wait_group global_lock, global_lock_held;
	struct sign_wait_group mnesia, mnesia_held; /* for locks; idle or not in a transaction that has its locks */
	struct sign_wait_group mnesia_restart;	    /* before a transaction is restarted */
	struct sign_wait_group log_handler;	    /* in handlers of logger that are not part of OTP */
	struct sign_wait_group start;		    /* for an application to start */
	struct sign_process started;		    /* the last process that the start waits for; id 0: none */
	struct sign_wait_group terms, code,
		gc; /* in functions of persistent_term and code; for others to be collected */
	struct sign_deadlock deadlock;
	struct sign_stalled stalled;
	struct sign_late_answers late_answers;
	struct sign_slow_server slow_server;
};

struct signs {
	uint64_t elapsed_ns;
	uint64_t processes;
	struct sign_cpu cpu;
	struct sign_memory memory;
	struct sign_allocators allocators;
	struct sign_open_files files;
	struct sign_accept_queue accept_queue;
	struct sign_io_wait io_wait;
	struct sign_schedulers schedulers;
	struct sign_time_shares time_shares;
	struct sign_queue queue;
	struct sign_gc gc;
	struct sign_binary_appends binary_appends;
	struct sign_long_call long_call;
	struct {
		struct sign_mailbox worst[SIGN_FEW];
		size_t count;
	} mailboxes;
	struct {
		struct sign_process_memory largest[SIGN_FEW];
		size_t count;
	} heaps, binaries;
	struct {
		struct sign_busy worst[SIGN_FEW];
		size_t count;
	} suspended;
	struct sign_process busiest; /* did most reductions */
	struct sign_limit process_limit;
	struct sign_ports ports;
	struct sign_atoms atoms;
	struct sign_code code;
	struct sign_terms terms;
	struct sign_spawns spawns;
	struct sign_restarts restarts;
	struct sign_hourly hourly;
	struct sign_tables tables;
	struct sign_timers timers;
	struct sign_binary_use binary_use;
	struct sign_monitors monitors;
	struct sign_state_growth state_growth;
	struct sign_short_timeouts short_timeouts;
	struct sign_busy_loops busy_loops;
	struct sign_reconnects reconnects;
	struct sign_tracer tracer;
	struct sign_costly costly;
	struct sign_sync file_sync;
	struct sign_waits waits;
};

#endif
