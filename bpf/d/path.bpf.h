/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* File paths as text. */
#ifndef ERLBPF_BPF_D_PATH_BPF_H
#define ERLBPF_BPF_D_PATH_BPF_H

#include "d/string.bpf.h"

#define D_NOWHERE (1ULL << 32)
#define D_PATH_MOST 4096 /* what cleanpath() reads: no path is longer */

/* Start and end of the last name of a path, and the end of what precedes it, without the slashes between them. */
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
 * cleanpath(): the remaining names, each after a slash, go to string 2 of the work memory. A name starts at `start`,
 * after a slash; both are removed if the name is empty, "." or "..", and ".." also removes the name before it. `before`
 * chains the slashes of the names; `depth` is the number of names that ".." can remove. Returns the length of the
 * result.
 */
static __always_inline u64 d_clean(struct d_frame *f, u64 s)
{
	const volatile u8 *x = (const volatile u8 *)d_at(f, s);
	volatile __u16 *before = (volatile __u16 *)d_at(f, d_work_string(0));
	volatile char *text = d_at(f, d_work_string(2));
	u64 mask = d_string_mask(), most = d_most(d_string_size + 1, D_PATH_MOST), i = 0, c, is_end = d_opaque(f, 0);
	u64 at = d_opaque(f, 1), start = d_opaque(f, 1), last = d_opaque(f, 0), depth = d_opaque(f, 0);
	u64 is_dots = d_opaque(f, 1), is_absolute = d_opaque(f, d_differs(x[0], '/') ^ 1);
	u64 live, ends, up, none, takes, drops, keeps;

	text[0] = '/';
	d_meet();
	do {
		for (u64 end = i + D_STRIDE; i < end; i++) {
			d_keep(i);
			c = x[i];
			live = is_end ^ 1;
			ends = ((d_differs(c, '/') ^ 1) | (d_differs(c, 0) ^ 1)) & live;
			is_end |= d_differs(c, 0) ^ 1;
			none = (d_differs(at, start) ^ 1) | (is_dots & (d_differs(at - start, 1) ^ 1));
			up = is_dots & (d_differs(at - start, 2) ^ 1);
			takes = ends & up & d_differs(depth, 0);
			/* The parent of the root is the root. */
			drops = ends & (none | (up & is_absolute & (takes ^ 1)));
			keeps = ends & ((none | up) ^ 1);
			before[(start - 1) & mask] = last;
			at = d_select(takes, last, d_select(drops, start - 1, at));
			last = d_select(keeps, start - 1, d_select(takes, before[last & mask], last));
			depth += keeps - takes;
			text[at & mask] = d_select(ends, '/', c);
			at += live;
			start = d_select(ends, at, start);
			is_dots = ends | (is_dots & (d_differs(c, '.') ^ 1));
		}
	} while (i < most && !is_end);
	d_meet();
	return d_opaque(f, at - is_end);
}

D_INSIDE d_cleanpath_in(struct d_frame *f, u64 dst, u64 s)
{
	u64 size, is_relative;

	d_string_clear(f, dst);
	if (!d_string_given(f, s) || !*(volatile char *)d_at(f, s))
		return 0;
	is_relative = d_opaque(f, d_differs(*(volatile u8 *)d_at(f, s), '/'));
	size = d_clean(f, s);
	if (!size)
		return d_path_give(f, dst, is_relative ? '.' : '/');
	/* The first slash is added. */
	return d_string_part(f, dst, d_work_string(2), is_relative, size - is_relative);
}
D_ONCE_2(d_cleanpath, D_PLACE, D_PLACE)

#endif
