/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * What a process is spawned to run, as an id, from the module, function and arguments of the spawn. Where
 * those only begin it, as erlang:apply, proc_lib:init_p and gen:init_it do, the arguments tell what it
 * really is: the same that proc_lib keeps as '$initial_call'; and of a fun the function that it is.
 *
 * It is kept while the process lives: at its end nothing else tells which fun it was.
 */
#ifndef ERLBPF_BPF_CALL_BPF_H
#define ERLBPF_BPF_CALL_BPF_H

#include "name.bpf.h"
#include "term.h"

#define CALL_ARGS 7 /* arguments that are looked at: gen:init_it has most */
#define CALL_MAX_ARITY 255
#define CALL_LAYERS 3	     /* spawn_request of proc_lib of gen, for one */
#define CALL_PROCESSES 65536 /* whose calls are kept; those of others are as name_call_of() finds them */

/* Offsets in a fun and its entry: erl_fun.h and export.h of OTP 25.2.3, 27.3.4.1 and 29.1.1. */
#define CALL_25_FUN_ARITY 24 /* one byte */
#define CALL_27_FUN_ARITY(header) ((header) >> 8 & 0xff)
#define CALL_CODES 3		/* addresses of the code, one for each code index */
#define CALL_MFA_BEFORE_CODE 24 /* ErtsCodeInfo ends in the MFA, and the code follows */
#define CALL_TRAMPOLINE 128	/* bytes; each free variable takes up to 16 */

struct call {
	u64 module, function, args; /* terms */
	u64 id;			    /* 0: the function itself, as far as is known */
};

enum call_layer {
	CALL_IS_KNOWN, /* it is what it seems, or what it is was found */
	CALL_IS_CALL,  /* of another function, which is in struct call now */
	CALL_IS_FUN,   /* of a fun */
};

struct call_args {
	u64 items[CALL_ARGS];
	u64 count;
};

struct call_process {
	u64 id;
	u64 os_id;
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, CALL_PROCESSES);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, struct call_process);
	__type(value, u64);
} call_processes SEC(".maps");

static __always_inline u64 call_atom(enum erl_atom atom)
{
	return erl_config.names.atoms[atom];
}

static __always_inline bool call_is(const struct call *c, enum erl_atom module, enum erl_atom function)
{
	return call_atom(module) && c->module == call_atom(module) && c->function == call_atom(function);
}

/* A global function, so that the verifier follows the loop once. */
__noinline int call_list(struct call_args *args, u64 list)
{
	u32 count = 0;

	if (!args)
		return 0;
	for (; count <= CALL_MAX_ARITY && TERM_TAG(list) == TERM_TAG_LIST; count++) {
		u64 cell[2] = {};

		if (bpf_probe_read_user(cell, sizeof(cell), (const void *)TERM_ADDRESS(list)))
			break;
		if (count < CALL_ARGS)
			args->items[count] = cell[0];
		list = cell[1];
	}
	args->count = count;
	return 0;
}

/* Is the MFA in front of the code at that address one of the module, which is one of two terms? */
static __always_inline bool call_is_at_code(u64 code, u64 module, u64 other, u64 mfa[2])
{
	bpf_probe_read_user(mfa, 2 * sizeof(*mfa), (const void *)(code - CALL_MFA_BEFORE_CODE));
	return mfa[0] && (mfa[0] == module || mfa[0] == other);
}

#ifdef __TARGET_ARCH_arm64
#define call_of_trampoline(code, module, other, arity) 0
#else
/*
 * The code of a fun with free variables loads them and jumps to the function (emit_i_lambda_trampoline()
 * in jit/x86/instr_fun.cpp). Whatever looks like a jump is one if it leads to a function of the module.
 */
__noinline u64 call_of_trampoline(u64 code, u64 module, u64 other, u64 arity)
{
	u8 bytes[CALL_TRAMPOLINE] = {};
	u64 mfa[2] = {};
	bool is_found = false;

	if (bpf_probe_read_user(bytes, sizeof(bytes), (const void *)code))
		return 0;
	for (u32 i = 0; i < CALL_TRAMPOLINE - 5 && !is_found; i++) {
		__s32 distance;

		if (bytes[i] == 0xe9)
			__builtin_memcpy(&distance, &bytes[i + 1], sizeof(distance));
		else if (bytes[i] == 0xeb)
			distance = (__s8)bytes[i + 1];
		else
			continue;
		is_found = call_is_at_code(code + i + (bytes[i] == 0xe9 ? 5 : 2) + distance, module, other, mfa);
	}
	return is_found ? erl_id_of_mfa(mfa[0], mfa[1], arity) : 0;
}
#endif

