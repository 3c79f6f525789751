/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A profile as data: stacks of named frames, each with a weight. Whoever samples adds stacks; the writers of this room
 * turn a profile into text, folded lines, SVG, HTML, pprof, speedscope or JSON, and two of them into their difference.
 *
 * Texts are copied and may be hostile (names of functions, files): UTF-8 or not, controls, markup. Each writer makes
 * them harmless for its format. Memory is bounded; the weight of what does not fit is kept, as lost.
 */
#ifndef ERLBPF_FLAME_PROFILE_H
#define ERLBPF_FLAME_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum frame_kind {
	FRAME_ERLANG,  /* Erlang code: "lists:map/2", "Shop.Cart.add/2" */
	FRAME_BIF,     /* a BIF or NIF, by its Erlang name */
	FRAME_VM,      /* C code of the VM */
	FRAME_LIBRARY, /* C code of a library or a driver */
	FRAME_KERNEL,
	FRAME_STATE, /* no function: "busy-wait", "GC", "port", "waiting for a message", "[cut]" */
	FRAME_GROUP, /* what stacks are grouped by: a node, a process, a scheduler; before the root */
	FRAME_KINDS,
};

#define PROFILE_DEPTH 1024	    /* deeper stacks lose their oldest frames, for which PROFILE_CUT stands */
#define PROFILE_CUT "[cut]"	    /* a FRAME_STATE */
#define PROFILE_BYTES (256UL << 20) /* what a profile may use unless it is told otherwise */
#define PROFILE_NO_FRAME UINT32_MAX /* one for which there was no room */

struct profile;

/* The unit of weights: "samples", "ns", "words", "bytes", "calls". NULL and errno where memory is short. */
struct profile *profile_new(const char *title, const char *unit);
void profile_free(struct profile *profile); /* NULL-safe */

/* From now on it may use so many bytes. */
void profile_limit(struct profile *profile, size_t bytes);

/*
 * The number of a frame: equal frames have one. `file` may be NULL, `line` 0. PROFILE_NO_FRAME if there is no room for
 * another; a stack with it is lost, and counted, so that nobody needs to look.
 */
uint32_t profile_frame(struct profile *profile, enum frame_kind kind, const char *name, const char *file,
		       unsigned int line);

/* Adds to the weight of the stack of these frames, the root (the oldest caller) first. */
void profile_add(struct profile *profile, const uint32_t *frames, size_t count, uint64_t value);

/* The same for what the profile is compared with: from now on it is a difference. */
void profile_add_before(struct profile *profile, const uint32_t *frames, size_t count, uint64_t value);

/* So much was seen whose stack is not known. */
void profile_lost(struct profile *profile, uint64_t value);

/* So many cases had no room of which the weight is not known either: waits, events. */
void profile_lost_cases(struct profile *profile, uint64_t count);

/* What was seen whose stack is not known, or had no room. */
uint64_t profile_lost_weight(const struct profile *profile);

/* Has no stack any weight? */
bool profile_is_empty(const struct profile *profile);

/* 0 stands for what is not known; a period of 0: it was not sampled. */
void profile_times(struct profile *profile, uint64_t start_unix_ns, uint64_t duration_ns, uint64_t period_ns);

/* In text, stacks with less than this share of the total are one, "(other)". */
void profile_least(struct profile *profile, double percent);

/* --- Transformations: new profiles, which the caller owns; NULL where memory is short ------------------------ */

/* A copy; without the lines of frames there is one frame per function. */
struct profile *profile_copy(const struct profile *profile, bool has_lines);

/* Folds direct and mutual recursion: f, f, f becomes f; f, g, f, g becomes f, g. */
struct profile *profile_fold_recursion(const struct profile *profile);

/*
 * What `after` has more or less than `before`. With is_normalised, `before` is scaled to the total of `after`, so that
 * shares are compared and not how long or how busy the runs were.
 */
struct profile *profile_difference(const struct profile *before, const struct profile *after, bool is_normalised);

/*
 * Adds what `from` has to `to`, which must not be a difference: its stacks, and what it has lost. `wants` says which
 * groups at the root of stacks are wanted, and these are left out; NULL: all stacks, as they are. 0 or -ENOMEM.
 */
int profile_merge(struct profile *to, const struct profile *from, bool (*wants)(void *data, const char *group),
		  void *data);

/* How much memory it takes. */
size_t profile_bytes(const struct profile *profile);

/* --- Writers: 0 or -errno. They leave `to` open. ------------------------------------------------------------ */

/* Tables of at most `rows` functions and stacks, `width` columns wide; 0: as wide as it comes. */
int profile_write_text(const struct profile *profile, FILE *to, size_t rows, size_t width);

/* "root;caller;leaf 12", what flamegraph.pl reads; of a difference two numbers, before and after. */
int profile_write_folded(const struct profile *profile, FILE *to);

int profile_write_html(const struct profile *profile, FILE *to);
int profile_write_svg(const struct profile *profile, FILE *to); /* folds recursion */
int profile_write_json(const struct profile *profile, FILE *to);
int profile_write_speedscope(const struct profile *profile, FILE *to);
int profile_write_pprof(const struct profile *profile, FILE *to);

/* --- Reader -------------------------------------------------------------------------------------------------- */

/*
 * Folded lines, of profile_write_folded() or of others. Kinds of frames are known by the suffixes that others give them
 * (_[k], _[j], ...) and by how they are spelled. A line that is none is counted in *bad_lines. NULL and errno if it
 * cannot be read.
 */
struct profile *profile_read_folded(FILE *from, const char *title, uint64_t *bad_lines);

#endif
