/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The contract between compiled D programs, the BPF functions that they call (bpf/d.bpf.c, bpf/d/), and the
 * consumer (user/dtrace/).
 *
 * A firing takes a frame: memory of its own while its clauses run, since programs are preemptible and may be
 * interrupted by others on their CPU. What the compiler lays out (temporaries, this-> variables, strings, keys,
 * the record) is behind struct d_frame, at offsets that are constants in the code.
 *
 * Strings are d_string_room bytes, a multiple of 8: at most strsize bytes and zeros up to the end, so that equal
 * strings are equal bytes and a string is a key as it stands.
 *
 * Functions of the library: static __noinline __u64 NAME(struct d_frame *f, ...up to four words). Strings are
 * given as their offsets from the frame, which are constants, so the verifier knows all bounds. One that gives a
 * string takes the offset of where to put it first, and what it returns is not looked at; others return their value.
 * A fault is told by setting f->fault, which the compiled code looks at after the call.
 */
#ifndef ERLBPF_BPF_D_H
#define ERLBPF_BPF_D_H

#include <linux/types.h>

#define D_ARGS 10
#define D_ARGS_FEW 4  /* what most clauses read */
#define D_BEAM_ARGS 8 /* arguments of an Erlang function, before the calling process and its name */

/* At the end of a call: the class of the exception, its reason or the result, nanoseconds, words on the stack. */
#define D_BEAM_CLASS 0
#define D_BEAM_RESULT 1
#define D_BEAM_TOOK 2
#define D_BEAM_DEPTH 3

/* The argument numbers of the catalogue: see translators.def. */
#define D_BEAM_REGISTERS 2
#define D_BEAM_STOP 3
#define D_BEAM_HEAP 4
#define D_BEAM_HEAP_SIZE 5

/* For each probe of Erlang functions, the descriptions that match it, one bit each. */
struct d_beam_matches {
	__u64 entries, returns, exceptions;
};
#define D_FRAMES_PER_CPU 4
#define D_MAX_ARRAYS 64 /* associative arrays and self-> variables: maps d_array_0... */
#define D_MAX_AGGS 64	/* maps d_agg_0...; more aggregations than this share maps */
#define D_MOST_AGGS 65536
#define D_PROBE_TEXT 64 /* bytes of one field of a probe's name, in the map d_probe_names */
#define D_STACK_FRAMES 127

/*
 * How the arguments of a tracepoint become those of a probe, and which firings belong to the probe. Shapes that read
 * kernel structs are marked by D_SHAPE_READS_KERNEL.
 */
enum d_shape {
	D_SHAPE_RAW,		/* all arguments as they are */
	D_SHAPE_NONE,		/* no arguments */
	D_SHAPE_TASK,		/* (task): arg0, arg1 are the task */
	D_SHAPE_REQUEST,	/* (request, ...): arg0, arg1, arg2 are the request */
	D_SHAPE_NEXT,		/* (preempt, task, next): arg0, arg1 are the next task */
	D_SHAPE_SENT,		/* (signal, info, task, group, result): a delivered signal: task, task, signal */
	D_SHAPE_DISCARDED,	/* an ignored signal */
	D_SHAPE_HANDLED,	/* (signal, info, action): signal, info, handler */
	D_SHAPE_EXEC,		/* sys_enter of execve: its path */
	D_SHAPE_YIELD,		/* sys_enter of sched_yield: the current task twice */
	D_SHAPE_EXEC_FAILED,	/* sys_exit of execve: errno */
	D_SHAPE_SIGNAL_WAITED,	/* sys_exit of rt_sigtimedwait: the signal */
	D_SHAPE_THREAD_STARTS,	/* sys_exit of clone and similar calls, in the new thread */
	D_SHAPE_PROCESS_STARTS, /* the same, in the first thread of a process */
	D_SHAPE_RUNS,		/* sched_exit_tp(is_switch), in the thread that runs now, after another one */
	D_SHAPE_STAYS,		/* the same, after the same thread */
	D_SHAPE_NEW_PROCESS,	/* (parent, task): arg0 is the task, the first thread of a process */
	D_SHAPE_NEW_THREAD,	/* the same for another thread: arg0, arg1 */
	D_SHAPE_PROCESS_ENDS,	/* the last thread of a process exits: CLD_EXITED, CLD_KILLED or CLD_DUMPED */
	D_SHAPE_SLEEPS,		/* (preempt, task, next): the task begins to wait */
	D_SHAPE_DEQUEUED,	/* the same: task, task, its CPU */
	D_SHAPE_ENQUEUED,	/* (task), which becomes runnable: task, task, its CPU */
	D_SHAPE_LEAVES,		/* (task, cpu), a runnable task that migrates: task, task, its old CPU */
	D_SHAPE_COMES,		/* the same, with its new CPU */
	D_SHAPES,
};

