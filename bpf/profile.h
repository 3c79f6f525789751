/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What bpf/profile.bpf.c and user/profile/ say to each other: where a node has its code and what a process is made of,
 * and stacks as they were sampled.
 */
#ifndef ERLBPF_BPF_PROFILE_H
#define ERLBPF_BPF_PROFILE_H

#include <linux/types.h>

#define SAMPLE_ERLANG 128	 /* return addresses on an Erlang stack, the newest; older ones are cut */
#define SAMPLE_ERLANG_WORDS 4096 /* of an Erlang stack that are looked at */
#define SAMPLE_NATIVE 64	 /* words of a stack of C that may be return addresses or frame pointers */
#define SAMPLE_NATIVE_WORDS 256	 /* ... of so many that are looked at */
#define SAMPLE_KERNEL 24
#define SAMPLE_MADE 6  /* pieces of memory that the JIT has */
#define SAMPLE_FILES 8 /* pieces of memory that files with code are mapped to */
#define SAMPLE_NODES 1024
#define SAMPLE_THREADS 16384
#define SAMPLE_STACKS 8192 /* different ones between two readings */

struct sample_range {
	__u64 start, end;
};

#define SAMPLE_NO_REGISTER 0xffff

/* A node. Offsets are those of struct process; 0: not known, and its processes' stacks are not walked. */
struct sample_node {
	struct sample_range made[SAMPLE_MADE], files[SAMPLE_FILES];
	__u64 heap; /* where the block begins; the word behind has its end */
	__u64 stop;
	__u64 state;
	__u64 code;	  /* where a process goes on that does not run */
	__u64 high_water; /* how far its heap was filled after its last collection; 0: not known */
	__u64 off_heap;	  /* how many words of binaries it has outside of its heap */
	__u64 reds;	  /* reductions, up to its last turn; 0: not known */
	__u64 since_ns;	  /* when it was found */
	/* process_main() of a VM without JIT, whose Erlang code may be anywhere; none: it has a JIT. */
	struct sample_range loop;
	__u64 stack_register; /* where that has the end of the stack, a word of struct pt_regs; or SAMPLE_NO_REGISTER */
	__u32 restores_stop;  /* the bytes of the instruction by which the JIT's code goes back to its stack */
	__u16 number;	      /* of the node, in user space */
	__u16 by_process;     /* stacks of different processes are different */
	__u64 process, term;  /* only this one: its address, and its pid; 0: all */
};

/* A thread that runs processes: addresses of words in its ErtsSchedulerData. */
struct sample_thread {
	__u64 process, port, sleep_flags;
	__u32 kind; /* enum sample_thread_kind */
	__u32 number;
};

enum sample_thread_kind { SAMPLE_OTHER, SAMPLE_NORMAL, SAMPLE_DIRTY_CPU, SAMPLE_DIRTY_IO, SAMPLE_THREAD_KINDS };

#define SAMPLE_CUT 1	    /* the Erlang stack has more */
#define SAMPLE_UNREADABLE 2 /* ... could not be read to its end */
#define SAMPLE_IN_PROCESS 4
#define SAMPLE_IN_PORT 8
#define SAMPLE_IN_GC 16
#define SAMPLE_WAITS 32	     /* the scheduler looks for work */
#define SAMPLE_IN_MADE 64    /* `ip` is code of the JIT, or an instruction of the emulator */
#define SAMPLE_FROM_MADE 256 /* the last word of `native` is, or just behind: who called the code of C */
#define SAMPLE_NO_STACK 128  /* a process runs, but where its stack is was not to be found */
#define SAMPLE_FOR_LOCK 512  /* the thread waits for a lock of the VM */

/* A word on a stack of C, and how far above the stack pointer it was, in words: addresses of processes have 47 bits. */
#define SAMPLE_WORD_BITS 48

static inline __u64 sample_word(__u64 value, __u64 at)
{
	return value | at << SAMPLE_WORD_BITS;
}

/* May a word of a process's stack that has the tag of a return address be one where there is no JIT? Others have no
 * tag. */
static inline int sample_is_interpreted(const struct sample_node *node, __u64 word)
{
	return node->loop.end && word >= 0x1000 && !(word >> (SAMPLE_WORD_BITS - 1));
}

