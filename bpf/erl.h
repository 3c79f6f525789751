/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The contract between the BPF programs and the hall: plain data, compiled by both sides.
 *
 * Every program is loaded once per class of sites, with a struct erl_config of that class as frozen
 * read-only data, and with the registers of its operands put into the code. The verifier knows frozen
 * data as constants and removes the branches that the class does not need, so reading an argument
 * costs the loads it consists of and little more.
 */
#ifndef ERLBPF_BPF_ERL_H
#define ERLBPF_BPF_ERL_H

#include <linux/types.h>

#define ERL_MAX_ARGS 12		/* as many as an SDT note can carry */
#define ERL_ARG_STATE 11	/* beside the probe's own: state flags of the process it is about */
#define ERL_MAX_STEPS 3		/* loads that an operand may take */
#define ERL_MAX_GUARDS 2
#define ERL_SAVED_ARGS 4	/* arguments kept from a function's entry to its return */
#define ERL_PROBE_BITS 12
#define ERL_PROBES 2048		/* ids of probes are below */
#define ERL_FUNCTION_BITS 20	/* of numbers of functions: see user/probe/functions.h */
#define ERL_TEXT 256		/* longest string of the VM, terminator included (DTRACE_TERM_BUF_SIZE) */
#define ERL_PID_TEXT 48		/* longest "<N.N.N>" or "#Port<N.N>" */

/* Where an operand starts. Registers are numbered by their place in struct pt_regs, in words. */
enum erl_base {
	ERL_BASE_NONE,		/* there is no such argument here; reads as 0 */
	ERL_BASE_CONST,		/* disp[0] is the value */
	ERL_BASE_REG,
	ERL_BASE_IP,		/* the address of the site: a symbol is at a fixed distance from it */
	ERL_BASE_SAVED,		/* `reg` is the number of an argument saved at the function's entry */
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
	__u64 value_shift : 8;	/* 8 for %ah and its like */
	__u64 size : 8;		/* 1, 2, 4 or 8 bytes */
	__u64 steps : 8;
	__s64 disp[ERL_MAX_STEPS];
};

/* What the value of an argument is. */
enum erl_form {
	ERL_FORM_NONE,
	ERL_FORM_NUMBER,
	ERL_FORM_TEXT,		/* address of a NUL-terminated string */
	ERL_FORM_TERM,		/* an Erlang term, one word */
	ERL_FORM_MFA,		/* address of three words: module and function atoms, arity */
};

struct erl_arg {
	struct erl_operand operand;
	__u32 form;
	__u32 text_size;	/* with ERL_FORM_TEXT: as much as there can be, terminator included */
};

enum erl_compare {
	ERL_GUARD_NONE,
	ERL_GUARD_EQ,
	ERL_GUARD_NE,
	ERL_GUARD_LT,		/* unsigned */
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
	__u64 data_bits;	/* 0: nothing of this is known */
	__u64 number_bits;
	__u64 has_places;	/* in the terms */
	__u64 pix_mask;
	__u64 cl_mask;
	__u64 cli_mask;
	__u32 cl_shift;
	__u32 cli_shift;
	__u64 table;		/* address of the processes' addresses, 0: not known */
	__u64 state_offset;	/* of struct process, 0: not known */
	struct erl_places ports;	/* with has_places: the same of the table of ports */
};

/*
 * How a process is named: where the VM keeps the registered name and the initial call, and the atom
 * under which proc_lib puts the real initial call into the process dictionary.
 */
struct erl_name_layout {
	__u64 reg_offset;		/* of struct process; 0: names cannot be read */
	__u64 initial_offset;
	__u64 dictionary_offset;
	__u64 initial_call;		/* the term '$initial_call', 0: the VM has no such atom */
};

/* Flags of a process's state (ERTS_PSFLG_... of erl_process.h; the same in 25.2.3 and 27.3.4.1). */
#define ERL_STATE_RUNNING (1u << 15 | 1u << 21 | 1u << 29 | 1u << 30)	/* also system tasks, dirty */
#define ERL_STATE_RUNNABLE (1u << 13 | 1u << 14 | 1u << 20 | 1u << 28)	/* or in a run queue */

#define ERL_CONFIG_CHECK_PID 1	/* compare the cookie's pid with the current one (kernels 6.6 to 6.9) */
#define ERL_CONFIG_USES_SAVED 2	/* an operand starts at ERL_BASE_SAVED */
#define ERL_CONFIG_HAS_GUARDS 4

struct erl_config {
	struct erl_arg args[ERL_MAX_ARGS];
	struct erl_guard guards[ERL_MAX_GUARDS];
	__u64 flags;			/* ERL_CONFIG_... */
	struct erl_pid_layout pids;
	struct erl_name_layout names;
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
#define ERL_PATCH_REG(slot) (ERL_PATCH_BASE + (slot) * 16)
#define ERL_PATCH_INDEX(slot) (ERL_PATCH_BASE + (slot) * 16 + 8)
#define ERL_PATCH_END ERL_PATCH_REG(ERL_SLOTS)

/*
 * The cookie of a site says whose hit it is: the OS pid, the number of the function that stands for
 * the probe (0 at a note), and the number of the probe.
 */
static inline __u64 erl_cookie(__u32 os_pid, __u32 function, __u32 probe)
{
	return (__u64)os_pid << 32 | (__u64)function << ERL_PROBE_BITS | probe;
}

/*
 * Whatever can be a key or the name of something is one word, whichever source it came from: a kind
 * in the top four bits, 0 is "none". Text appears only when it is printed (user/run/ids.h).
 *
 * Erlang pids and ports have the number in the lowest 28 bits, the serial above. Local identifiers
 * are exact. Pids of other nodes keep 16 bits each of serial and channel: they are shown, never
 * matched.
 */
#define ERL_ID_KIND_SHIFT 60
#define ERL_ID_LOCAL 1ULL
#define ERL_ID_REMOTE 2ULL
#define ERL_ID_PORT 3ULL
#define ERL_ID_MFA 4ULL		/* atom numbers of module and function, arity: see erl_id_of_mfa() */
#define ERL_ID_ATOM 5ULL	/* the atom's number */
#define ERL_ID_FUNCTION 6ULL	/* number of a function of the VM: see erl_cookie() */
#define ERL_ID_TEXT 7ULL	/* the hash of a text, which is in the map erl_texts (name.bpf.h) */
#define ERL_ID_NUMBER 8ULL	/* a number of 60 bits */
#define ERL_ID_FD 9ULL		/* a file descriptor, of a file whose name is not known */
#define ERL_ID_VALUE_MASK ((1ULL << ERL_ID_KIND_SHIFT) - 1)
#define ERL_ID_ATOM_BITS 26	/* of an atom's number in an MFA; a VM has 1,048,576 atoms at most by default */
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

	if ((module & 0x3f) != 0xb || (function & 0x3f) != 0xb || arity > 255 ||
	    m >> ERL_ID_ATOM_BITS || f >> ERL_ID_ATOM_BITS)
		return 0;
	return erl_id_of(ERL_ID_MFA, m << (ERL_ID_ATOM_BITS + 8) | f << 8 | arity);
}

/* A text that is a name: of a port, a node, a file. Longer ones are cut. */
#define ERL_NAME_TEXT 128
#define ERL_MAX_TEXTS 16384

/* One per probe. events + lost is the number of hits that passed the filters. */
struct erl_count {
	__u64 events;
	__u64 lost;
};

#endif