#define D_SHAPE_READS_KERNEL D_SHAPE_NEW_PROCESS /* this shape and those after it */
#define D_SHAPE_SHIFT 32

/* Data for the program of a tracepoint: a cookie, and the kernel function that can have called it. */
struct d_tracepoint {
	__u64 probe;	   /* number and function of the probe; enum d_shape in the bits of the process */
	__u64 caller;	   /* start of the kernel function that calls all programs if several trace the tracepoint; 0:
			      unknown */
	__u64 caller_size; /* in bytes */
	__u64 args;	   /* number of arguments: the kernel lets no program read more */
};

/* Numbers of probes that are not in the catalogue; the session assigns those after them. */
#define D_PROBE_BEGIN 2048 /* ERL_PROBES */
#define D_PROBE_END 2049
#define D_PROBE_ERROR 2050
#define D_PROBE_FIRST 2051

/* Faults of a firing. The numbers are DTrace's, arg4 of the ERROR probe. */
enum d_fault {
	D_FAULT_NONE,
	D_FAULT_BADADDR = 1,
	D_FAULT_BADALIGN = 2,
	D_FAULT_ILLOP = 3,
	D_FAULT_DIVZERO = 4,
	D_FAULT_NOSCRATCH = 5,
	D_FAULT_KPRIV = 6,
	D_FAULT_UPRIV = 7,
	D_FAULT_TUPOFLOW = 8,
	D_FAULT_BADSTACK = 9,
	D_FAULT_BADSIZE = 10,
	D_FAULT_BADINDEX = 11,
	D_FAULT_LIBRARY = 12,
};

struct d_frame {
	__u64 busy;
	__u64 time_ns;	       /* timestamp of the firing, CLOCK_MONOTONIC */
	__u64 args[D_ARGS];    /* arg0...; see D_TEXT_TAG */
	__u64 raw[D_ARGS + 1]; /* the value behind a tagged argument; the last one: the term that the probe is about */
	__u64 pid_tgid;
	__u32 probe;	/* number of the probe: below ERL_PROBES the catalogue's, otherwise the session's */
	__u32 function; /* number of the function that replaces the probe, 0: none */
	__u32 os_id;
	__u32 clause;
	__u64 fault;		  /* enum d_fault */
	__u64 fault_value;	  /* address or other value */
	__u64 record_size;	  /* so far: strings follow the fields */
	__u64 speculation;	  /* id for the clause's record, 0: none */
	__u64 scratch_used;	  /* by alloca() and copyin() in this clause */
	__u64 error;		  /* errno at the return of a system call */
	__u64 saved_args[D_ARGS]; /* the arguments of the probe while an ERROR clause runs */
	__u64 saved_probe;
	__u64 firings;		/* firings that used this frame */
	__u64 has_exited;	/* a clause of this firing called exit() */
	__u64 exits;		/* this clause called exit() */
	__u64 status_before;	/* status before that call, restored if the clause has a fault */
	__u64 spare[3];		/* for the library */
	__u64 action;		/* number of the action in its clause, for arg2 of ERROR */
	__u64 speculation_room; /* bytes left in the speculation when the clause began */
	__u64 spawned[3];	/* the function of a spawned process: module, function, arguments, all terms */
	__u64 functions;	/* descriptions that match the called Erlang function; for other probes: all bits */
};

