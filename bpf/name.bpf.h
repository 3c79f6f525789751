/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Names of things, as ids: processes by what the VM knows of them at the moment of the event,
 * so that those that live shortly keep their names; texts of the VM by their hash, the text itself
 * being kept once.
 */
#ifndef ERLBPF_BPF_NAME_BPF_H
#define ERLBPF_BPF_NAME_BPF_H

#include "erl.bpf.h"

#define NAME_REG_PROCESS 16 /* of RegProc (register.h), the same in 25.2.3, 27.3.4.1 and 29.1.1 */
#define NAME_REG_NAME 32
#define NAME_PD_USED 4 /* of ProcDict (erl_process_dict.h), the same too */
#define NAME_PD_DATA 24
#define NAME_MFA 24	 /* bytes of the MFA that is just before each function's code (ErtsCodeInfo of code_ix.h) */
#define NAME_PD_BUCKET 4 /* keys that are looked at when several fall into one bucket */

struct name_text {
	char text[ERL_NAME_TEXT];
};

/* Texts by the value of their id. What does not fit is shown by its hash. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, ERL_MAX_TEXTS);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, u64);
	__type(value, struct name_text);
} erl_texts SEC(".maps");

static __always_inline u64 name_of_text_as(const struct name_text *text, u64 kind)
{
	const u64 *words = (const u64 *)text->text;
	u64 hash = 0xcbf29ce484222325ULL, id;

#pragma unroll
	for (int i = 0; i < ERL_NAME_TEXT / 8; i++) {
		hash = (hash ^ words[i]) * 0x9e3779b97f4a7c15ULL;
		hash ^= hash >> 29;
	}
	id = erl_id_of(kind, hash);
	if (!bpf_map_lookup_elem(&erl_texts, &id))
		bpf_map_update_elem(&erl_texts, &id, text, BPF_NOEXIST);
	return id;
}

static __always_inline u64 name_of_text(const struct name_text *text)
{
	return name_of_text_as(text, ERL_ID_TEXT);
}

/* The id of a NUL-terminated text of the VM; 0 if it cannot be read or is empty. */
__noinline u64 name_of_user_text(u64 address)
{
	struct name_text text = {};

	if (bpf_probe_read_user_str(text.text, sizeof(text.text), (const void *)address) <= 1)
		return 0;
	return name_of_text(&text);
}

/* The thread that runs now, as the VM calls it ("erts_sched_1", "1_scheduler"): people see the scheduler. */
__noinline u64 name_of_thread(void)
{
	struct name_text text = {};

	bpf_get_current_comm(text.text, 16);
	return name_of_text_as(&text, ERL_ID_THREAD);
}

static __always_inline u64 name_word(u64 address)
{
	return erl_load(address, 8, false);
}

/*
 * The same value, of which the verifier knows nothing, as it was written in halves: what follows a loop is then looked
 * at once, and not for each way out of it. Linux 7.2 looked at 14 times as many instructions without.
 */
static __always_inline u64 name_opaque(u64 value)
{
	volatile u64 there;
	volatile u32 *halves = (volatile u32 *)&there;

	halves[0] = value;
	halves[1] = value >> 32;
	return there;
}

/* Three words: module, function, arity. */
static __always_inline u64 name_of_mfa_at(u64 address)
{
	u64 mfa[3] = {};

	bpf_probe_read_user(mfa, sizeof(mfa), (const void *)address);
	return erl_id_of_mfa(mfa[0], mfa[1], mfa[2]);
}

/* {Module, Function, Arity} or {Module, Function, [Argument]}: a boxed tuple of three. */
static __always_inline u64 name_of_mfa_tuple(u64 term)
{
	u64 words[4] = {};

	bpf_probe_read_user(words, sizeof(words), (const void *)(term - 2));
	if ((term & 3) != 2 || words[0] != 3 << 6 || (words[3] & 0xf) != 0xf)
		return 0;
	return erl_id_of_mfa(words[1], words[2], words[3] >> 4);
}

/* `pair`: the boxed {Key, Value} of a process dictionary. The value, 0 if the key is another. */
static __always_inline u64 name_value_of_pair(u64 pair, u64 key)
{
	u64 words[3] = {};

	if ((pair & 3) != 2)
		return 0;
	bpf_probe_read_user(words, sizeof(words), (const void *)(pair - 2));
	return words[0] == 2 << 6 && words[1] == key ? words[2] : 0;
}

/*
 * What the process keeps in its dictionary under an atom; 0 if nothing. An atom's hash is its number,
 * and a bucket is one pair or a list of them (pd_hash_value_to_ix() in erl_process_dict.c).
 */
static __always_inline u64 name_in_dictionary(u64 process, u64 key)
{
	u64 dictionary = name_word(process + erl_config.names.dictionary_offset), bucket, value;
	u32 size[2] = {}, hash = key >> 6, at;

	if (!dictionary)
		return 0;
	bpf_probe_read_user(size, sizeof(size), (const void *)dictionary);
	at = hash & size[0];
	if (at >= size[1])
		at = hash & size[0] >> 1;
	bucket = name_word(dictionary + NAME_PD_DATA + (u64)at * 8);
	value = 0;
	for (int i = 0; i < NAME_PD_BUCKET && (bucket & 3) == 1 && !value; i++) {
		u64 cell[2] = {};

		bpf_probe_read_user(cell, sizeof(cell), (const void *)(bucket - 1));
		value = name_value_of_pair(cell[0], key);
		bucket = cell[1];
	}
	return name_opaque(value ? value : name_value_of_pair(bucket, key));
}

