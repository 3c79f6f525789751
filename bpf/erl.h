/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The contract between the BPF programs and user space: plain data, compiled by both sides.
 *
 * Every program is loaded once per class of sites, with a struct erl_config of that class as frozen
 * read-only data, and with the registers of its operands put into the code. The verifier knows frozen
 * data as constants and removes the branches that the class does not need, so reading an argument
 * costs the loads it consists of and little more.
 */
#ifndef ERLBPF_BPF_ERL_H
#define ERLBPF_BPF_ERL_H

#include <linux/types.h>

#define ERL_LICENSE "Dual BSD/GPL" /* of all programs: helpers that read memory want the GPL */
#define ERL_MAX_ARGS 12		   /* as many as an SDT note can carry */
#define ERL_ARG_MODULE 7	   /* beside the probe's own, all terms: of process-spawn, what is spawned */
#define ERL_ARG_FUNCTION 8
#define ERL_ARG_PARENT 9  /* ... and the pid of who spawns it */
#define ERL_ARG_DETAILS 9 /* of messages: the address of what more there is (translators.def) */
#define ERL_ARG_TERM 10	  /* the term that the probe is about, as a message or arguments */
#define ERL_ARG_STATE 11  /* ... and state flags of the process that it is about */
#define ERL_MAX_STEPS 3	  /* loads that an operand may take */
#define ERL_MAX_GUARDS 2
#define ERL_SAVED_ARGS 4 /* arguments kept from a function's entry to its return */
#define ERL_PROBE_BITS 12
#define ERL_PROBES 2048	     /* ids of probes are below */
#define ERL_FUNCTION_BITS 19 /* of numbers of functions: see user/probe/functions.h */
#define ERL_TEXT 256	     /* longest string of the VM, terminator included (DTRACE_TERM_BUF_SIZE) */
#define ERL_PID_TEXT 48	     /* longest "<N.N.N>" or "#Port<N.N>" */

/* Where an operand starts. Registers are numbered by their place in struct pt_regs, in words. */
enum erl_base {
	ERL_BASE_NONE,	/* there is no such argument here; reads as 0 */
	ERL_BASE_CONST, /* disp[0] is the value */
	ERL_BASE_REG,
	ERL_BASE_IP,	/* the address of the site: a symbol is at a fixed distance from it */
	ERL_BASE_SAVED, /* `reg` is the number of an argument saved at the function's entry */
};

/*
 * Value of an operand: start at the base, then `steps` times: add disp[i] (at the first step also
 * the index register), and load. All loads but the last are of 8 bytes, the last of `size`.
 * With `address_of`, the last load is left out. Without steps, the base itself is the value.
 */
struct erl_operand {
	/* One word, so that a program takes one load for all of it. */
	__u64 base : 8;
	__u64 reg : 8;
	__u64 index_reg : 8;
	__u64 has_index : 1;
	__u64 index_shift : 3;
	__u64 is_signed : 1;
	__u64 address_of : 1;
	__u64 pad : 2;
	__u64 value_shift : 8; /* 8 for %ah and its like, 4 for a small integer: what its tag takes */
	__u64 size : 8;	       /* 1, 2, 4 or 8 bytes */
	__u64 steps : 8;
	__s64 disp[ERL_MAX_STEPS];
};

/* Kinds of values of arguments. */
enum erl_form {
	ERL_FORM_NONE,
	ERL_FORM_NUMBER,
	ERL_FORM_TEXT,	   /* address of a NUL-terminated string */
	ERL_FORM_TERM,	   /* an Erlang term, one word */
	ERL_FORM_MFA,	   /* address of three words: module and function atoms, arity */
	ERL_FORM_SIGNED,   /* a number */
	ERL_FORM_ADDRESS,  /* a number that people write in hexadecimal */
	ERL_FORM_BYTES,	   /* address of `text_size` bytes */
	ERL_FORM_SKIPPED,  /* not looked at */
	ERL_FORM_OWN_NODE, /* of D: the name of the VM's own node, address of a text */
	ERL_FORM_MORE,	   /* this one and those behind it are not known */
	ERL_FORM_IODATA,   /* a term of which the bytes are wanted: bpf/iodata.bpf.h */
};

struct erl_arg {
	struct erl_operand operand;
	__u32 form;
	__u32 text_size; /* with ERL_FORM_TEXT and ERL_FORM_IODATA: as much as there can be, terminator included */
};