/*
 * An ErlFunEntry begins with addresses of its code, three or under the JIT four, and then has the module; in OTP 29
 * another address goes before it.
 * The address for a code index at which the module is not loaded leads elsewhere.
 */
static __always_inline u64 call_of_local_fun(u64 entry, u64 arity)
{
	u64 words[CALL_CODES + 2] = {}, mfa[2] = {}, found = 0, module, other;

	bpf_probe_read_user(words, sizeof(words), (const void *)entry);
	/* Once more instead of a word more: Linux 6.1 counts the stack of all frames in steps of 32 bytes. */
	if (erl_config.otp == 29)
		bpf_probe_read_user(&words[CALL_CODES], 2 * sizeof(*words),
				    (const void *)(entry + (CALL_CODES + 1) * 8));
	module = words[CALL_CODES + 1];
	other = words[CALL_CODES];
	for (u32 i = 0; i < CALL_CODES && !found; i++)
		found = call_is_at_code(words[i], module, other, mfa)
				? erl_id_of_mfa(mfa[0], mfa[1], arity)
				: call_of_trampoline(words[i], module, other, arity);
	return found;
}

/* Without the JIT, one address less is in front. */
static __always_inline u64 call_of_export(u64 entry)
{
	u64 at = entry + TERM_ADDRESSES(true) + TERM_EXPORT_MFA(erl_config.otp);
	u64 found = name_of_mfa_at(at);

	return found ? found : name_of_mfa_at(at - 8);
}

/* The function that a fun calls; 0 if it is not a fun, or unknown. */
__noinline u64 call_of_fun(u64 fun)
{
	u64 at = TERM_ADDRESS(fun), words[2] = {}, arity, creator;

	if (TERM_TAG(fun) != TERM_TAG_BOXED || !TERM_KNOWS_RELEASE(erl_config.otp))
		return 0;
	bpf_probe_read_user(words, sizeof(words), (const void *)at);
	if (TERM_TAG(words[0]) != TERM_TAG_HEADER || TERM_HEADER_SUBTAG(words[0]) != TERM_FUN)
		return 0;
	if (erl_config.otp == 25) {
		creator = name_word(at + TERM_25_FUN_CREATOR);
		if (TERM_IS_ATOM(creator))
			return call_of_export(words[1]);
		arity = erl_load(at + CALL_25_FUN_ARITY, 1, false);
	} else {
		if (TERM_27_FUN_IS_EXPORT(words[0], erl_config.otp))
			return call_of_export(words[1]);
		arity = CALL_27_FUN_ARITY(words[0]);
	}
	return call_of_local_fun(words[1], arity);
}

/* Elements of a tuple of three; false if it is none. */
static __always_inline bool call_triple(u64 term, u64 elements[3])
{
	u64 words[4] = {};

	if (TERM_TAG(term) != TERM_TAG_BOXED)
		return false;
	bpf_probe_read_user(words, sizeof(words), (const void *)TERM_ADDRESS(term));
	__builtin_memcpy(elements, words + 1, 3 * sizeof(*words));
	return words[0] == 3 << 6;
}

/* gen:init_it, as trans_init() of proc_lib.erl understands it. */
static __always_inline u64 call_of_gen(const struct call_args *args)
{
	bool is_nameless = args->count == 6 && TERM_IS_ATOM(args->items[3]);
	u64 module = is_nameless ? args->items[3] : args->items[4];
	u64 arg = is_nameless ? args->items[4] : args->items[5], elements[3];

	if (args->items[0] == call_atom(ERL_ATOM_GEN_EVENT))
		return erl_id_of_mfa(args->items[0], call_atom(ERL_ATOM_INIT_IT), 6);
	if (module == call_atom(ERL_ATOM_SUPERVISOR) && call_triple(arg, elements))
		return erl_id_of_mfa(module, elements[1], 1);
	if (module == call_atom(ERL_ATOM_SUPERVISOR_BRIDGE) && TERM_TAG(arg) == TERM_TAG_LIST)
		return erl_id_of_mfa(module, name_word(TERM_ADDRESS(arg)), 1);
	return args->count > 4 ? erl_id_of_mfa(module, call_atom(ERL_ATOM_INIT), 1) : 0;
}

static __always_inline bool call_set(struct call *c, const u64 *words)
{
	c->module = words[0];
	c->function = words[1];
	c->args = words[2];
	return true;
}

/* spawn_request: [{Module, Function, Arguments}], from another node with their number only. */
static __always_inline bool call_of_request(struct call *c, u64 request)
{
	u64 words[3];

	return call_triple(request, words) && call_set(c, words);
}

/*
 * Looks through one layer: what is behind it, an enum call_layer. The function of a fun, which c->id then is, is not
 * found here: before Linux 6.13, the stacks of a program and all functions it is in may be 512 bytes in all.
 */
