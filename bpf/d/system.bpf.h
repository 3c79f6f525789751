/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Built-in variables that are not a word of the frame, and arithmetic without a BPF instruction. */
#ifndef ERLBPF_BPF_D_SYSTEM_BPF_H
#define ERLBPF_BPF_D_SYSTEM_BPF_H

#include "d/state.bpf.h"

/* Time of day minus CLOCK_MONOTONIC, in nanoseconds; set when the program starts. */
const volatile __u64 d_wall_offset = 0;

D_FUNCTION d_walltimestamp(struct d_frame *f)
{
	return f->time_ns + d_wall_offset;
}

/* The current time, not that of the firing: it changes with each read. */
D_FUNCTION d_walltimestamp_now(struct d_frame *f)
{
	(void)f;
	return bpf_ktime_get_ns() + d_wall_offset;
}

D_FUNCTION d_pid(struct d_frame *f)
{
	return f->pid_tgid >> 32;
}

D_FUNCTION d_thread(struct d_frame *f)
{
	return (u32)f->pid_tgid;
}

D_FUNCTION d_uid(struct d_frame *f)
{
	(void)f;
	return (u32)bpf_get_current_uid_gid();
}

D_FUNCTION d_gid(struct d_frame *f)
{
	(void)f;
	return bpf_get_current_uid_gid() >> 32;
}

D_FUNCTION d_cpu(struct d_frame *f)
{
	(void)f;
	return bpf_get_smp_processor_id();
}

/* cpuinfo_t of each CPU, for curcpu, also after the clause: cpu_id cpu_pset cpu_chip cpu_lgrp. */
struct d_cpuinfo {
	int members[4];
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct d_cpuinfo);
} d_cpuinfos SEC(".maps");

D_FUNCTION d_cpuinfo(struct d_frame *f, u64 cpu, u64 chip)
{
	u32 zero = 0;
	struct d_cpuinfo *info = bpf_map_lookup_elem(&d_cpuinfos, &zero);

	(void)f;
	if (!info)
		return 0;
	info->members[0] = cpu;
	info->members[2] = chip;
	return (u64)info;
}

D_FUNCTION d_epid(struct d_frame *f)
{
	return f->clause;
}

D_FUNCTION d_errno(struct d_frame *f)
{
	return f->error;
}

D_FUNCTION d_curthread(struct d_frame *f)
{
	(void)f;
	return bpf_get_current_task();
}

#define D_COMM 16 /* TASK_COMM_LEN, includes the NUL; zeros follow */

/*
 * The number of bytes before the first zero byte, 8 if there is none. The first zero byte has the lowest remaining bit.
 */
static __always_inline u64 d_bytes_before_nul(u64 word)
{
	u64 is_zero = (word - 0x0101010101010101ULL) & ~word & 0x8080808080808080ULL;

	return is_zero ? ((is_zero & -is_zero) >> 7) * 0x0001020304050607ULL >> 56 : 8;
}

/*
 * Copies to dst and returns the bytes with the NUL. Copying it as text would make the kernel copy each byte separately,
 * which is slower than reading it.
 */
static __always_inline u64 d_execname_text(struct d_frame *f, u64 dst)
{
	volatile u64 *to = (volatile u64 *)d_at(f, dst);
	u64 comm[D_COMM / 8] = {}, length;

	bpf_get_current_comm(comm, sizeof(comm));
	if (d_string_size < D_COMM - 1) {
		s64 size = bpf_probe_read_kernel_str((void *)to, d_string_size + 1, comm);

		return size > 0 ? size : 0;
	}
	to[0] = comm[0];
	to[1] = comm[1];
	length = d_bytes_before_nul(comm[0]);
	return 1 + (length < 8 ? length : 8 + d_bytes_before_nul(comm[1]));
}

D_FUNCTION d_execname(struct d_frame *f, u64 dst)
{
	d_string_clear(f, dst);
	d_execname_text(f, dst);
	return 0;
}

static __always_inline struct d_probe_name *d_probe_of(struct d_frame *f)
{
	u64 key = f->function << ERL_PROBE_BITS | f->probe, key_of_process = (u64)f->os_id << 32 | key;
	struct d_probe_name *name = bpf_map_lookup_elem(&d_probe_names, &key_of_process);

	/* Kernel probes belong to no process, whichever process they fire in. */
	return name ? name : bpf_map_lookup_elem(&d_probe_names, &key);
}

/* Copies field 0 to 3 of the probe's name to dst; returns the bytes with the NUL. */
static __always_inline u64 d_probe_name_text(struct d_frame *f, u64 dst, u64 field)
{
	struct d_probe_name *name = d_probe_of(f);
	u64 most = d_string_size + 1 < D_PROBE_TEXT ? d_string_size + 1 : D_PROBE_TEXT;
	s64 size = name ? bpf_probe_read_kernel_str(d_at(f, dst), most, name->fields[field & 3]) : 0;

	return size > 0 ? size : 0;
}

D_FUNCTION d_probe_name(struct d_frame *f, u64 dst, u64 field)
{
	d_string_clear(f, dst);
	d_probe_name_text(f, dst, field);
	return 0;
}

D_FUNCTION d_probe_id(struct d_frame *f)
{
	struct d_probe_name *name = d_probe_of(f);

	return name ? name->id : 0;
}

D_FUNCTION d_zero(struct d_frame *f, u64 offset, u64 size)
{
	d_clear(d_at(f, offset), size);
	return 0;
}

/* Division: that of BPF is unsigned, and division by zero gives zero. */
D_FUNCTION d_udiv(struct d_frame *f, u64 a, u64 b)
{
	return b ? a / b : d_fault(f, D_FAULT_DIVZERO, 0);
}

D_FUNCTION d_umod(struct d_frame *f, u64 a, u64 b)
{
	return b ? a % b : d_fault(f, D_FAULT_DIVZERO, 0);
}

static __always_inline u64 d_magnitude(s64 v)
{
	return v < 0 ? -(u64)v : (u64)v;
}

D_FUNCTION d_sdiv(struct d_frame *f, s64 a, s64 b)
{
	u64 q;

	if (!b)
		return d_fault(f, D_FAULT_DIVZERO, 0);
	q = d_magnitude(a) / d_magnitude(b);
	return (a < 0) != (b < 0) ? -q : q;
}

D_FUNCTION d_smod(struct d_frame *f, s64 a, s64 b)
{
	u64 r;

	if (!b)
		return d_fault(f, D_FAULT_DIVZERO, 0);
	r = d_magnitude(a) % d_magnitude(b);
	return a < 0 ? -r : r;
}

#endif
