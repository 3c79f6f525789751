/* SPDX-License-Identifier: BSD-2-Clause */
/* A D program of a port: compiles and runs it, and returns its output as JSON. */
#ifndef ERLBPF_ETF_PROGRAM_H
#define ERLBPF_ETF_PROGRAM_H

#include <json-c/json.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#define ETF_PIDS 256
#define ETF_OPTIONS 64
/* Maximum of unread records; further ones are counted. */
#define ETF_RECORDS 10000
#define ETF_RECORD_BYTES (32 << 20) /* in total, as JSON */

struct etf_program;
struct kernel;
struct target_selector;

/* Limits for programs of a user without rights. */
struct etf_confinement {
	const struct target_selector *select; /* only these nodes */
	const struct kernel *kernel;	      /* its features, with our rights */
};

struct etf_option {
	const char *name, *value; /* value NULL: none */
};

/* The input of a compilation. It is copied, except the text, which is taken. */
struct etf_source {
	char *text;
	pid_t pids[ETF_PIDS]; /* none: all nodes */
	size_t pid_count;
	struct etf_option options[ETF_OPTIONS];
	size_t option_count;
	const struct etf_confinement *confined; /* NULL: with our rights */
};

/* Compiles it and finds its probes. NULL: out of memory; otherwise etf_program_problems() returns the errors. */
struct etf_program *etf_program_new(const struct etf_source *source);
void etf_program_free(struct etf_program *program); /* ends a running one first */

/* A list of {"line", "tag", "text"}, owned by the caller; NULL: no errors. */
json_object *etf_program_problems(struct etf_program *program);
json_object *etf_problem(const char *text); /* such a list with one element */

size_t etf_program_matched(const struct etf_program *program); /* number of probes */

/* Runs it. False: see etf_program_problems(). */
bool etf_program_go(struct etf_program *program);
bool etf_program_ended(const struct etf_program *program); /* after it ran, or failed to */
bool etf_program_runs(const struct etf_program *program);
int etf_program_fd(const struct etf_program *program); /* of a running program */
/* Call it when the fd is readable. False: ended. */
bool etf_program_turn(struct etf_program *program);

/* Runs END; returns the exit status. */
int etf_program_end(struct etf_program *program);

/*
 * Output since the last call, as a list; current or final aggregations, as a list; and the number of dropped records.
 * The caller owns the results.
 */
json_object *etf_program_records(struct etf_program *program, size_t *dropped);
json_object *etf_program_aggregations(struct etf_program *program);
json_object *etf_program_summary(struct etf_program *program); /* of an ended program; NULL: none */

#endif
