/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Paths of files, by their text alone. */
#ifndef ERLBPF_BPF_D_PATH_BPF_H
#define ERLBPF_BPF_D_PATH_BPF_H

#include "d/string.bpf.h"

#define D_NOWHERE (1ULL << 32)
#define D_PATH_MOST 4096 /* of what cleanpath() looks at: a path cannot be longer */

/* Where the last name of a path begins and ends, and where what is before it ends, slashes between them left out. */
struct d_path {
	u64 first, last, directory;
};

static __always_inline void d_path_split(struct d_frame *f, u64 s, struct d_path *path)
{
	const volatile u8 *x = (const volatile u8 *)d_at(f, s);
	u64 most = d_string_size, first = d_opaque(f, D_NOWHERE), last = d_opaque(f, D_NOWHERE);
	u64 directory = d_opaque(f, D_NOWHERE), was_slash = d_opaque(f, 0), at = d_opaque(f, 0), i = 0;
	u64 is_in = d_opaque(f, 1), is_name, begins, c;

	d_meet();
	do {
		for (u64 end = i + D_STRIDE; i < end; i++) {
			d_keep(i);
			c = x[i];
			is_in &= d_is_less(0, c);
			is_name = d_differs(c, '/') & is_in;
			begins = is_name & was_slash;
			first = d_select(begins, at, first);
			directory = d_select(begins, last, directory);
			last = d_select(is_name, at, last);
			was_slash = d_differs(c, '/') ^ 1;
			at++;
		}
	} while (i < most && is_in);
	d_meet();
	path->first = d_opaque(f, first);
	path->last = d_opaque(f, last);
	path->directory = d_opaque(f, directory);
}

static __always_inline u64 d_path_give(struct d_frame *f, u64 dst, char c)
{
	*(volatile char *)d_at(f, dst) = c;
	return 0;
}

D_INSIDE d_basename_in(struct d_frame *f, u64 dst, u64 s)
{
	struct d_path path;

	d_string_clear(f, dst);
	if (!d_string_given(f, s))
		return 0;
	if (!*(volatile char *)d_at(f, s))
		return d_path_give(f, dst, '.');
	d_path_split(f, s, &path);
	if (path.last == D_NOWHERE)
		return d_path_give(f, dst, '/');
	if (path.first == D_NOWHERE)
		path.first = 0;
	return d_string_part(f, dst, s, path.first, path.last - path.first + 1);
}
D_ONCE_2(d_basename, D_PLACE, D_PLACE)

D_INSIDE d_dirname_in(struct d_frame *f, u64 dst, u64 s)
{
	struct d_path path;

	d_string_clear(f, dst);
	if (!d_string_given(f, s))
		return 0;
	if (!*(volatile char *)d_at(f, s))
		return d_path_give(f, dst, '.');
	d_path_split(f, s, &path);
	if (path.last == D_NOWHERE)
		return d_path_give(f, dst, '/');
	if (path.first == D_NOWHERE)
		return d_path_give(f, dst, '.');
	if (path.directory == D_NOWHERE)
		return d_path_give(f, dst, '/');
	return d_string_part(f, dst, s, 0, path.directory + 1);
}
D_ONCE_2(d_dirname, D_PLACE, D_PLACE)

/*
 * cleanpath(): slashes and dots are kept back until it is known whether they mean anything. `kept` is how many of
 * "/.." these are. The result is in the work memory's string 2; where it has slashes is known by a chain through
 * `before`: places plus one, 0 ends it.
 */
static __always_inline u64 d_clean(struct d_frame *f, u64 s)
{
	const volatile u8 *x = (const volatile u8 *)d_at(f, s);
	volatile __u16 *before = (volatile __u16 *)d_at(f, d_work_string(0));
	volatile char *text = d_at(f, d_work_string(2));
	u64 mask = d_string_mask(), most = d_most(d_string_size + 1, D_PATH_MOST), i = 0, c, is_end = d_opaque(f, 0);
	u64 kept = d_opaque(f, 0), at = d_opaque(f, 0), slash = d_opaque(f, 0);
	u64 is_slash, is_dot, up, again, waits, writes, after, live;

	/* What is above the root is the root. */
	text[0] = '/';
	d_meet();
	do {
		for (u64 end = i + D_STRIDE; i < end; i++) {
			d_keep(i);
			c = x[i];
			live = is_end ^ 1;
			is_slash = (d_differs(c, '/') ^ 1) & live;
			is_dot = (d_differs(c, '.') ^ 1) & live;
			is_end |= d_differs(c, 0) ^ 1;
			/* "/../", or "/.." and the end. */
			up = (d_differs(kept, 3) ^ 1) & (is_slash | is_end) & live;
			again = is_slash & (up ^ 1);
			waits = is_dot & ((d_differs(kept, 1) & d_differs(kept, 2)) ^ 1);
			writes = live & ((up | again | waits) ^ 1);
			/* What was kept back, and the character; of the end, what was kept back. */
			*(volatile u32 *)&text[at & mask] = (0x2e2e2f & ((1ULL << (8 * kept & 31)) - 1)) |
							    c << (8 * kept & 31);
			before[at & mask] = slash;
			after = at + kept + (is_end ^ 1);
			slash = d_select(writes & d_differs(kept, 0), at + 1, slash);
			at = d_select(writes, after, at);
			/* Up: to the last slash, which is written anew with what follows it. */
			at = d_select(up, slash - d_differs(slash, 0), at);
			slash = d_select(up & d_differs(slash, 0), before[at & mask], slash);
			at += up & is_end;
			kept = d_select(is_slash, 1, d_select(waits, kept + 1, 0));
		}
	} while (i < most && !is_end);
	d_meet();
	return d_opaque(f, at);
}

D_INSIDE d_cleanpath_in(struct d_frame *f, u64 dst, u64 s)
{
	u64 size;

	d_string_clear(f, dst);
	if (!d_string_given(f, s))
		return 0;
	size = d_clean(f, s);
	if (size)
		d_string_part(f, dst, d_work_string(2), 0, size);
	return 0;
}
D_ONCE_2(d_cleanpath, D_PLACE, D_PLACE)

#endif
