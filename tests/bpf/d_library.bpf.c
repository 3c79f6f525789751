// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * One program per function of bpf/d/, run by tests/unit/d_library.c: strings are those numbered 0 to 3 of the frame,
 * other arguments are in args[], the result goes to args[9].
 */
#include "d/string.bpf.h"

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__uint(value_size, 1 << 16);
} frames SEC(".maps");

#define S(n) (sizeof(struct d_frame) + (n) * d_string_room)
#define STATE S(4)
#define A(n) (*(volatile u64 *)&f->args[n])

#define PROGRAM(name, call)                                                                        \
	SEC("raw_tp")                                                                              \
	int name(void *ctx)                                                                        \
	{                                                                                          \
		u32 zero = 0;                                                                      \
		struct d_frame *f = bpf_map_lookup_elem(&frames, &zero);                           \
                                                                                                   \
		(void)ctx;                                                                         \
		if (f)                                                                             \
			f->args[9] = call;                                                         \
		return 0;                                                                          \
	}

PROGRAM(copyinstr, d_copyinstr(f, S(0), A(0)))
PROGRAM(copyinstr_n, d_copyinstr_n(f, S(0), A(0), A(1)))
PROGRAM(stringof, d_stringof(f, S(0), d_opaque(f, (u64)d_at(f, S(1)))))
PROGRAM(strlen_, d_strlen(f, S(1)))
PROGRAM(strjoin, d_strjoin(f, S(0), S(1), S(2)))
PROGRAM(strcmp_, d_strcmp(f, S(1), S(2)))
PROGRAM(substr, d_substr(f, S(0), S(1), A(0)))
PROGRAM(substr_n, d_substr_n(f, S(0), S(1), A(0), A(1)))
PROGRAM(index_, d_index(f, S(1), S(2)))
PROGRAM(index_n, d_index_n(f, S(1), S(2), A(0)))
PROGRAM(rindex_, d_rindex(f, S(1), S(2)))
PROGRAM(rindex_n, d_rindex_n(f, S(1), S(2), A(0)))
PROGRAM(strstr_, d_strstr(f, S(0), S(1), S(2)))
PROGRAM(strtok_, d_strtok(f, S(0), S(1), S(2), STATE))
PROGRAM(strtok_more, d_strtok(f, S(0), 0, S(2), STATE))
