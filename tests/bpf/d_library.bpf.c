// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * One program per function of bpf/d/, run by tests/unit/d_library.c: strings are those numbered 0 to 3 of the frame,
 * other arguments are in args[], the result goes to args[9].
 */
#define D_GLOBAL static __attribute__((noinline, used)) u64
#include "d/library.bpf.h"

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__uint(value_size, 1 << 16);
} frames SEC(".maps");

#define S(n) (sizeof(struct d_frame) + (n)*d_string_room)
#define STATE S(4)
#define A(n) (*(volatile u64 *)&f->args[n])

#define PROGRAM(name, call)                                                                                            \
	SEC("raw_tp")                                                                                                  \
	int name(void *ctx)                                                                                            \
	{                                                                                                              \
		u32 zero = 0;                                                                                          \
		struct d_frame *f = bpf_map_lookup_elem(&frames, &zero);                                               \
                                                                                                                       \
		(void)ctx;                                                                                             \
		if (f)                                                                                                 \
			f->args[9] = call;                                                                             \
		return 0;                                                                                              \
	}

PROGRAM(copyinstr, d_copyinstr(f, S(0), A(0)))
PROGRAM(copyinstr_n, d_copyinstr_n(f, S(0), A(0), A(1)))
PROGRAM(record_copyinstr, d_record_copyinstr(f, S(0), S(0), A(0)))
PROGRAM(record_copyinstr_n, d_record_copyinstr_n(f, S(0), S(0), A(0), A(1)))
PROGRAM(record_execname, d_record_execname(f, S(0), S(0)))
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

PROGRAM(alloca_, d_alloca(f, A(0)))
PROGRAM(copyin, d_copyin(f, A(0), A(1)))
PROGRAM(copyinto, d_copyinto(f, A(0), A(1), A(2)))
PROGRAM(bcopy_, d_bcopy(f, A(0), A(1), A(2)))
PROGRAM(load8, d_load(f, A(0), 8, 0))
PROGRAM(load4, d_load(f, A(0), 4, 0))
PROGRAM(load2_signed, d_load(f, A(0), 2, 1))
PROGRAM(load1_signed, d_load(f, A(0), 1, 1))
PROGRAM(store8, d_store(f, A(0), 8, A(1)))
PROGRAM(store2, d_store(f, A(0), 2, A(1)))
PROGRAM(copyout, d_copyout(f, A(0), A(1), A(2)))
PROGRAM(copyoutstr, d_copyoutstr(f, S(1), A(0), A(1)))
PROGRAM(raise_, d_raise(f, A(0)))
PROGRAM(stop, d_stop(f))
PROGRAM(htons_, d_htons(f, A(0)))
PROGRAM(htonl_, d_htonl(f, A(0)))
PROGRAM(htonll, d_htonll(f, A(0)))
PROGRAM(rand_, d_rand(f))
PROGRAM(getmajor, d_getmajor(f, A(0)))
PROGRAM(getminor, d_getminor(f, A(0)))
PROGRAM(inet_ntoa_, d_inet_ntoa(f, S(0), A(0)))
PROGRAM(inet_ntoa6, d_inet_ntoa6_n(f, S(0), A(0), A(1)))
PROGRAM(inet_ntop_, d_inet_ntop(f, S(0), A(0), A(1)))
PROGRAM(link_ntop, d_link_ntop(f, S(0), A(0), A(1)))
PROGRAM(ustack, d_ustack(ctx, f, S(4), 20))
PROGRAM(stack, d_stack(ctx, f, S(4), 20, 0))
PROGRAM(caller, d_caller(ctx, f, 0))
PROGRAM(ucaller, d_ucaller(ctx, f))
PROGRAM(stackdepth, d_stackdepth(ctx, f, 0))
PROGRAM(ustackdepth, d_ustackdepth(ctx, f))
PROGRAM(speculation, d_speculation(f))
PROGRAM(speculate, d_speculate(f, A(0)))
PROGRAM(commit, d_commit(f, A(0)))
PROGRAM(discard, d_discard(f, A(0)))
PROGRAM(strchr_, d_strchr(f, S(0), S(1), A(0)))
PROGRAM(strrchr_, d_strrchr(f, S(0), S(1), A(0)))
PROGRAM(toupper_, d_toupper(f, S(0), S(1)))
PROGRAM(tolower_, d_tolower(f, S(0), S(1)))
PROGRAM(lltostr, d_lltostr(f, S(0), A(0)))
PROGRAM(lltostr_n, d_lltostr_n(f, S(0), A(0), A(1)))
PROGRAM(strtoll_, d_strtoll(f, S(1)))
PROGRAM(strtoll_n, d_strtoll_n(f, S(1), A(0)))
PROGRAM(basename_, d_basename(f, S(0), S(1)))
PROGRAM(dirname_, d_dirname(f, S(0), S(1)))
PROGRAM(cleanpath, d_cleanpath(f, S(0), S(1)))
PROGRAM(json, d_json(f, S(0), S(1), S(2)))
PROGRAM(progenyof, d_progenyof(f, A(0)))
PROGRAM(ppid, d_ppid(f))
PROGRAM(vtimestamp, d_vtimestamp(f))
PROGRAM(psargs, d_psargs(f, S(0), bpf_get_current_task()))
PROGRAM(cwd, d_cwd(f, S(0)))
PROGRAM(root, d_root(f, S(0)))
