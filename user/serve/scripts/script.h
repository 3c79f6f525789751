/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One D script of the agent: its file, the program that runs, and the next one, which is being made of a changed file
 * and takes its place once it is loaded. Making is in steps, since others wait meanwhile.
 */
#ifndef ERLBPF_SERVE_SCRIPTS_SCRIPT_H
#define ERLBPF_SERVE_SCRIPTS_SCRIPT_H

#include <json-c/json.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

#include "budget/cost.h"
#include "load/kernel/kernel.h"
#include "serve/metrics/metrics.h"
#include "serve/scripts/script_metrics.h"

#define SCRIPT_FILE 254 /* bytes of a file's name */

enum script_state {
	SCRIPT_STARTING,
	SCRIPT_RUNNING,
	SCRIPT_FAILED,
	SCRIPT_ENDED, /* by exit(): its last values stay */
	SCRIPT_OFF,   /* by the governor */
};

/* What all scripts have in common. */
struct script_setup {
	const char *directory;
	const struct target_selector *select; /* only these nodes */
	const struct kernel *kernel;
	struct event_loop *waiting; /* programs that run are in it */
	struct metrics *metrics;
	size_t series; /* of each aggregation */
	struct script_host host;
};

struct script;

/* The setup must outlive it. NULL: no memory. */
struct script *script_new(const struct script_setup *setup, const char *file);
void script_free(struct script *script);

const char *script_file(const struct script *script);
enum script_state script_state(const struct script *script);

/* Has the file changed, as stat(2) sees it? Then a program is made of it, if the script is not off. */
void script_look(struct script *script, const struct stat *now);

/* Off, and on again: what it has counted is forgotten. */
void script_turn_off(struct script *script);
void script_turn_on(struct script *script);

/* Is there a program to be made? One step of it, which takes some milliseconds. */
bool script_is_busy(const struct script *script);
void script_step(struct script *script);

/* Values into the metrics: the more there are, the less often. */
void script_take(struct script *script);

struct json_object *script_json(const struct script *script);

/* Its own metrics; and their names, which no aggregation may have: before any script is made. */
void script_declare(struct metrics *metrics);
void script_report(const struct script *script);

/* For the overhead: see there. */
int script_cost(const struct script *script, bool is_measured, struct cost *cost);
void script_each_target(const struct script *script, void (*visit)(void *data, const struct target *target),
			void *data);

#endif
