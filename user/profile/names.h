/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Names of a node's addresses: Erlang functions by its loaded code, BIFs by its table, C functions by symbol tables.
 * Code is read at the start and at the end of a profile, so samples before and after a module was reloaded both have
 * names.
 */
#ifndef ERLBPF_PROFILE_NAMES_H
#define ERLBPF_PROFILE_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "flame/profile.h"
#include "node/atoms/spelling.h"
#include "profile/unwind.h"
#include "target/target.h"

struct names;

/* The target is borrowed. NULL and errno. */
struct names *names_new(const struct target *target, struct name_style style);
void names_free(struct names *names);

/* Reads the node's code again. If it has ended, what is known stays. */
void names_refresh(struct names *names);

/*
 * Reads the name of a sampled address while the node lives. names_keep_up() then reads the node's code again if an
 * address was unknown or near newer code, at increasing intervals if that does not help.
 */
void names_meet_erlang(struct names *names, uint64_t address, bool is_caller);
void names_meet_native(struct names *names, uint64_t address);
void names_keep_up(struct names *names);

/* For continuous sampling: all samples so far have names. Starts again with the current code. */
void names_turn(struct names *names);

/*
 * True if a module was loaded where sampled code was. Then name the samples so far, and call names_turn(). Reads the
 * code first, unless that was done for this reason a moment ago.
 */
bool names_have_changed(struct names *names);

/* The node has ended: only what has been read is known. */
void names_end(struct names *names);

#define NAMES_SIZE 640

struct named_frame {
	enum frame_kind kind;
	char text[NAMES_SIZE]; /* hostile */
	char file[NAMES_SIZE]; /* untrusted, cut if long; "": not known. Only Erlang code has one */
	unsigned int line;     /* 0: not known */
};

/* The function of an address in JIT code; `is_caller`: a return address. False: in shared code, not in a function. */
bool names_erlang(struct names *names, uint64_t address, bool is_caller, struct named_frame *frame);

/* See called_bifs_at(). */
const char *names_called(struct names *names, uint64_t address);

/* The C function at an address; "FILE+0x..." of its start if it has no name. */
void names_native(struct names *names, uint64_t address, struct named_frame *frame);

/* A process by the term of its pid: pid and name, name, or initial function. */
enum names_by { NAMES_BY_PID, NAMES_BY_NAME, NAMES_BY_MFA };

/* Reads the name of a process while it lives. Requests are batched until the second call at the latest. */
void names_learn(struct names *names, uint64_t term);
void names_learn_now(struct names *names);

void names_process(struct names *names, uint64_t term, enum names_by by, struct named_frame *frame);

/* For unwind(). */
struct unwind_source names_unwind_source(struct names *names);

#endif