enum erl_compare {
	ERL_GUARD_NONE,
	ERL_GUARD_EQ,
	ERL_GUARD_NE,
	ERL_GUARD_LT, /* unsigned */
	ERL_GUARD_GE,
};

/* A site counts as a hit of its probe only if (left & mask) compares so with right. */
struct erl_guard {
	struct erl_operand left;
	struct erl_operand right;
	__u64 mask;
	__u64 compare;
};

/*
 * How the term of a local pid becomes the pid that is printed, and that the place of the process in
 * the process table (erl_ptab.h). In OTP 27 the term holds the place, from which
 * erts_ptab_pixdata2data() makes the data; in OTP 25 it holds the data. The masks depend on the
 * table's size, so they are read from the VM.
 */
struct erl_places {
	__u64 pix_mask;
	__u64 cl_mask;
	__u64 cli_mask;
	__u32 cl_shift;
	__u32 cli_shift;
};

struct erl_pid_layout {
	__u64 data_bits; /* 0: nothing of this is known */
	__u64 number_bits;
	__u64 has_places; /* in the terms */
	__u64 pix_mask;
	__u64 cl_mask;
	__u64 cli_mask;
	__u32 cl_shift;
	__u32 cli_shift;
	struct erl_places ports; /* with has_places: the same of the table of ports */
	__u64 table;		 /* address of the processes' addresses, 0: not known */
	__u64 state_offset;	 /* of struct process, 0: not known */
	__u64 queue_offsets[3];	 /* of the parts of a mailbox's length, 0: there is no such part */
	__u64 scheduler_offset;	 /* the same, of its scheduler's address */
};

/* Atoms that programs know: most begin what a process is spawned for (bpf/call.bpf.h). */
enum erl_atom {
	ERL_ATOM_ERLANG,
	ERL_ATOM_APPLY,
	ERL_ATOM_ERTS_INTERNAL,
	ERL_ATOM_SPAWN_INIT,
	ERL_ATOM_DIST_SPAWN_INIT,
	ERL_ATOM_PROC_LIB,
	ERL_ATOM_INIT_P,
	ERL_ATOM_GEN,
	ERL_ATOM_INIT_IT,
	ERL_ATOM_INIT,
	ERL_ATOM_GEN_EVENT,
	ERL_ATOM_SUPERVISOR,
	ERL_ATOM_SUPERVISOR_BRIDGE,
	ERL_ATOM_NORMAL,
	ERL_ATOM_BEAMASM, /* the module of code of the JIT's own */
	ERL_ATOMS,
};

#define ERL_STACK_WORDS 24 /* of a stack that are looked at, from its oldest end, for the function that began it */

/*
 * How a process is named: where the VM keeps the registered name and the initial call, and the atom
 * under which proc_lib puts the real initial call into the process dictionary.
 */
struct erl_name_layout {
	__u64 reg_offset; /* of struct process; 0: names cannot be read */
	__u64 initial_offset;
	__u64 dictionary_offset;
	__u64 current_offset; /* of what it runs: an MFA's address, or 0, and then a code address */
	__u64 code_offset;
	__u64 parent_offset;	/* 0: not known */
	__u64 heap_offset;	/* the block with the heap and, at its end, the stack; 0: not known */
	__u64 heap_size_offset; /* words */
	__u64 stop_offset;	/* where the stack ends */
	__u64 initial_call;	/* the term '$initial_call', 0: the VM has no such atom */
	__u64 atoms[ERL_ATOMS]; /* terms; 0: the same */
	__u64 atom_table;	/* address of erts_atom_table, 0: not known */
	__u64 own_node;		/* address of erts_this_node_sysname, a char *, 0: not known */
};

/*
 * The heaps of a process, by offsets of struct process: from `heap` to `htop`, from `old_heap` to
 * `old_htop`, the words of its heap fragments, and a heap that it had before a collection that was put off.
 * `reclaimed` is what a scheduler has counted.
 */
struct erl_heap_layout {
	__u64 heap; /* 0: nothing of this is known */
	__u64 htop;
	__u64 size;
	__u64 abandoned;
	__u64 flags;
	__u64 old_heap;
	__u64 old_htop;
	__u64 fragments;
	__u64 scheduler;
	__u64 reclaimed; /* offset of ErtsSchedulerData */
};

