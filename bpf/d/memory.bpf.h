/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Memory behind pointers of D programs: allocated memory, which is in the frame and has its kernel address; kernel
 * memory, which is readable; and memory of the traced process, which is copied.
 */
#ifndef ERLBPF_BPF_D_MEMORY_BPF_H
#define ERLBPF_BPF_D_MEMORY_BPF_H

#include "d/frame.bpf.h"

static __always_inline u64 d_scratch_address(struct d_frame *f)
{
	return d_opaque(f, (u64)d_at(f, d_scratch_offset));
}

/*
 * The offset in the scratch memory of `size` bytes that the clause has allocated; above d_scratch_size if it has not.
 */
static __always_inline u64 d_scratch_place(struct d_frame *f, u64 address, u64 size)
{
	u64 at = address - d_scratch_address(f), used = *(volatile u64 *)&f->scratch_used;

	return size <= used && at <= used - size ? at : ~0ULL;
}

/* The offset of `size` newly allocated bytes in the scratch memory. */
static __always_inline u64 d_scratch_take(struct d_frame *f, u64 size)
{
	u64 used = *(volatile u64 *)&f->scratch_used;

	if (size > d_scratch_size || used > d_scratch_size - size) {
		d_fault(f, D_FAULT_NOSCRATCH, 0);
		return ~0ULL;
	}
	f->scratch_used = used + ((size + 7) & ~7ULL);
	return used;
}

/* A pointer to the scratch memory at an offset. */
#define d_scratch_bytes(f, at) (d_at(f, d_scratch_offset) + d_offset(at, d_scratch_size))

/* Unreadable kernel memory reads as zeros. */
static __always_inline void d_scratch_clear(struct d_frame *f, u64 at, u64 size)
{
	bpf_probe_read_kernel(d_scratch_bytes(f, at), d_most(size, d_scratch_size), NULL);
}

D_FUNCTION d_alloca(struct d_frame *f, u64 size)
{
	u64 at = d_scratch_take(f, size);

	if (at > d_scratch_size)
		return 0;
	d_scratch_clear(f, at, size);
	return d_scratch_address(f) + at;
}

static __always_inline u64 d_copy_from_user(struct d_frame *f, u64 at, u64 address, u64 size)
{
	if (bpf_probe_read_user(d_scratch_bytes(f, at), d_most(size, d_scratch_size), (const void *)address))
		return d_fault(f, D_FAULT_BADADDR, address);
	return d_scratch_address(f) + at;
}

/* copyin(address, size) */
D_FUNCTION d_copyin(struct d_frame *f, u64 address, u64 size)
{
	u64 at;

	if (size > d_scratch_size)
		return d_fault(f, D_FAULT_BADSIZE, size);
	at = d_scratch_take(f, size);
	return at > d_scratch_size ? 0 : d_copy_from_user(f, at, address, size);
}

/* copyinto(address, size, to) */
D_FUNCTION d_copyinto(struct d_frame *f, u64 address, u64 size, u64 to)
{
	u64 at = d_scratch_place(f, to, size);

	if (size > d_scratch_size)
		return d_fault(f, D_FAULT_BADSIZE, size);
	if (at > d_scratch_size)
		return d_fault(f, D_FAULT_BADADDR, to);
	d_copy_from_user(f, at, address, size);
	return 0;
}

/* bcopy(from, to, size) */
D_FUNCTION d_bcopy(struct d_frame *f, u64 from, u64 to, u64 size)
{
	u64 at = d_scratch_place(f, to, size);

	if (size > d_scratch_size)
		return d_fault(f, D_FAULT_BADSIZE, size);
	if (at > d_scratch_size)
		return d_fault(f, D_FAULT_BADADDR, to);
	if (bpf_probe_read(d_scratch_bytes(f, at), d_most(size, d_scratch_size), (const void *)from))
		d_fault(f, D_FAULT_BADADDR, from);
	return 0;
}

/* bcopy() from scratch memory: only from allocated bytes. */
D_FUNCTION d_bcopy_scratch(struct d_frame *f, u64 from, u64 to, u64 size)
{
	u64 source = d_scratch_place(f, from, size), at = d_scratch_place(f, to, size);

	if (size > d_scratch_size)
		return d_fault(f, D_FAULT_BADSIZE, size);
	if (source > d_scratch_size)
		return d_fault(f, D_FAULT_BADADDR, from);
	if (at > d_scratch_size)
		return d_fault(f, D_FAULT_BADADDR, to);
	bpf_probe_read_kernel(d_scratch_bytes(f, at), d_most(size, d_scratch_size), d_scratch_bytes(f, source));
	return 0;
}