/* The function that a process is in when it is let go: its MFA or, where the VM does not keep it, an address in it. */
static __always_inline u64 name_current_call(u64 process)
{
	u64 mfa = name_word(process + erl_config.names.current_offset);

	if (mfa)
		return name_of_mfa_at(mfa);
	return erl_id_of(ERL_ID_CODE, name_word(process + erl_config.names.code_offset));
}

/*
 * Where the VM measures a function (`calls --via vm`), the address on the stack that it returns to is of the JIT's own
 * code: the beginning of what has the MFA before it, as every function has (node/code/code.h).
 */
static __always_inline bool name_is_of_jit(u64 address)
{
	u64 module = erl_config.names.atoms[ERL_ATOM_BEAMASM];

	return module && name_word(address - NAME_MFA) == module;
}

/*
 * Where the oldest function on the stack goes on, an address of code; 0: there is none. The last word is where the
 * process ends. The tag of an address is 0, and so is that of a frame pointer (+JPperf true), which leads into the
 * stack.
 */
static __always_inline u64 name_oldest_return(u64 heap, u64 end, u64 stop)
{
	u64 at = end - 8, found = 0;

	for (int i = 0; i < ERL_STACK_WORDS && !found; i++) {
		u64 word;

		at -= 8;
		if (at < stop || at < heap)
			break;
		word = name_word(at);
		if (word && !(word & 3) && (word < heap || word > end) && !name_is_of_jit(word))
			found = word;
	}
	return name_opaque(found);
}

/*
 * A process that was spawned with a fun, which nothing keeps: the oldest function on its stack stands for it, and
 * without one the function that it is in. 0 if it is too early or too late for that. Inline: before Linux 6.13, the
 * stacks of a program and all functions it is in may be 512 bytes in all.
 */
static __always_inline u64 name_of_fun_process(u64 process)
{
	u64 heap = name_word(process + erl_config.names.heap_offset), stop, address;

	if (!erl_config.names.stop_offset)
		return 0;
	stop = name_word(process + erl_config.names.stop_offset);
	address = name_oldest_return(heap, heap + name_word(process + erl_config.names.heap_size_offset) * 8, stop);
	/* A collection that was faster has moved one of them. */
	if (heap != name_word(process + erl_config.names.heap_offset) ||
	    stop != name_word(process + erl_config.names.stop_offset))
		return 0;
	return address ? erl_id_of(ERL_ID_CODE, address) : name_current_call(process);
}

static __always_inline bool name_is_apply(u64 call)
{
	u64 module = erl_config.names.atoms[ERL_ATOM_ERLANG], function = erl_config.names.atoms[ERL_ATOM_APPLY];

	return module && call == erl_id_of_mfa(module, function, 2);
}

/* The initial function of the process; for proc_lib, the function that it starts. */
static __always_inline u64 name_initial_call(u64 process)
{
	u64 found = 0;

	if (erl_config.names.initial_call)
		found = name_of_mfa_tuple(name_in_dictionary(process, erl_config.names.initial_call));
	if (found)
		return found;
	found = name_of_mfa_at(process + erl_config.names.initial_offset);
	if (name_is_apply(found)) {
		u64 function = name_of_fun_process(process);

		return function ? function : found;
	}
	return found;
}

static __always_inline u64 name_registered(u64 process)
{
	u64 reg = name_word(process + erl_config.names.reg_offset), name;

	if (!reg || name_word(reg + NAME_REG_PROCESS) != process)
		return 0;
	name = name_word(reg + NAME_REG_NAME);
	return (name & 0x3f) == 0xb ? erl_id_of(ERL_ID_ATOM, name >> 6) : 0;
}

/* Its memory may have been reused while it was read; then the name is not valid. */
static __always_inline u64 name_if_still(u64 process, u64 id, u64 name)
{
	return erl_id_of_term(name_word(process)) == id ? name : 0;
}

/*
 * The function that a process is in when it is let go. The VM keeps its MFA, except where the process
 * waits, or what it runs next is no function's beginning: then there is the address of the code.
 */
__noinline u64 name_current_call_of(u64 id)
{
	u64 process = erl_config.names.reg_offset ? erl_process_of(id) : 0;

	return process ? name_current_call(process) : 0;
}

/* The initial call of a process, as an id; 0 if it cannot be known. */
__noinline u64 name_call_of(u64 id)
{
	u64 process = erl_config.names.reg_offset ? erl_process_of(id) : 0;

	return process ? name_if_still(process, id, name_initial_call(process)) : 0;
}

/* Its registered name, or its initial call; 0 if neither can be known. */
__noinline u64 name_of_process(u64 id)
{
	u64 process = erl_config.names.reg_offset ? erl_process_of(id) : 0, name;

	if (!process)
		return 0;
	name = name_registered(process);
	return name_if_still(process, id, name ? name : name_initial_call(process));
}

#endif