/* Flags of a process's state (ERTS_PSFLG_... of erl_process.h; the same in 25.2.3, 27.3.4.1 and 29.1.1). */
#define ERL_STATE_IN_QUEUE (1u << 14)
#define ERL_STATE_ACTIVE (1u << 13 | 1u << 20) /* has something to do: of its own, for the VM */
#define ERL_STATE_ACTIVE_OWN (1u << 13)
#define ERL_STATE_FOR_VM (1u << 12 | 1u << 18 | 1u << 19 | 1u << 25) /* ... which: signals, system tasks */
#define ERL_STATE_SUSPENDED (1u << 16)
#define ERL_STATE_RUNNING (1u << 15 | 1u << 21 | 1u << 29 | 1u << 30)  /* also system tasks, dirty */
#define ERL_STATE_TO_DIRTY (1u << 26 | 1u << 27)		       /* is handed over to a dirty scheduler */
#define ERL_STATE_DIRTY (1u << 29 | 1u << 30)			       /* running on a dirty scheduler */
#define ERL_STATE_RUNNABLE (1u << 13 | 1u << 14 | 1u << 20 | 1u << 28) /* or in a run queue */
#define ERL_STATE_IN_GC (1u << 17)				       /* ERTS_PSFLG_GC */
#define ERL_STATE_BUSY (ERL_STATE_RUNNABLE | ERL_STATE_RUNNING)	       /* none of it: it waits, with nothing to do */

/* Flags of a process: F_DIRTY_MAJOR_GC, F_DIRTY_MINOR_GC of erl_process.h; equal in these three releases. */
#define ERL_FLAGS_DIRTY_GC 0x180000

/* Callers of a function: see probes/callers.def. */
enum erl_caller {
	ERL_CALLER_OTHER,
	ERL_CALLER_MESSAGE,
	ERL_CALLER_SPAWN,
	ERL_CALLER_SIGNAL, /* exits, links, monitors and other signals */
	ERL_CALLER_ETS,
	ERL_CALLER_LITERAL,   /* of code, and persistent terms */
	ERL_CALLER_ETS_STORE, /* db_store_term(): see bpf/copy.bpf.c */
	ERL_CALLERS,
};

#define ERL_MAX_CALLERS 32
#define ERL_NUMBER_WORDS 16 /* of probes that are numbered: 1,024 */

/* Return addresses, relative to the function that is called. */
struct erl_caller_range {
	__s64 from;
	__s64 to;
	__u64 kind; /* enum erl_caller; 0 ends the list */
};

#define ERL_CONFIG_CHECK_PID 1	/* compare the cookie's pid with the current one (kernels 6.6 to 6.9) */
#define ERL_CONFIG_USES_SAVED 2 /* an operand starts at ERL_BASE_SAVED */
#define ERL_CONFIG_HAS_GUARDS 4
#define ERL_CONFIG_ENTRY_ONLY 8 /* of a function: its return is not probed */
#define ERL_CONFIG_IS_COPIED 16 /* the function copies its term by another one, which is there */
#define ERL_CONFIG_COUNTS_UP 64 /* something more waits, or less: D's argument 1 */
#define ERL_CONFIG_COUNTS_DOWN 128
#define ERL_CONFIG_AT_NODE 256	/* D's text of argument 2 is {argument 2, argument 1} */
#define ERL_CONFIG_NUMBERED 512 /* the first guard's left says which of the probes from `first_probe` on fires */
/* D, of functions with a breakpoint of ours: arguments are D_BEAM_ARGS, caller, MFA. */
#define ERL_CONFIG_BREAKPOINT 1024
#define ERL_CONFIG_CALLED 2048	 /* D: the same call, whose return is wanted; arguments are those of breakpoint-entry */
#define ERL_CONFIG_RETURNED 4096 /* D: what such calls end by: D_BEAM_STOP, and the caller */
#define ERL_CONFIG_RAISED 8192	 /* D: the same, with D_BEAM_REGISTERS */
#define ERL_CONFIG_GONE 16384	 /* D: the process of the first argument has no calls any more */
#define ERL_CONFIG_IS_OUT 32768	 /* the message that is received has left its queue, which was one longer */
#define ERL_CONFIG_OLD_ENTRY 65536 /* D: as ERL_CONFIG_BREAKPOINT; of the arguments only D_BEAM_DEPTH, caller, MFA */
#define ERL_CONFIG_EMPTY_TEXT 32   /* D: an argument that is 0 is an empty text, and not a wrong address */

