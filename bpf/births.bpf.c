// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * How many processes are spawned and exit, who spawns them, and what do they run? An exit counts where
 * the spawn did: each process that is spawned is remembered, with its key and the time, until it exits.
 */
#include "births.h"
#include "fate.bpf.h"
#include "name.bpf.h"
#include "tally.bpf.h"

const volatile struct births_config births_config = {};

struct births_child {
	u64 id;
	u32 os_pid;
	u32 pad;
};

struct births_birth {
	u64 key;
	u64 born_ns;
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, BIRTHS_ALIVE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, struct births_child);
	__type(value, struct births_birth);
} births_alive SEC(".maps");

/* The first elements of a list, and how many there are, at most that many. */
#define MAX_ELEMENTS 8

static __always_inline u32 list_elements(u64 list, u64 elements[MAX_ELEMENTS])
{
	u32 count = 0;

#pragma unroll
	for (int i = 0; i < MAX_ELEMENTS; i++) {
		u64 cell[2] = {};

		if ((list & 3) != 1 || bpf_probe_read_user(cell, sizeof(cell), (const void *)(list - 1)))
			break;
		elements[i] = cell[0];
		list = cell[1];
		count++;
	}
	return count;
}

#define IS_ATOM(term) (((term) & 0x3f) == 0xb)

/*
 * What a process of proc_lib runs, as its '$initial_call' will say once it runs (trans_init() of
 * proc_lib.erl): gen:init_it([_, _, _, Module, _, _]) and gen:init_it([_, _, _, _, Module | _]) are
 * Module:init/1. Supervisors, which it names otherwise, are supervisor:init/1 here.
 */
static __always_inline u64 call_of_proc_lib(u64 module, u64 function, u64 arguments)
{
	u64 elements[MAX_ELEMENTS] = {}, server;
	u32 count = list_elements(arguments, elements);

	if (module == erl_config.names.gen && count >= 6) {
		server = count == 6 ? elements[3] : elements[4];
		if (IS_ATOM(server))
			return erl_id_of_mfa(server, erl_config.names.init, 1);
	}
	return erl_id_of_mfa(module, function, count);
}

/* What a process that is spawned with these runs: proc_lib:init_p(_, _, Module, Function, Arguments). */
static __always_inline u64 call_of(u64 module, u64 function, u64 arguments)
{
	u64 elements[MAX_ELEMENTS] = {};
	u32 count = list_elements(arguments, elements);

	if (module == erl_config.names.proc_lib && count == 5 && IS_ATOM(elements[2]))
		return call_of_proc_lib(elements[2], elements[3], elements[4]);
	return erl_id_of_mfa(module, function, count);
}

static __always_inline u64 key_of(void *ctx, const struct erl_hit *hit, u64 parent)
{
	switch (births_config.by) {
	case BIRTHS_BY_PID:
		return parent;
	case BIRTHS_BY_NAME:
		return name_of_process(parent);
	case BIRTHS_BY_MFA:
		return call_of(erl_arg(ctx, hit, 2), erl_arg(ctx, hit, 3), erl_arg(ctx, hit, 4));
	default:
		return 0;
	}
}

static __always_inline void count_one(const struct erl_hit *hit, u64 key, u32 kind, u64 amount)
{
	struct tally_key tally = { .id = key, .os_pid = hit->os_pid, .kind = kind };

	tally_add(&tally, amount, 1);
}

SEC("usdt/vm:process-exited")
int process_exited(void *ctx)
{
	struct births_child child = {};
	struct births_birth *birth;
	struct erl_hit hit;

	if (!erl_enter(ctx, &hit))
		return 0;
	child.id = erl_arg_id(ctx, &hit, 0);
	child.os_pid = hit.os_pid;
	birth = bpf_map_lookup_elem(&births_alive, &child);
	if (birth) {
		erl_count(&hit);
		count_one(&hit, birth->key, BIRTHS_EXIT, bpf_ktime_get_ns() - birth->born_ns);
		bpf_map_delete_elem(&births_alive, &child);
		return 0;
	}
	/* Who spawned it is not known any more. */
	if (births_config.erl_pid)
		return 0;
	erl_count(&hit);
	fate_add(BIRTHS_OLD, 1);
	count_one(&hit, births_config.by == BIRTHS_BY_MFA ? name_call_of(child.id) : 0, BIRTHS_EXIT_OLD, 0);
	return 0;
}

SEC("usdt/vm:process-spawned")
int process_spawned(void *ctx)
{
	struct births_child child = {};
	struct births_birth birth;
	struct erl_hit hit;
	u64 parent;

	if (!erl_enter(ctx, &hit))
		return 0;
	parent = erl_arg_id(ctx, &hit, 1);
	if (births_config.erl_pid && parent != births_config.erl_pid)
		return 0;
	child.id = erl_arg_id(ctx, &hit, 0);
	child.os_pid = hit.os_pid;
	birth.key = key_of(ctx, &hit, parent);
	birth.born_ns = bpf_ktime_get_ns();
	erl_count(&hit);
	count_one(&hit, birth.key, BIRTHS_SPAWN, 0);
	/* If there is no room for it, its exit counts as that of an old one. */
	bpf_map_update_elem(&births_alive, &child, &birth, BPF_ANY);
	return 0;
}
