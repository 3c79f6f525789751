/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Names of a node's addresses: Erlang functions by its code, BIFs by its table, functions of C by the files. What code
 * there is, is read when the profile begins and when it ends, so that a module which is loaded anew in between has
 * names for what was sampled before and after.
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

/* The target must outlive it. NULL and errno. */
struct names *names_new(const struct target *target, struct name_style style);
void names_free(struct names *names);

/* Look again at what code the node has; if it has ended, what is known of it stays. */
void names_refresh(struct names *names);

/*
 * An address was sampled: its name is read while the node lives. names_keep_up() then looks again at what code the node
 * has if there was an address of none, or one behind which there may be more; less and less often where that does not
 * help.
 */
void names_meet_erlang(struct names *names, uint64_t address, bool is_caller);
void names_meet_native(struct names *names, uint64_t address);
void names_keep_up(struct names *names);

/* Who samples on and on: what was sampled so far has names. Code that the node has now is where it begins again. */
void names_turn(struct names *names);

/*
 * Is code that was sampled another now, since a module was loaded where there was one? Then what was sampled so far is
 * to be named, and the names turned. The code is read before that, if it was not read for this reason a moment ago.
 */
bool names_have_changed(struct names *names);

/* The node has ended: from now on, only what has been read is known. */
void names_end(struct names *names);

#define NAMES_SIZE 640

struct named_frame {
	enum frame_kind kind;
	char text[NAMES_SIZE]; /* hostile */
	char file[NAMES_SIZE]; /* hostile, cut if it is long; "": not known. Only Erlang code has one */
	unsigned int line;     /* 0: not known */
};

/*
 * The function that an address of the JIT's code is in; `is_caller`: the address is where it goes on after a call.
 * False: it is none's, but code that functions share.
 */
bool names_erlang(struct names *names, uint64_t address, bool is_caller, struct named_frame *frame);

/* The BIF that is called before an address of Erlang code, as called_bifs_at() of called.h has it; NULL. */
const char *names_called(struct names *names, uint64_t address);

/* The function of C at an address. What has no name is "FILE+0x..." of where the function begins. */
void names_native(struct names *names, uint64_t address, struct named_frame *frame);

/* A process, whose pid is a term: its pid and its name, its name, or the function that it was spawned with. */
enum names_by { NAMES_BY_PID, NAMES_BY_NAME, NAMES_BY_MFA };

/* Read the name of a process while it lives: many of them together, at the latest by the second of these. */
void names_learn(struct names *names, uint64_t term);
void names_learn_now(struct names *names);

void names_process(struct names *names, uint64_t term, enum names_by by, struct named_frame *frame);

/* For unwind(). */
struct unwind_source names_unwind_source(struct names *names);

#endif