struct erl_config {
	struct erl_arg args[ERL_MAX_ARGS];
	struct erl_guard guards[ERL_MAX_GUARDS];
	__u64 flags; /* ERL_CONFIG_... */
	__u64 otp;   /* release, for those who look into terms; 0: not known */
	struct erl_pid_layout pids;
	struct erl_name_layout names;
	struct erl_heap_layout heap;
	__u64 words[ERL_MAX_ARGS]; /* a text of up to eight characters that D has for an argument, 0: none */
	__u64 stack;		   /* how far the stack pointer is below where it was at the function's first byte */
	__u64 local_ids;	   /* a bit for each argument whose term is a pid or port of this node */
	struct erl_caller_range callers[ERL_MAX_CALLERS]; /* of a function whose callers matter */
	__u64 first_probe;				  /* with ERL_CONFIG_NUMBERED */
	__u64 numbers[ERL_NUMBER_WORDS];		  /* the same: a bit for each number that is wanted */
};

/*
 * A load from the context takes a constant offset, so which register an operand is in cannot be data.
 * Programs are written with offsets that no struct has, one per operand, and the loader puts the
 * register's offset in their place. Every slot has two: of the register, and of the index register.
 */
#define ERL_SLOT_ARG(n) (n)
#define ERL_SLOT_LEFT(n) (ERL_MAX_ARGS + 2 * (n))
#define ERL_SLOT_RIGHT(n) (ERL_MAX_ARGS + 2 * (n) + 1)
#define ERL_SLOTS (ERL_MAX_ARGS + 2 * ERL_MAX_GUARDS)
#define ERL_PATCH_BASE 0x7800
#define ERL_PATCH_REG(slot) (ERL_PATCH_BASE + (slot)*16)
#define ERL_PATCH_INDEX(slot) (ERL_PATCH_BASE + (slot)*16 + 8)
#define ERL_PATCH_END ERL_PATCH_REG(ERL_SLOTS)

/*
 * A process, to programs and in what they send: its pid, and above it how many traced processes had ended when it was
 * attached to. So who gets the pid of one that has ended is another process. PID_MAX_LIMIT is 2^22; an int holds it.
 * The first 512 that end are told apart, and then those whose pid comes again not just 512 ends later.
 */
#define ERL_PID_BITS 22
#define ERL_ERA_BITS 9

static inline __u32 erl_os_id(__u32 os_pid, __u32 era)
{
	return os_pid | (era & ((1u << ERL_ERA_BITS) - 1)) << ERL_PID_BITS;
}

/* The pid alone: for people, and to compare with the kernel's. */
static inline __u32 erl_os_pid(__u32 os_id)
{
	return os_id & ((1u << ERL_PID_BITS) - 1);
}

/* The rest alone, in its place. */
static inline __u32 erl_os_era(__u32 os_id)
{
	return os_id & ~((1u << ERL_PID_BITS) - 1);
}

/*
 * The cookie of a site says whose hit it is: the process, the number of the function that stands for
 * the probe (0 at a note), and the number of the probe. One bit more says that the kernel has to single-step the
 * instruction there.
 */
#define ERL_COOKIE_STEPPED (1ULL << (ERL_PROBE_BITS + ERL_FUNCTION_BITS))

static inline __u64 erl_cookie(__u32 os_id, __u32 function, __u32 probe)
{
	return (__u64)os_id << 32 | (__u64)function << ERL_PROBE_BITS | probe;
}

/*
 * Whatever can be a key or the name of something is one word, whichever source it came from: a kind
 * in the top four bits, 0 is "none". Text appears only when it is printed (user/results/ids.h).
 *
 * Erlang pids and ports have the number in the lowest 28 bits, the serial above. Local identifiers
 * are exact. Pids of other nodes keep 16 bits each of serial and channel: they are shown, never
 * matched.
 */
