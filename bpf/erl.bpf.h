/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * The base of all BPF programs: the hit, its arguments, Erlang pids, accounting.
 * Include this file first. It needs pt_regs only, which user space knows, so that the objects load
 * on kernels without BTF and need no vmlinux.h.
 */
#ifndef ERLBPF_BPF_ERL_BPF_H
#define ERLBPF_BPF_ERL_BPF_H

#include <linux/bpf.h>
#include <asm/ptrace.h>
#include <stdbool.h>
#include <bpf/bpf_helpers.h>
#include "erl.h"

typedef __u8 u8;
typedef __u32 u32;
typedef __s64 s64;
typedef __u64 u64;

char LICENSE[] SEC("license") = ERL_LICENSE;

/* The class that this copy of the program was loaded for: see erl.h. */
const volatile struct erl_config erl_config SEC(".rodata.erl") = {};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, ERL_PROBES);
	__type(key, u32);
	__type(value, struct erl_count);
} erl_counts SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct erl_window);
} erl_windows SEC(".maps");

/*
 * Data saved from a function's entry to its return. A thread may have several calls
 * of one function at a time, each of which has a stack pointer of its own.
 */
struct erl_saved_key {
	u64 site;  /* thread and cookie */
	u64 stack; /* stack pointer at the return */
};

struct erl_saved {
	u64 args[ERL_SAVED_ARGS];
	u64 start_ns; /* of the entry */
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 65536);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, struct erl_saved_key);
	__type(value, struct erl_saved);
} erl_saved SEC(".maps");

struct erl_hit {
	u32 os_id;
	u32 probe;
	u32 function;		       /* number of the function, 0 at a note */
	u32 is_stepped;		       /* 0 or 1: see struct erl_count */
	const struct erl_saved *saved; /* with ERL_CONFIG_USES_SAVED, else NULL */
};

/* A word of the registers. The assembly keeps the offset constant in the load, as the verifier wants. */
#define erl_word(ctx, offset)                                                                                          \
	({                                                                                                             \
		u64 word_;                                                                                             \
		asm volatile("%0 = *(u64 *)(%1 + %2)" : "=r"(word_) : "r"(ctx), "i"(offset));                          \
		word_;                                                                                                 \
	})

/* A return takes the return address off the stack on x86; there is none on aarch64. */
#ifdef __TARGET_ARCH_arm64
#define ERL_SP_OFFSET (31 * 8)
#define ERL_IP_OFFSET (32 * 8)
#define ERL_RETURN_POPS 0
#else
#define ERL_SP_OFFSET (19 * 8)
#define ERL_IP_OFFSET (16 * 8)
#define ERL_RETURN_POPS 8
#endif

/* The stack pointer at the function's first byte, of a probe at its entry. */
static __always_inline u64 erl_stack_at_entry(const void *ctx)
{
	return erl_word(ctx, ERL_SP_OFFSET) + erl_config.stack;
}

static __always_inline u64 erl_load(u64 address, u8 size, bool is_signed)
{
	u64 v = 0;

	if (size == 8) {
		bpf_probe_read_user(&v, 8, (const void *)address);
	} else if (size == 4) {
		bpf_probe_read_user(&v, 4, (const void *)address);
		if (is_signed)
			v = (u64)(s64)(__s32)v;
	} else if (size == 2) {
		bpf_probe_read_user(&v, 2, (const void *)address);
		if (is_signed)
			v = (u64)(s64)(__s16)v;
	} else {
		bpf_probe_read_user(&v, 1, (const void *)address);
		if (is_signed)
			v = (u64)(s64)(__s8)v;
	}
	return v;
}

static __always_inline u64 erl_narrow(u64 v, u8 size, bool is_signed)
{
	if (size == 4)
		return is_signed ? (u64)(s64)(__s32)v : (__u32)v;
	if (size == 2)
		return is_signed ? (u64)(s64)(__s16)v : (__u16)v;
	if (size == 1)
		return is_signed ? (u64)(s64)(__s8)v : (__u8)v;
	return v;
}

