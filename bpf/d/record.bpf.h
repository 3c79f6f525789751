/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Strings that are only recorded are made directly in the record, without padding and copying. Each function
 * corresponds to one that returns a string. Its first arguments are the record, and the field that holds the offset and
 * length of the text.
 */
#ifndef ERLBPF_BPF_D_RECORD_BPF_H
#define ERLBPF_BPF_D_RECORD_BPF_H

#include "d/string.bpf.h"
#include "d/system.bpf.h"

/* The position of the next text in the record. */
static __always_inline u64 d_record_next(struct d_frame *f, u64 record)
{
	return d_offset(record + *(volatile u64 *)&f->record_size, d_work_offset);
}

/* The text is there, `size` bytes with the NUL, which is not recorded. */
static __always_inline u64 d_record_add(struct d_frame *f, u64 field, u64 size)
{
	volatile u32 *place = (volatile u32 *)d_at(f, field);
	u64 length = size ? size - 1 : 0;

	place[0] = f->record_size;
	place[1] = length;
	f->record_size += length;
	return 0;
}

/* copyinstr(address) */
D_INSIDE d_record_copyinstr_in(struct d_frame *f, u64 record, u64 field, u64 address)
{
	return d_record_add(f, field, d_copyin_text(f, d_record_next(f, record), address, d_string_size));
}
D_ONCE_3(d_record_copyinstr, D_PLACE, D_PLACE, D_VALUE)

/* copyinstr(address, most) */
D_INSIDE d_record_copyinstr_n_in(struct d_frame *f, u64 record, u64 field, u64 address, u64 most)
{
	return d_record_add(f, field, d_copyin_text(f, d_record_next(f, record), address, d_copyin_most(most)));
}
D_ONCE_4(d_record_copyinstr_n, D_PLACE, D_PLACE, D_VALUE, D_VALUE)

D_FUNCTION d_record_execname(struct d_frame *f, u64 record, u64 field)
{
	return d_record_add(f, field, d_execname_text(f, d_record_next(f, record)));
}

/* Field 0 to 3 of the name of the probe. */
D_FUNCTION d_record_probe_name(struct d_frame *f, u64 record, u64 field, u64 which)
{
	return d_record_add(f, field, d_probe_name_text(f, d_record_next(f, record), which));
}

#endif
