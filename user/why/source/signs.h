/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What was seen of a node for some seconds: plain numbers and texts, which rules.h judges. All texts are hostile. A
 * share is from 0 to 1. What could not be read is 0 or "".
 */
#ifndef ERLBPF_WHY_SIGNS_H
#define ERLBPF_WHY_SIGNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SIGN_NAME 320
#define SIGN_STACK 640
#define SIGN_FEW 4 /* of a kind, the worst ones */

/* A process of the node. */
struct sign_process {
	uint64_t id; /* 0: nobody */
	char pid[40];
	char name[SIGN_NAME];
	char function[SIGN_NAME]; /* the function that it was seen in most, or waits in */
	char stack[SIGN_STACK];	  /* that and its callers, newest first: "f/1 < g/2" */
	double busy;		  /* share of one scheduler that it used */
	bool is_waiting;	  /* at the last look */
};

#define SIGN_SENDERS 3

/* Who sends to a mailbox: a process or several of the same name, a port, a node. */
struct sign_sender {
	char name[SIGN_NAME];
	char pid[40]; /* of one of them, "": it has none */
	size_t processes;
	bool has_ended;
	double share; /* of the messages that were seen to come in */
};

/* Servers that others wait for without thinking of it: services.h. */
enum system_server { SERVICE_NONE, SERVICE_LOG, SERVICE_IO, SERVICE_CODE };

#define SERVICE_BACKLOG                                                                                                \
	5 /* messages that wait for one all the time: it is too slow, even if it slows down who sends                  \
	   */

/* `floor` is the shortest that it was, `rises` in how many of the steps it grew; it fell in none of them. */
struct sign_mailbox {
	struct sign_process process;
	uint64_t length, grown, least;
	unsigned int rises;
	bool is_growing, is_waiting, is_suspended;
	bool searches; /* 1,000 messages or more, past the oldest of them, which it never takes */
	enum system_server service;
	double arrivals_per_s; /* 0: not known */
	struct sign_sender senders[SIGN_SENDERS];
	size_t sender_count;
	size_t callers; /* of the processes that were looked at, those that wait for its answer now */
	struct sign_process
		waits_for; /* whose answer it waits for, over `steps` processes that wait themselves; id 0: nobody's */
	size_t steps;
	bool is_circle; /* that one waits for one of those before */
};

/* Processes that were spawned meanwhile and are there still, of the parent that has most of them. */
struct sign_growth {
	struct sign_process parent, one; /* one: of them */
	uint64_t spawned, stayed, idle;	 /* idle: did nothing after they began */
};

struct sign_process_memory {
	struct sign_process process;
	uint64_t heap, binaries; /* bytes */
	uint64_t references;	 /* to binaries; as many as were counted. 0: not known */
	int64_t heap_grown, binaries_grown;
};

/* A process that kept a normal scheduler without yielding. */
struct sign_slice {
	struct sign_process process;
	uint64_t longest_ns;
	uint64_t count, total_ns; /* of those that were found long */
	double ran;		  /* share of that time in which its thread had a CPU */
	double collecting;	  /* share of that time in garbage collections */
};

/* Normal schedulers that slept while they ran a process. */
struct sign_blocked {
	struct sign_process process; /* which was found so most */
	char function[SIGN_NAME];
	char table[SIGN_NAME]; /* of a function of ets: the table that it was called with most */
	double share;	       /* of all schedulers' time */
	uint64_t processes;
	struct sign_process other; /* who was in a function of the same module and did not sleep */
};

/* Processes that are suspended because something is busy. */
struct sign_busy {
	struct sign_process process; /* the one that was found so most */
	bool is_connection;
	char what[SIGN_NAME];  /* the peer, or the port */
	char owner[SIGN_NAME]; /* of a port */
	uint64_t queued;       /* bytes, of a connection */
	double share;	       /* of the looks in which it was */
	uint64_t processes;
};

/* Processes that wait for the same kind of thing, among those that were looked at. */
struct sign_wait_group {
	struct sign_process process; /* one of them, an idle one if there is any */
	uint64_t processes, still;   /* still: did nothing since the reading before */
	uint64_t idle;		     /* did nothing in all the time */
};

/* A process whose answers others wait for, with a time limit, while its mailbox is empty. */
struct sign_late_answers {
	struct sign_process process, caller; /* asker: who waits longest */
	uint64_t callers, longest_ns;
	struct sign_process holder; /* of those that it monitors and that do not wait for it, one that has done nothing
				   for longest; id 0: there is none */
	uint64_t holders;
};

/* A process that needs long for each answer, while questions wait in its mailbox all the time. */
struct sign_slow_server {
	struct sign_process process, caller; /* who: id 0: there is none; asker: who waits longest */
	uint64_t callers, longest_ns, least;
};

/* Work that takes longer the more there is: chores.h. */
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

#define COSTLY_SHARE 0.3 /* of what schedulers do beside collecting: from there on, `who` is known */

struct sign_costly_call {
	struct sign_process process; /* who was found so most */
	double share;
};

enum state_kind { STATE_MAP, STATE_DICTIONARY, STATE_LIST };

/* Whose state or process dictionary has become more each time that it was looked at; id 0: nobody's. */
struct sign_state_growth {
	struct sign_process process;
	enum state_kind kind;
	uint64_t elements, before, heap; /* heap: bytes */
	double bytes_per_s;		 /* if all elements are alike, and the heap has nothing else */
};

/* Who appends to a large binary by copying it; id 0: nobody. */
struct sign_binary_appends {
	struct sign_process process;
	uint64_t least, most;  /* bytes of the binary */
	uint64_t looks, grown; /* in which it was larger than in the one before */
};