/* `slot` is the operand's place among all of a class: ERL_SLOT_... of erl.h. */
static __always_inline u64 erl_operand(const void *ctx, const struct erl_hit *hit,
				       const volatile struct erl_operand *from, const int slot)
{
	union {
		u64 word;
		struct erl_operand op;
	} u = { .word = *(const volatile u64 *)from };
	u64 v = 0;

	if (u.op.base == ERL_BASE_NONE)
		return 0;
	if (u.op.base == ERL_BASE_CONST)
		return from->disp[0];
	if (u.op.base == ERL_BASE_REG)
		v = erl_word(ctx, ERL_PATCH_REG(slot));
	if (u.op.base == ERL_BASE_IP)
		v = erl_word(ctx, ERL_IP_OFFSET);
	if (u.op.base == ERL_BASE_SAVED && hit->saved)
		v = hit->saved->args[u.op.reg & (ERL_SAVED_ARGS - 1)];
	if (!u.op.steps)
		return erl_narrow(v >> u.op.value_shift, u.op.size, u.op.is_signed);

	if (u.op.has_index)
		v += erl_word(ctx, ERL_PATCH_INDEX(slot)) << u.op.index_shift;
	v += from->disp[0];
	if (u.op.steps > 1)
		v = erl_load(v, 8, false) + from->disp[1];
	if (u.op.steps > 2)
		v = erl_load(v, 8, false) + from->disp[2];
	if (u.op.address_of)
		return v;
	v = erl_load(v, u.op.size, u.op.is_signed);
	return u.op.value_shift ? (u64)((s64)v >> u.op.value_shift) : v;
}

static __always_inline bool erl_guard_holds(const void *ctx, const struct erl_hit *hit, const int n)
{
	const volatile struct erl_guard *guard = &erl_config.guards[n];
	u64 left, right, compare = guard->compare;

	if (compare == ERL_GUARD_NONE)
		return true;
	left = erl_operand(ctx, hit, &guard->left, ERL_SLOT_LEFT(n)) & guard->mask;
	right = erl_operand(ctx, hit, &guard->right, ERL_SLOT_RIGHT(n));
	if (compare == ERL_GUARD_EQ)
		return left == right;
	if (compare == ERL_GUARD_NE)
		return left != right;
	if (compare == ERL_GUARD_LT)
		return left < right;
	return left >= right;
}

/* The pid filter of uprobe_multi links lets only the main thread through on kernels 6.6 to 6.9. */
static __always_inline bool erl_is_foreign(u64 flags, u32 os_id)
{
	return flags & ERL_CONFIG_CHECK_PID && bpf_get_current_pid_tgid() >> 32 != erl_os_pid(os_id);
}

/* This thread of the process, which its tid alone does not say for ever. */
static __always_inline u32 erl_thread(const struct erl_hit *hit)
{
	return (u32)bpf_get_current_pid_tgid() | erl_os_era(hit->os_id);
}

/*
 * The key of an Erlang process in one word, which is hashed faster than two: 22 bits of the OS pid, 14 of the serial,
 * 28 of the number. 0 for a serial beyond, which takes 2^42 spawns. The era is put on top of the serial's upper 9 bits:
 * within an era this changes nothing, and a serial that has some of them takes 2^33 spawns.
 */
static __always_inline u64 erl_process_key(const struct erl_hit *hit, u64 id)
{
	u64 era = (u64)erl_os_era(hit->os_id) >> ERL_PID_BITS << (42 - ERL_ERA_BITS);

	return id << 4 >> 4 >> 42 ? 0 : (u64)erl_os_pid(hit->os_id) << 42 | ((id & ((1ULL << 42) - 1)) ^ era);
}

static __always_inline struct erl_saved_key erl_saved_key(u64 cookie, u64 stack)
{
	return (struct erl_saved_key){
		.site = bpf_get_current_pid_tgid() << 32 | (u64)erl_os_era(cookie >> 32) << 32 | (u32)cookie,
		.stack = stack,
	};
}

static __always_inline void erl_hit_of_cookie(u64 cookie, struct erl_hit *hit)
{
	hit->os_id = cookie >> 32;
	hit->function = (u32)cookie >> ERL_PROBE_BITS & ((1 << ERL_FUNCTION_BITS) - 1);
	hit->is_stepped = (u32)cookie >> (ERL_PROBE_BITS + ERL_FUNCTION_BITS);
	hit->probe = cookie & ((1 << ERL_PROBE_BITS) - 1);
	hit->saved = NULL;
}

