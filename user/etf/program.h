/* SPDX-License-Identifier: BSD-2-Clause */
/* A D program of a port: compiled, run, and what it has printed, as JSON. */
#ifndef ERLBPF_ETF_PROGRAM_H
#define ERLBPF_ETF_PROGRAM_H

#include <json-c/json.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#define ETF_PIDS 256
#define ETF_OPTIONS 64
/* That wait to be fetched; further ones are counted. */
#define ETF_RECORDS 10000
#define ETF_RECORD_BYTES (32 << 20) /* of all, as JSON */

struct etf_program;
struct kernel;
struct target_selector;

/* What programs may be that run for a user who has no rights. */
struct etf_confinement {
	const struct target_selector *select; /* only these nodes */
	const struct kernel *kernel;	      /* what it can do, with the rights that are not the user's */
};

struct etf_option {
	const char *name, *value; /* value NULL: it has none */
};

/* What is to be compiled. All of it is copied, but for the text, which is taken. */
struct etf_source {
	char *text;
	pid_t pids[ETF_PIDS]; /* 0 of them: all nodes */
	size_t pid_count;
	struct etf_option options[ETF_OPTIONS];
	size_t option_count;
	const struct etf_confinement *confined; /* NULL: it has our rights */
};

/* It is compiled, and its probes are found. NULL: memory was short; else etf_program_problems() says whether it is
 * good. */
struct etf_program *etf_program_new(const struct etf_source *source);
void etf_program_free(struct etf_program *program); /* one that runs is ended first */

/* A list of {"line", "tag", "text"}, which is the caller's; NULL: there is nothing wrong. */
json_object *etf_program_problems(struct etf_program *program);
json_object *etf_problem(const char *text); /* such a list of one */

size_t etf_program_matched(const struct etf_program *program); /* probes */

/* Run it. False: etf_program_problems() says why. */
bool etf_program_go(struct etf_program *program);
bool etf_program_ended(const struct etf_program *program); /* after it ran, or could not */
bool etf_program_runs(const struct etf_program *program);
int etf_program_fd(const struct etf_program *program); /* of one that runs */
/* When the fd is readable. False: it has ended. */
bool etf_program_turn(struct etf_program *program);

/* END runs; the status that it ends with. */
int etf_program_end(struct etf_program *program);

/*
 * What was printed since the last time, a list; aggregations as they are now, or were at the end, a list; and how many
 * records there was no room for. All are the caller's.
 */
json_object *etf_program_records(struct etf_program *program, size_t *dropped);
json_object *etf_program_aggregations(struct etf_program *program);
json_object *etf_program_summary(struct etf_program *program); /* of one that has ended; NULL: there is none */

#endif