/* Processes that have files written to the disk, and wait for that. */
struct sign_sync {
	struct sign_process process; /* the one that does so most; id 0: nobody */
	double share;		     /* of the time, of this one */
	double threads;		     /* dirty I/O schedulers in it, on average */
	uint64_t processes, callers; /* askers: of those that were looked at, who waits for its answer */
};

/* The table that is searched, looked up in or inserted into most. */
struct sign_table_use {
	uint64_t table; /* id of its name, 0: not known */
	char name[SIGN_NAME];
	uint64_t objects, bytes; /* of the largest one of this name */
	bool is_bag;
	double matching; /* share of what schedulers run that is match specifications */
};

/* Who gets messages of what other processes do. */
struct sign_tracer {
	struct sign_process process; /* id 0: nobody of those that were looked at */
	char what[SIGN_NAME];	     /* one of them */
	bool is_growing;	     /* its mailbox */
};

/* Processes that wait for some milliseconds each time, all the time. */
struct sign_short_timeouts {
	struct sign_process process; /* one of them */
	uint64_t processes;	     /* as many as there are, if those that were looked at are like all */
	double wait_ms, wakes_per_s;
};

/* What processes do again and again instead of waiting: look into their empty mailbox, yield, or ask for the same. */
enum busy_loop { LOOP_MAILBOX, LOOP_YIELD, LOOP_SAME_CALL, LOOPS };

/* Those who do. */
struct sign_busy_loops {
	struct sign_process process; /* the one that uses most */
	enum busy_loop spin;	     /* ... and what that one does */
	uint64_t processes;
	double busy; /* schedulers that they use in all */
};

#define RECONNECTS_LEAST 3 /* connections to a node, while it was watched */

/* The node to which most connections were made, or tried, meanwhile. */
struct sign_reconnects {
	char peer[SIGN_NAME];
	uint64_t times;
	size_t peers; /* to which there were so many as above */
};

/* For whom most timers are pending. */
struct sign_process_timers {
	struct sign_process process;
	uint64_t timers, before; /* as many as were counted */
};

/* Connections that wait for being accepted. */
struct sign_accept_queue {
	struct sign_process process; /* whose socket it is; id 0: not known */
	unsigned int port;	     /* of TCP */
	uint64_t waiting, least;
};

/* A process that monitors a few things again and again. */
struct sign_monitors {
	struct sign_process process, of; /* of: which it has most of, if it is one of this node; id 0: it is not, */
	uint64_t of_one;		 /* how many those are */
	bool are_aliases;		 /* ... it is none, they are aliases of the process itself */
	uint64_t count, before, things;	 /* things: that are monitored */
	bool is_more;			 /* there are more than were counted */
};

/* Processes that wait for answers of each other in a circle. */
struct sign_deadlock {
	struct sign_process one, other;
	size_t processes; /* 0: there is none */
};

/* A process that has done nothing all the time, and how many wait for its answer, also over others. */
struct sign_stalled {
	struct sign_process process;
	uint64_t processes; /* 0: there is none */
};

/* Processes that worked in the same function all the time, and made nothing. */
struct sign_long_call {
	struct sign_process process; /* the one that used most */
	uint64_t processes;
};

/* A process that starts one that has ended again and again. */
struct sign_restarts {
	struct sign_process process, child; /* the child: one that was there at the end */
	uint64_t found;			    /* samples of a supervisor in a restart: then these are its children, */
	uint64_t seen, stayed;		    /* that were seen to be new, and are there still */
	uint64_t logged;		    /* restarts that it remembers, of while it was watched */
	uint64_t same_name;		    /* else: how many processes, each seen in a reading of its own, */
	char name[SIGN_NAME];		    /* had registered this name */
};

#define SIGN_PLACE 64

/* The longest wait of a dirty I/O scheduler for a file or a disk. */
struct sign_io_wait {
	struct sign_process process;
	uint64_t longest_ns;
	char place[SIGN_PLACE]; /* the function of the kernel, "": not known */
	double threads;		/* that wait so, on average */
};

struct sign_limit {
	uint64_t used, most, before; /* before: at the first reading */
	double per_s;
	bool is_steady; /* it grew in every step */
};

/* Who has most of what was made meanwhile and is there still. */
struct sign_owner {
	struct sign_process process;
	uint64_t made;
	char name[SIGN_NAME]; /* of one of them */
};

/* The ETS table that has grown most, in bytes or objects. */
struct sign_table {
	struct sign_process owner;
	char name[SIGN_NAME];
	uint64_t bytes, grown;
};

/* Something that costs all processes, which one of the VM's own does: storms.h. */
struct sign_purge {
	double reds_per_s;	     /* of that one */
	bool is_steady;		     /* it worked in every step */
	struct sign_process process; /* the cause, if it was found running */
};

struct sign_pool {
	size_t schedulers;
	double busy;		     /* mean share of time in which they had a process or a port to run */
	double full;		     /* share of looks in which all of them had */
	struct sign_process process; /* which used most of it */
};

/* What the time of a normal scheduler is spent on; together 1, or 0 if it is not known. */
struct sign_time_shares {
	double code;	   /* Erlang code, and BIFs and NIFs that do not take long */
	double long_calls; /* BIFs and NIFs that do not yield for 20 ms of CPU time */
	double ports, collecting;
	double busy_wait;	    /* runs and has nothing to run */
	double blocked;		    /* asleep although it has something to run */
	double asleep;		    /* ... and has not */
	double cpu_wait, throttled; /* ready to run, without a CPU: others have it, or the control group may not */
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