static __always_inline const struct erl_window *erl_window(void)
{
	u32 zero = 0;

	return bpf_map_lookup_elem(&erl_windows, &zero);
}

/* When a case is over, without what we added to it. What took no longer than that cannot be told from nothing. */
static __always_inline u64 erl_end_of(u64 start_ns, u64 now, u64 own_ns)
{
	return now - start_ns > own_ns ? now - own_ns : start_ns;
}

/* Is a case measured that began then? Whoever keeps when cases began must ask when they end. */
static __always_inline bool erl_measures_from(u64 start_ns)
{
	const struct erl_window *window = erl_window();
	u64 closed_ns;

	if (!window)
		return true;
	closed_ns = *(const volatile u64 *)&window->closed_ns;
	return start_ns >= window->opened_ns && (!closed_ns || start_ns < closed_ns);
}

/* Every hit costs the node time, also one that counts for nothing. Does this one count? */
static __always_inline bool erl_pay(const struct erl_hit *hit)
{
	const struct erl_window *window = erl_window();
	struct erl_count *count = bpf_map_lookup_elem(&erl_counts, &hit->probe);

	if (count)
		__sync_fetch_and_add(&count->hits[hit->is_stepped & 1], 1);
	return !window || !*(const volatile u64 *)&window->is_off;
}

/* The hit at the entry of a function whose return is one. */
static __always_inline void erl_pay_save(const struct erl_hit *hit)
{
	struct erl_count *count = bpf_map_lookup_elem(&erl_counts, &hit->probe);

	if (count)
		__sync_fetch_and_add(&count->saves[hit->is_stepped & 1], 1);
}

/*
 * Which of many probes at one site this is: the number is a small integer, and the right side of the first guard is the
 * one of the first probe. False: it is not wanted.
 */
static __always_inline bool erl_find_number(const void *ctx, struct erl_hit *hit)
{
	const volatile struct erl_guard *guard = &erl_config.guards[0];
	u64 left = erl_operand(ctx, hit, &guard->left, ERL_SLOT_LEFT(0));
	u64 number = (left - erl_operand(ctx, hit, &guard->right, ERL_SLOT_RIGHT(0))) >> 4;

	hit->probe = erl_config.first_probe + number;
	return number < ERL_NUMBER_WORDS * 64 && erl_config.numbers[number / 64] >> (number % 64) & 1;
}

/* First call of every program: whose hit this is. False: not one, return at once. */
static __always_inline bool erl_enter(void *ctx, struct erl_hit *hit)
{
	u64 cookie = bpf_get_attach_cookie(ctx), flags = erl_config.flags;

	erl_hit_of_cookie(cookie, hit);
	if (erl_is_foreign(flags, hit->os_id) || !erl_pay(hit))
		return false;
	if (flags & ERL_CONFIG_USES_SAVED) {
		struct erl_saved_key key = erl_saved_key(cookie, erl_word(ctx, ERL_SP_OFFSET));

		/* Missing: the function was entered before we came. */
		hit->saved = bpf_map_lookup_elem(&erl_saved, &key);
		if (!hit->saved)
			return false;
	}
	if (!(flags & ERL_CONFIG_HAS_GUARDS))
		return true;
	if (!erl_guard_holds(ctx, hit, 0) || !erl_guard_holds(ctx, hit, 1))
		return false;
	return !(flags & ERL_CONFIG_NUMBERED) || erl_find_number(ctx, hit);
}

static __always_inline void erl_count(const struct erl_hit *hit)
{
	struct erl_count *count = bpf_map_lookup_elem(&erl_counts, &hit->probe);

	/* Atomic although per CPU: uprobe programs are preemptible from Linux 6.12 on. */
	if (count)
		__sync_fetch_and_add(&count->events, 1);
}

static __always_inline void erl_count_lost(const struct erl_hit *hit)
{
	struct erl_count *count = bpf_map_lookup_elem(&erl_counts, &hit->probe);

	if (count)
		__sync_fetch_and_add(&count->lost, 1);
}