/*
 * An argument that is the address of a text in DTrace, and a term or an MFA here. Its value is the tag plus its number.
 * copyinstr() recognizes it and makes the text (bpf/d/text.bpf.h).
 */
#define D_TEXT_TAG 0x7d7d000000000000ULL
#define D_TEXT_TAG_MASK 0xffffffffffff0000ULL

/*
 * A term in a record, after the fields: the used part of a struct term_snapshot (term.h). Its flags tell what is not a
 * term: the text that a note has instead (in place of the lines), or the address of an MFA.
 */
#define D_TERM_ARG D_ARGS /* the term that the probe is about: ERL_ARG_TERM */
#define D_TERM_NONE 0x100 /* the probe has no term here */
#define D_TERM_TEXT 0x200
#define D_TERM_MFA 0x400

enum d_record_kind {
	D_RECORD_CLAUSE, /* fields of a clause follow */
	D_RECORD_FAULT,	 /* struct d_fault_record */
};

struct d_record {
	__u32 kind;
	__u32 clause; /* id of the clause */
	__u64 time_ns;
	__u32 probe;
	__u32 function;
	__u32 os_id; /* target that has the probe; 0: none */
	__u32 tid;
	__u32 cpu;
	__u32 speculation;
	__u64 ran; /* executed actions under an if: one bit each */
};

struct d_fault_record {
	struct d_record head;
	__u64 fault; /* enum d_fault */
	__u64 value;
};

/*
 * Work memory of the library: the last part of every frame, d_work_size() bytes at d_work_offset. It also guarantees
 * room for another string after each string of the frame, which the verifier demands. Memory of alloca() and copyin()
 * is d_scratch_size bytes at d_scratch_offset; for the same reason at least as many bytes of the frame follow it.
 */
#define D_WORK_TEXT 1024
#define D_WORK_WORDS 32

struct d_work {
	__u64 words[D_WORK_WORDS];
	char table[256];
	char text[D_WORK_TEXT];
	/* Four strings follow. */
};

static inline __u64 d_work_size(__u64 string_room)
{
	return sizeof(struct d_work) + 4 * string_room;
}

/* State of the whole program: the entry of the map d_state. */
struct d_state {
	__u64 is_live; /* set by the session after BEGIN: probes of the system fire */
	__u64 is_over; /* exit() was called: only END fires */
	__u64 exit_status;
	__u64 woken_at; /* reader's position in the ring at its last wake-up; see d_ring_flags() */
};

/* Losses: one entry of the map d_drops for each CPU. */
struct d_drops {
	__u64 records;	    /* no room in the ring */
	__u64 frames;	    /* no free frame */
	__u64 aggregations; /* the map of an aggregation was full */
	__u64 dynamic;	    /* an associative array was full */
	__u64 speculations; /* the consumer adds those that it loses itself */
	__u64 speculations_unavailable;
	__u64 speculations_busy;
	__u64 calls;  /* calls of Erlang functions whose end will not be seen */
	__u64 errors; /* in clauses of ERROR, which are not reported otherwise */
};

/* A tick-N: how many of the due ticks have fired. In the map d_ticks, from D_PROBE_FIRST on. */
struct d_tick {
	__u64 start_ns, period_ns, fired;
};

/*
 * The name of a probe, in the map d_probe_names. The key is the cookie of its sites (erl.h), with process 0 if the
 * probe has no process.
 */
struct d_probe_name {
	__u64 id;		      /* as -l numbers it */
	char fields[4][D_PROBE_TEXT]; /* provider, module, function, name */
};

/* Speculations: a __u64 each, d_speculations[id - 1]. Whoever finishes one frees it. */
enum d_speculation { D_SPECULATION_FREE, D_SPECULATION_ACTIVE, D_SPECULATION_DONE };

#endif