#define ERL_ID_KIND_SHIFT 60
#define ERL_ID_LOCAL 1ULL
#define ERL_ID_REMOTE 2ULL
#define ERL_ID_PORT 3ULL
#define ERL_ID_MFA 4ULL	     /* atom numbers of module and function, arity: see erl_id_of_mfa() */
#define ERL_ID_ATOM 5ULL     /* the atom's number */
#define ERL_ID_FUNCTION 6ULL /* number of a function of the VM: see erl_cookie() */
#define ERL_ID_TEXT 7ULL     /* the hash of a text, which is in the map erl_texts (name.bpf.h) */
#define ERL_ID_NUMBER 8ULL   /* a number of 60 bits */
#define ERL_ID_REF 9ULL	     /* the hash of a reference, which is in the map erl_refs (ref.bpf.h) */
#define ERL_ID_CODE 10ULL    /* an address in Erlang code: the function that it is in */
#define ERL_ID_ADDRESS 11ULL /* of the process: data of the VM are known by their symbol */
#define ERL_ID_FD 12ULL	     /* a file descriptor, of a file whose name is not known */
#define ERL_ID_THREAD 13ULL  /* the hash of a thread's name, which is in erl_texts too */
#define ERL_ID_VALUE_MASK ((1ULL << ERL_ID_KIND_SHIFT) - 1)
#define ERL_ID_ATOM_BITS 26 /* of an atom's number in an MFA; a VM has 1,048,576 atoms at most by default */
#define ERL_ID_NUMBER_BITS 28
#define ERL_ID_REMOTE_SERIAL_BITS 16

static inline __u64 erl_id_make(__u64 kind, __u64 number, __u64 serial)
{
	return kind << ERL_ID_KIND_SHIFT | (serial & 0xffffffff) << ERL_ID_NUMBER_BITS |
	       (number & ((1ULL << ERL_ID_NUMBER_BITS) - 1));
}

static inline __u64 erl_id_kind(__u64 id)
{
	return id >> ERL_ID_KIND_SHIFT;
}

static inline __u64 erl_id_value(__u64 id)
{
	return id & ERL_ID_VALUE_MASK;
}

/* An id of one of the kinds that hold one number. */
static inline __u64 erl_id_of(__u64 kind, __u64 value)
{
	return kind << ERL_ID_KIND_SHIFT | (value & ERL_ID_VALUE_MASK);
}

/* Atoms are terms here; 0 if they are none, or do not fit. The low six bits of an atom are 001011. */
static inline __u64 erl_id_of_mfa(__u64 module, __u64 function, __u64 arity)
{
	__u64 m = module >> 6, f = function >> 6;

	if ((module & 0x3f) != 0xb || (function & 0x3f) != 0xb || arity > 255 || m >> ERL_ID_ATOM_BITS ||
	    f >> ERL_ID_ATOM_BITS)
		return 0;
	return erl_id_of(ERL_ID_MFA, m << (ERL_ID_ATOM_BITS + 8) | f << 8 | arity);
}

/* A text that is a name: of a port, a node, a file. Longer ones are cut. */
#define ERL_NAME_TEXT 128
#define ERL_MAX_TEXTS 16384

/* A reference, #Ref<0.C.B.A> with the numbers [A, B, C], and the name of what it refers to. */
#define ERL_REF_NUMBERS 3

struct erl_ref {
	__u64 name; /* an id; 0: it has none, or it is not known */
	__u32 numbers[ERL_REF_NUMBERS];
	__u32 pad;
};

/* One per probe. events + lost is the number of hits that passed the filters. */
struct erl_count {
	__u64 events;
	__u64 lost;
	/* At sites that are single-stepped apart, since one costs as much as many others. */
	__u64 hits[2];	/* all, also those that counted for nothing: each costs the node time */
	__u64 saves[2]; /* at the entries of functions whose returns are hits */
};

/*
 * When hits count: user/budget/window.h. All zeros, as it is at first: always. Times are of CLOCK_MONOTONIC. A case is
 * what has a beginning and an end.
 */
struct erl_window {
	__u64 opened_ns; /* since when the probes are on: of cases that began earlier, not all was seen */
	__u64 closed_ns; /* cases that begin from then on are not measured, only others to their end; 0: all are */
	__u64 is_off;	 /* probes are being put in place or taken away, and nothing counts */
	/* Time that measuring adds to a case: */
	__u64 pair_ns;	 /* from one probe to another on the same thread */
	__u64 return_ns; /* from what is saved at a function's entry to the probe at its return */
	/* Time that measuring a call adds to the case around it: */
	__u64 plain_ns; /* each hit */
	__u64 call_ns;	/* entry and return together */
	/* Details, which say more of cases that other probes find, may be away while these are on: */
	__u64 details_ns;      /* since when they are there; 0: from the beginning on */
	__u64 without_details; /* they are not */
};

#endif
