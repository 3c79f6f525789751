/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Which ETS table? One with a name is its atom. One without is its reference; the name that it was
 * created with, which others may share, goes with that.
 */
#ifndef ERLBPF_BPF_TABLE_BPF_H
#define ERLBPF_BPF_TABLE_BPF_H

#include "erl.bpf.h"

/* Offsets in DbTableCommon (erl_db_util.h), equal in 25.2.3, 27.3.4.1 and 29.1.1. */
#define TABLE_LOCK 48
#define TABLE_NAME 208
#define TABLE_REFERENCE 216 /* its magic binary, which points back at the table */
#define TABLE_STATUS 280
#define TABLE_STATUS_NAMED (1 << 11) /* DB_NAMED_TABLE */
#define TABLE_MAX_REFS 16384

/* References by their id. What does not fit is shown by its hash. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, TABLE_MAX_REFS);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, u64);
	__type(value, struct erl_ref);
} erl_refs SEC(".maps");

/* The end of ErtsMagicBinary (erl_binary.h) from `refn` on. */
struct table_magic {
	u32 numbers[ERL_REF_NUMBERS];
	u32 type;
	u64 table; /* 0: it was deleted */
};

static __always_inline u64 table_of_atom(u64 term)
{
	return (term & 0x3f) == 0xb ? erl_id_of(ERL_ID_ATOM, term >> 6) : 0;
}

static __always_inline u64 table_of_magic(const struct table_magic *magic)
{
	struct erl_ref ref = {
		.numbers = { magic->numbers[0], magic->numbers[1], magic->numbers[2] },
	};
	u64 id = erl_id_of(ERL_ID_REF,
			   (((u64)magic->numbers[1] << 32 | magic->numbers[0]) ^ (u64)magic->numbers[2] << 46) *
					   0x9e3779b97f4a7c15ULL >>
				   4);

	if (magic->table) {
		ref.name = table_of_atom(erl_load(magic->table + TABLE_NAME, 8, false));
		if (ref.name && erl_load(magic->table + TABLE_STATUS, 4, false) & TABLE_STATUS_NAMED)
			return ref.name;
	}
	if (!bpf_map_lookup_elem(&erl_refs, &id))
		bpf_map_update_elem(&erl_refs, &id, &ref, BPF_NOEXIST);
	return id;
}

/* By the address of its reference's numbers. */
__noinline u64 table_of_reference(u64 address)
{
	struct table_magic magic = {};

	if (bpf_probe_read_user(&magic, sizeof(magic), (const void *)address))
		return 0;
	return table_of_magic(&magic);
}

/* The table whose structure is at `address`, as an id; 0 if that is none: a table and its reference point at
 * each other. Its magic binary has the numbers at 32 in OTP 25 and at 40 in 27. */
__noinline u64 table_at(u64 address)
{
	u64 binary = erl_load(address + TABLE_REFERENCE, 8, false);

	if (binary & 7 || binary < 4096)
		return 0;
	for (u64 refn = 32; refn <= 40; refn += 8) {
		struct table_magic magic = {};

		bpf_probe_read_user(&magic, sizeof(magic), (const void *)(binary + refn));
		if (magic.table == address)
			return table_of_magic(&magic);
	}
	return 0;
}

#endif
