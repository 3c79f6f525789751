/* SPDX-License-Identifier: BSD-2-Clause */
/* What processes beside the agent answer with: a profile in a format, or why there is none. */
#ifndef ERLBPF_SERVE_PROFILES_PROFILE_ANSWER_H
#define ERLBPF_SERVE_PROFILES_PROFILE_ANSWER_H

#include <stddef.h>
#include <stdint.h>

#include "flame/formats/profile_format.h"

#define PROFILE_ANSWER_MOST (64UL << 20) /* bytes of a body */

/* How an answer begins; so many bytes of a body follow. */
struct profile_answer_head {
	uint32_t status, pad; /* of HTTP; if it is not 200, the body says in a sentence what is wrong */
	uint64_t size;
	uint64_t number; /* of the slice, if one was asked for */
};

struct profile_answer {
	uint32_t status;
	char *body;
	size_t size;
	uint64_t number;
};

/* Instead of what it was. */
__attribute__((format(printf, 3, 4))) void profile_answer_refuse(struct profile_answer *answer, uint32_t status,
								 const char *format, ...);
void profile_answer_show(struct profile_answer *answer, const struct profile *profile, enum profile_format format);

/* Sends and frees it. Who asked may have gone. */
void profile_answer_send(struct profile_answer *answer, int fd);

/* One that comes, from a descriptor that does not block. All zeros: nothing of it is there yet. */
struct profile_answer_reading {
	struct profile_answer_head head;
	size_t have; /* of the head and the body */
	char *body;  /* the reader's; NUL behind it */
};

/* Takes what is there. 1: it is whole; 0: more is to come; -EPIPE: it ends early; -ENOMEM and others. */
int profile_answer_take(struct profile_answer_reading *reading, int fd);

#endif
