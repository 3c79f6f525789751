/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A profile as data: stacks of named frames, each with a weight. Samplers add stacks; the writers in formats/ turn a
 * profile into text, folded lines, SVG, HTML, pprof, speedscope or JSON.
 *
 * Texts (names of functions, files) are copied and may be hostile: invalid UTF-8, control characters, markup. Each
 * writer makes them safe for its format. Memory is bounded; the weight of what does not fit is counted as lost.
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
	FRAME_GROUP, /* a group of stacks: a node, a process, a scheduler; before the root */
	FRAME_KINDS,
};

#define PROFILE_DEPTH 1024	    /* deeper stacks lose their oldest frames, replaced by PROFILE_CUT */
#define PROFILE_CUT "[cut]"	    /* a FRAME_STATE */
#define PROFILE_BYTES (256UL << 20) /* the default memory limit of a profile */
#define PROFILE_NO_FRAME UINT32_MAX /* out of memory */

struct profile;

/* The unit of weights: "samples", "ns", "words", "bytes", "calls". NULL and errno if memory is exhausted. */
struct profile *profile_new(const char *title, const char *unit);
void profile_free(struct profile *profile); /* NULL-safe */

/* Sets the memory limit. */
void profile_limit(struct profile *profile, size_t bytes);

/*
 * The number of a frame; equal frames have the same number. `file` may be NULL, `line` 0. PROFILE_NO_FRAME if memory is
 * exhausted: stacks with it are counted as lost, so callers need no check.
 */
uint32_t profile_frame(struct profile *profile, enum frame_kind kind, const char *name, const char *file,
		       unsigned int line);

/* Adds weight to a stack, given from the root (the oldest caller) to the leaf. */
void profile_add(struct profile *profile, const uint32_t *frames, size_t count, uint64_t value);

/* Same for the base of a comparison: the profile is then a difference. */
void profile_add_before(struct profile *profile, const uint32_t *frames, size_t count, uint64_t value);

/* Counts weight whose stack is unknown. */
void profile_lost(struct profile *profile, uint64_t value);

/* Counts lost events whose weight is unknown, too. */
void profile_lost_cases(struct profile *profile, uint64_t count);

/* The weight without a stack, or that did not fit. */
uint64_t profile_lost_weight(const struct profile *profile);

/* Does no stack have any weight? */
bool profile_is_empty(const struct profile *profile);

/* 0: unknown; a period of 0: not sampled. */
void profile_times(struct profile *profile, uint64_t start_unix_ns, uint64_t duration_ns, uint64_t period_ns);

/* In text, stacks below this share of the total are summed up as "(other)". */
void profile_least(struct profile *profile, double percent);

/* --- Transformations: new profiles, which the caller owns; NULL where memory is short ------------------------ */

/* A copy; without lines, each function is one frame. */
struct profile *profile_copy(const struct profile *profile, bool has_lines);

/* Folds direct and mutual recursion: f, f, f becomes f; f, g, f, g becomes f, g. */
struct profile *profile_fold_recursion(const struct profile *profile);

/*
 * The difference of `after` from `before`. With is_normalised, `before` is scaled to the total of `after`, so that
 * shares are compared, not the length or load of the runs.
 */
struct profile *profile_difference(const struct profile *before, const struct profile *after, bool is_normalised);

/*
 * Adds the stacks and losses of `from` to `to`, which must not be a difference. `wants` selects by the group at the
 * root, which is then removed; NULL: all stacks, unchanged. 0 or -ENOMEM.
 */
int profile_merge(struct profile *to, const struct profile *from, bool (*wants)(void *data, const char *group),
		  void *data);

/* Memory in use. */
size_t profile_bytes(const struct profile *profile);

/* --- Writers: 0 or -errno. They leave `to` open. ------------------------------------------------------------ */

/* Tables of at most `rows` functions and stacks, at most `width` columns wide (0: no limit). */
int profile_write_text(const struct profile *profile, FILE *to, size_t rows, size_t width);

/* "root;caller;leaf 12", the input of flamegraph.pl; for a difference two numbers, before and after. */
int profile_write_folded(const struct profile *profile, FILE *to);

int profile_write_html(const struct profile *profile, FILE *to);
int profile_write_svg(const struct profile *profile, FILE *to); /* folds recursion */
int profile_write_json(const struct profile *profile, FILE *to);
int profile_write_speedscope(const struct profile *profile, FILE *to);
int profile_write_pprof(const struct profile *profile, FILE *to);

/* --- Reader -------------------------------------------------------------------------------------------------- */

/*
 * Reads folded lines, written by profile_write_folded() or other tools. Suffixes (_[k], _[j], ...) and the form of
 * names determine the kinds of frames. Malformed lines are counted in *bad_lines. NULL and errno if reading fails.
 */
struct profile *profile_read_folded(FILE *from, const char *title, uint64_t *bad_lines);

#endif