static __always_inline u64 erl_arg(const void *ctx, const struct erl_hit *hit, const int n)
{
	return erl_operand(ctx, hit, &erl_config.args[n].operand, ERL_SLOT_ARG(n));
}

/*
 * Attached (user/trace/attach.c) to the entry of a function whose return wants what was known there. Its class
 * has the operands to save in the places of the arguments.
 */
SEC("uprobe/erl-save")
int erl_save(void *ctx)
{
	u64 cookie = bpf_get_attach_cookie(ctx);
	struct erl_saved_key key = erl_saved_key(cookie, erl_word(ctx, ERL_SP_OFFSET) + ERL_RETURN_POPS);
	struct erl_saved saved = {};
	struct erl_hit hit;

	erl_hit_of_cookie(cookie, &hit);
	if (erl_is_foreign(erl_config.flags, hit.os_id))
		return 0;
	erl_pay_save(&hit);
	saved.args[0] = erl_arg(ctx, &hit, 0);
	saved.args[1] = erl_arg(ctx, &hit, 1);
	saved.args[2] = erl_arg(ctx, &hit, 2);
	saved.args[3] = erl_arg(ctx, &hit, 3);
	saved.start_ns = bpf_ktime_get_ns();
	if (bpf_map_update_elem(&erl_saved, &key, &saved, BPF_ANY))
		erl_count_lost(&hit);
	return 0;
}

/*
 * "<0.91.0>", "<9111.88.0>" and "#Port<0.8>", anything else is 0. Layout: see erl_id_make(). A global
 * function, so that the verifier looks at it once and not from every caller; and selections instead
 * of branches, since it follows both ways of every branch in a loop.
 */
#define ERL_ID_SHORT 26 /* "<0.268435455.4294967295>" and its terminator */

__noinline u64 erl_id_of_text(u64 user)
{
	u64 first = 0, second = 0, third = 0, number = 0, parts = 0;
	bool is_port = false;
	char text[32] = {};

	if (bpf_probe_read_user_str(text, sizeof(text), (const void *)user) < 4)
		return 0;
	if (text[0] == '#') {
		/* "#Port<0.8>": from the bracket on it is like a pid. */
		is_port = true;
		bpf_probe_read_user_str(text, sizeof(text), (const void *)(user + 5));
	}
	if (text[0] != '<')
		return 0;
	for (u32 i = 1; i < ERL_ID_SHORT; i++) {
		u64 digit = (u8)text[i] - (u64)'0';
		u64 ends, step;

		/*
		 * Assembly keeps the compiler from making branches of it, and the verifier from
		 * concluding from the branch below what all of these are: it would have to follow each.
		 */
		asm volatile("" : "+r"(digit));
		ends = (9 - digit) >> 63 | digit >> 63; /* 1: no digit, a part ends */
		asm volatile("%0 = %1\n%0 &= 1" : "=r"(step) : "r"(ends));
		first += (second - first) * step;
		second += (third - second) * step;
		third += (number - third) * step;
		number = (number * 10 + digit) * (1 - step);
		asm volatile("%0 += %1\n%0 &= 63" : "+r"(parts) : "r"(step));
		if (ends && text[i] != '.')
			break;
	}
	if (is_port)
		return parts == 2 ? erl_id_make(ERL_ID_PORT, third, third >> ERL_ID_NUMBER_BITS) : 0;
	if (parts != 3)
		return 0;
	if (!first)
		return erl_id_make(ERL_ID_LOCAL, second, third);
	return erl_id_make(ERL_ID_REMOTE, second, (third & 0xffff) | first << ERL_ID_REMOTE_SERIAL_BITS);
}

static __always_inline u64 erl_port_of_term(u64 term)
{
	const volatile struct erl_places *ports = &erl_config.pids.ports;
	u64 pix = term >> 4;

	if (!erl_config.pids.has_places)
		return erl_id_make(ERL_ID_PORT, pix & 0xfffffff, 0);
	if (!ports->pix_mask)
		return 0;
	pix = (pix & ~ports->pix_mask) | (pix >> (ports->cl_shift & 63) & ports->cl_mask) |
	      (pix & ports->cli_mask) << (ports->cli_shift & 63);
	return erl_id_make(ERL_ID_PORT, pix, pix >> ERL_ID_NUMBER_BITS);
}

