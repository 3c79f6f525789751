/* SPDX-License-Identifier: BSD-2-Clause */
/* Answers of the profiling processes: a profile in a format, or the reason why there is none. */
#ifndef ERLBPF_SERVE_PROFILES_PROFILE_ANSWER_H
#define ERLBPF_SERVE_PROFILES_PROFILE_ANSWER_H

#include <stddef.h>
#include <stdint.h>

#include "flame/formats/profile_format.h"

#define PROFILE_ANSWER_MOST (64UL << 20) /* bytes of a body */

/* How an answer begins; so many bytes of a body follow. */
struct profile_answer_head {
	uint32_t status, pad; /* HTTP status; unless 200, the body is an error message */
	uint64_t size;
	uint64_t number; /* number of the slice, if one was requested */
};

struct profile_answer {
	uint32_t status;
	char *body;
	size_t size;
	uint64_t number;
};

/* Replaces the answer by an error. */
__attribute__((format(printf, 3, 4))) void profile_answer_refuse(struct profile_answer *answer, uint32_t status,
								 const char *format, ...);
void profile_answer_show(struct profile_answer *answer, const struct profile *profile, enum profile_format format);

/* Sends and frees it. The client may have disconnected. */
void profile_answer_send(struct profile_answer *answer, int fd);

/* An answer being received from a non-blocking descriptor. Initialise to zero. */
struct profile_answer_reading {
	struct profile_answer_head head;
	size_t have; /* of the head and the body */
	char *body;  /* owned by the reader; NUL-terminated */
};

/* Reads what is available. 1: complete; 0: more to come; -EPIPE: ends early; -ENOMEM and others. */
int profile_answer_take(struct profile_answer_reading *reading, int fd);

#endif