static inline __u64 sample_word_value(__u64 word)
{
	return word & ((1ULL << SAMPLE_WORD_BITS) - 1);
}

static inline __u64 sample_word_at(__u64 word)
{
	return word >> SAMPLE_WORD_BITS;
}

struct sample_stack {
	__u64 count;
	__u64 process; /* its pid as a term; 0: of nobody, or nobody asked */
	__u64 lock;    /* which one it waits for, an id of bpf/erl.h; 0: it waits for none, or the lock is not known */
	__u16 node, kind, scheduler;
	__u16 lock_kind; /* enum locks_kind; only with SAMPLE_FOR_LOCK */
	__u32 flags;	 /* SAMPLE_... */
	__u32 erlang_count, native_count, kernel_count;
	__u64 ip, frame_pointer; /* of user space; the frame pointer as words above the stack pointer, 0: elsewhere */
	__u64 erlang[SAMPLE_ERLANG]; /* newest first */
	/* sample_word()s, nearest first; one of the JIT is the last. Frame pointers are below SAMPLE_NATIVE_WORDS:
	 * places. */
	__u64 native[SAMPLE_NATIVE];
	__u64 kernel[SAMPLE_KERNEL];
};

/*
 * Why a process does not run; or it does, on a dirty I/O scheduler, which mostly waits for the kernel, or on a dirty
 * CPU scheduler, which collects its garbage.
 */
enum off_reason { OFF_WAITING, OFF_RUNNABLE, OFF_SUSPENDED, OFF_DIRTY_IO, OFF_GC, OFF_REASONS };

#define OFF_PROCESSES (1 << 18)

#define KEPT_STACKS 16384
#define KEPT_WEIGHTS OFF_REASONS

/* A stack that probes took, and what was added to it: by off-cpu.bpf.c for how long, by enum off_reason. */
struct kept_stack {
	__u64 weights[KEPT_WEIGHTS];
	struct sample_stack stack;
};

/* What events.bpf.c adds to a stack, in its first weight. */
enum event_weight {
	EVENT_HITS,	 /* one for each */
	EVENT_CALLS,	 /* one for each call of a function of the VM */
	EVENT_ARGUMENT,	 /* of the probe */
	EVENT_SENT,	 /* words of messages */
	EVENT_GC_TIME,	 /* ns of collections */
	EVENT_RECLAIMED, /* words by collections */
	EVENT_GROWTH,	 /* words since the last collection */
	EVENT_LOCK_TIME, /* ns of waiting for locks of the VM */
};

#define EVENT_THREADS 16384
#define EVENT_PROCESSES (1 << 18)

enum event_total {
	EVENT_HIT_TOTAL,    /* what counted */
	EVENT_LOST_STACKS,  /* ... without room for its stack */
	EVENT_LOST_OTHERS,  /* ... for what else must be kept of it */
	EVENT_UNKNOWN_BASE, /* collections of processes of which it is not known what binaries they had before */
	EVENT_TOTALS,
};

struct off_key {
	__u64 id; /* of bpf/erl.h */
	__u32 os_id, pad;
};

/* A process that was let go, woken or picked since the probes were put in place. */
struct off_process {
	__u64 stack;	/* key of its struct kept_stack; 0: it runs, or was only woken */
	__u64 since_ns; /* it is off, or has been picked; 0: it was only woken */
	__u64 ready_ns; /* it waits for a scheduler; 0: it waits for something else */
	__u64 is_suspended;
	__u64 held_stack; /* since then a dirty scheduler has it: key of its stack; 0: none has */
	__u64 held_by;	  /* ... for what: OFF_DIRTY_IO or OFF_GC */
};

enum off_total {
	OFF_LOST_STACKS, /* times for which there was no room */
	OFF_LOST_PROCESSES,
	OFF_TOTALS,
};

enum sample_total {
	SAMPLE_SAMPLES,	 /* of nodes */
	SAMPLE_IDLE,	 /* the CPU had nothing to do */
	SAMPLE_OTHERS,	 /* it ran something else */
	SAMPLE_LOST,	 /* of nodes, for want of room */
	SAMPLE_FILTERED, /* of processes that nobody asked for */
	SAMPLE_KEPT,	 /* stacks that were new */
	SAMPLE_TOTALS,
};

#endif