/* Immediate terms: the low four bits are 0011 for a local pid, 0111 for a port (erl_term.h). */
static __always_inline u64 erl_id_of_term(u64 term)
{
	const volatile struct erl_pid_layout *pids = &erl_config.pids;
	u64 pix = term >> 4, data_bits = pids->data_bits & 63, number_bits = pids->number_bits & 63;

	if ((term & 0xf) == 0x7 && data_bits)
		return erl_port_of_term(term);
	if ((term & 0xf) != 0x3 || !data_bits)
		return 0;
	pix &= (1ULL << data_bits) - 1;
	if (pids->has_places)
		pix = (pix & ~pids->pix_mask) | (pix >> (pids->cl_shift & 63) & pids->cl_mask) |
		      (pix & pids->cli_mask) << (pids->cli_shift & 63);
	return erl_id_make(ERL_ID_LOCAL, pix & ((1ULL << number_bits) - 1), pix >> number_bits);
}

/* Address of a local process, by its entry in the process table; 0 if it is gone, or the table unknown. */
static __always_inline u64 erl_process_of(u64 id)
{
	const volatile struct erl_pid_layout *pids = &erl_config.pids;
	u64 number = id & ((1ULL << ERL_ID_NUMBER_BITS) - 1), serial = id << 4 >> 4 >> ERL_ID_NUMBER_BITS;
	u64 data = number | serial << (pids->number_bits & 63);
	u64 pix = ((data & pids->cl_mask) << (pids->cl_shift & 63)) + (data >> (pids->cli_shift & 63) & pids->cli_mask);
	u64 process;

	if (!pids->table || erl_id_kind(id) != ERL_ID_LOCAL)
		return 0;
	process = erl_load(pids->table + pix * 8, 8, false);
	/* Its place may be another's by now, or its memory. */
	return erl_id_of_term(erl_load(process, 8, false)) == id ? process : 0;
}

/* State flags of a local process; 0 if it is gone. Only where erl_knows_states(). */
static __always_inline u32 erl_state_of(u64 id)
{
	u64 process = erl_process_of(id);

	return process ? erl_load(process + erl_config.pids.state_offset, 4, false) : 0;
}

static __always_inline bool erl_knows_states(void)
{
	return erl_config.pids.table && erl_config.pids.state_offset;
}

/*
 * At the end of its slice: will it be queued again? That it has something to do for the VM is said until then also if
 * it has done it, as who has just sent a gen_server:call (schedule_out_process() of erl_process.c).
 */
static __always_inline bool erl_state_goes_on(u32 state)
{
	if (state & ERL_STATE_ACTIVE_OWN)
		return !(state & ERL_STATE_SUSPENDED);
	return state & ERL_STATE_ACTIVE && state & ERL_STATE_FOR_VM;
}

/* At the entry of a function: who calls it. */
static __always_inline u32 erl_caller_of(const void *ctx)
{
#ifdef __TARGET_ARCH_arm64
	u64 back = erl_word(ctx, 30 * 8);
#else
	u64 back = erl_load(erl_word(ctx, ERL_SP_OFFSET), 8, false);
#endif
	s64 distance = back - erl_word(ctx, ERL_IP_OFFSET);

#pragma unroll
	for (int i = 0; i < ERL_MAX_CALLERS; i++) {
		const volatile struct erl_caller_range *range = &erl_config.callers[i];

		if (!range->kind)
			return ERL_CALLER_OTHER;
		if (distance >= range->from && distance < range->to)
			return range->kind;
	}
	return ERL_CALLER_OTHER;
}

/* The Erlang pid or port that argument n names, whichever form it comes in; 0 if none. */
static __always_inline u64 erl_arg_id(const void *ctx, const struct erl_hit *hit, const int n)
{
	u64 v = erl_arg(ctx, hit, n);
	u32 form = erl_config.args[n].form;

	if (form == ERL_FORM_TEXT)
		return erl_id_of_text(v);
	return form == ERL_FORM_TERM ? erl_id_of_term(v) : 0;
}

#endif