__noinline int call_unwrap(struct call *c)
{
	struct call_args args = {};

	if (!c)
		return 0;
	call_list(&args, c->args);
	if (call_is(c, ERL_ATOM_ERTS_INTERNAL, ERL_ATOM_SPAWN_INIT) ||
	    call_is(c, ERL_ATOM_ERTS_INTERNAL, ERL_ATOM_DIST_SPAWN_INIT))
		return call_of_request(c, args.items[0]);
	if (call_is(c, ERL_ATOM_PROC_LIB, ERL_ATOM_INIT_P) && args.count == 5)
		return call_set(c, &args.items[2]);
	if (call_is(c, ERL_ATOM_ERLANG, ERL_ATOM_APPLY) && args.count == 3)
		return call_set(c, &args.items[0]);
	if (call_is(c, ERL_ATOM_GEN, ERL_ATOM_INIT_IT)) {
		c->id = call_of_gen(&args);
		return CALL_IS_KNOWN;
	}
	if (call_is(c, ERL_ATOM_PROC_LIB, ERL_ATOM_INIT_P) && args.count == 3)
		c->id = args.items[2];
	else if (call_is(c, ERL_ATOM_ERLANG, ERL_ATOM_APPLY) && args.count == 2)
		c->id = args.items[0];
	return c->id ? CALL_IS_FUN : CALL_IS_KNOWN;
}

__noinline u64 call_of_spawn(u64 module, u64 function, u64 list)
{
	struct call c = { .module = module, .function = function, .args = list };
	struct call_args args = {};
	int layer = CALL_IS_CALL;

	for (u32 i = 0; i < CALL_LAYERS && layer == CALL_IS_CALL; i++)
		layer = call_unwrap(&c);
	if (layer == CALL_IS_FUN)
		c.id = call_of_fun(c.id);
	if (c.id)
		return c.id;
	if ((c.args & 0xf) == 0xf)
		return erl_id_of_mfa(c.module, c.function, c.args >> 4);
	call_list(&args, c.args);
	return erl_id_of_mfa(c.module, c.function, args.count);
}

/* A hit of process-spawn: what is spawned, which is kept for the end of the process; 0: not known. */
static __always_inline u64 call_begins(void *ctx, const struct erl_hit *hit, u64 id)
{
	struct call_process key = { .id = id, .os_id = hit->os_id };
	u64 call;

	if (erl_config.args[1].form == ERL_FORM_TEXT)
		call = name_of_user_text(erl_arg(ctx, hit, 1));
	else
		call = call_of_spawn(erl_arg(ctx, hit, ERL_ARG_MODULE), erl_arg(ctx, hit, ERL_ARG_FUNCTION),
				     erl_arg(ctx, hit, ERL_ARG_TERM));
	if (!call)
		return 0;
	bpf_map_update_elem(&call_processes, &key, &call, BPF_ANY);
	/* Another scheduler was faster: there will be no end of it. */
	if (erl_config.pids.table && !erl_process_of(id))
		bpf_map_delete_elem(&call_processes, &key);
	return call;
}

/* The function that the process runs, if its spawn was seen; else 0. */
static __always_inline u64 call_kept(const struct erl_hit *hit, u64 id)
{
	struct call_process key = { .id = id, .os_id = hit->os_id };
	u64 *kept = bpf_map_lookup_elem(&call_processes, &key);

	return kept ? *kept : 0;
}

/* The function that the process runs; 0 if unknown. */
static __always_inline u64 call_of(const struct erl_hit *hit, u64 id)
{
	u64 kept = call_kept(hit, id);

	return kept ? kept : name_call_of(id);
}

/* A hit of process-exit: the same, and it is not kept any longer. */
static __always_inline u64 call_ends(const struct erl_hit *hit, u64 id)
{
	struct call_process key = { .id = id, .os_id = hit->os_id };
	u64 call = call_of(hit, id);

	bpf_map_delete_elem(&call_processes, &key);
	return call;
}

/* The parent of the process; 0 if unknown, or on another node. */
__noinline u64 call_parent_of(u64 id)
{
	u64 offset = erl_config.names.parent_offset, process = offset ? erl_process_of(id) : 0;

	return process ? name_if_still(process, id, erl_id_of_term(name_word(process + offset))) : 0;
}

/* The parent at a hit of process-spawn, when the process may be gone. */
static __always_inline u64 call_parent(void *ctx, const struct erl_hit *hit, u64 id)
{
	if (erl_config.args[ERL_ARG_PARENT].form != ERL_FORM_TERM)
		return call_parent_of(id);
	return erl_id_of_term(erl_arg(ctx, hit, ERL_ARG_PARENT));
}

#endif