/* The first `size` bytes of a word, 1, 2, 4 or 8, extended. */
static __always_inline u64 d_extend(u64 word, u64 size, u64 is_signed)
{
	u64 shift = 64 - 8 * size;

	word <<= shift & 63;
	return is_signed ? (u64)((s64)word >> (shift & 63)) : word >> (shift & 63);
}

/*
 * *(type *)address, in kernel, scratch or process memory. As in DTrace on Linux, bpf_probe_read() decides by the
 * address. size and sign are constants at the call.
 */
D_FUNCTION d_load(struct d_frame *f, u64 address, u64 size, u64 is_signed)
{
	u64 *word = &f->spare[1];

	*word = 0;
	if (bpf_probe_read(word, d_most(size, 8), (const void *)address))
		return d_fault(f, D_FAULT_BADADDR, address);
	return d_extend(*(volatile u64 *)word, size, is_signed);
}

/* The same for a pointer into scratch memory: only allocated bytes. */
D_FUNCTION d_load_scratch(struct d_frame *f, u64 address, u64 size, u64 is_signed)
{
	u64 *word = &f->spare[1], at = d_scratch_place(f, address, size);

	if (at > d_scratch_size)
		return d_fault(f, D_FAULT_BADADDR, address);
	*word = 0;
	bpf_probe_read_kernel(word, d_most(size, 8), d_scratch_bytes(f, at));
	return d_extend(*(volatile u64 *)word, size, is_signed);
}

/* *(type *)address = value, in scratch memory only. */
D_FUNCTION d_store(struct d_frame *f, u64 address, u64 size, u64 value)
{
	u64 at = d_scratch_place(f, address, size);

	if (at > d_scratch_size)
		return d_fault(f, D_FAULT_BADADDR, address);
	f->spare[1] = value;
	bpf_probe_read_kernel(d_scratch_bytes(f, at), d_most(size, 8), &f->spare[1]);
	return 0;
}

/* *(string *)address = s, in scratch memory only. */
D_FUNCTION d_store_string(struct d_frame *f, u64 address, u64 s)
{
	u64 at = d_scratch_place(f, address, d_string_size);

	if (at > d_scratch_size)
		return d_fault(f, D_FAULT_BADADDR, address);
	bpf_probe_read_kernel(d_scratch_bytes(f, at), d_most(d_string_size, d_scratch_size), d_at(f, s));
	return 0;
}

/* Destructive functions: linked only into programs that use them. */

/* copyout(from, address, size) */
D_FUNCTION d_copyout(struct d_frame *f, u64 from, u64 address, u64 size)
{
	struct d_work *work = d_work(f);

	for (u64 done = 0; done < 16; done++) {
		u64 part = d_most(size, sizeof(work->text));

		d_keep(done);
		if (!part)
			break;
		if (bpf_probe_read_kernel(work->text, part, (const void *)from))
			return d_fault(f, D_FAULT_BADADDR, from);
		if (bpf_probe_write_user((void *)address, work->text, part))
			return d_fault(f, D_FAULT_BADADDR, address);
		from += part;
		address += part;
		size = d_opaque(f, size - part);
	}
	return 0;
}

/* copyoutstr(string, address, most) */
D_FUNCTION d_copyoutstr(struct d_frame *f, u64 s, u64 address, u64 most)
{
	s64 size = bpf_probe_read_kernel_str(d_at(f, d_work_string(1)), d_string_size + 1, d_at(f, s));
	u64 bytes = size > 0 ? d_most(size, d_string_size + 1) : 0;

	if (most && bytes > most)
		bytes = most;
	if (bytes && bpf_probe_write_user((void *)address, d_at(f, d_work_string(1)), bytes))
		d_fault(f, D_FAULT_BADADDR, address);
	return 0;
}

#define SIGSTOP 19 /* on all supported architectures */

D_FUNCTION d_raise(struct d_frame *f, u64 signal)
{
	(void)f;
	bpf_send_signal(signal);
	return 0;
}

/* The process stops at its return from the kernel, where signals are delivered. */
D_FUNCTION d_stop(struct d_frame *f)
{
	(void)f;
	bpf_send_signal(SIGSTOP);
	return 0;
}

#endif
