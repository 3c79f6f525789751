/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One D script of the agent: its file, the running program, and the next one, made in steps from a changed file. It
 * replaces the running one once it is loaded. Requests are answered between steps.
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
	SCRIPT_ENDED, /* ended by exit(): its last values stay */
	SCRIPT_OFF,   /* by the governor */
};

/* Settings of all scripts. */
struct script_setup {
	const char *directory;
	const struct target_selector *select; /* only these nodes */
	const struct kernel *kernel;
	struct event_loop *waiting; /* loop of running programs */
	struct metrics *metrics;
	size_t series; /* of each aggregation */
	struct script_host host;
};

struct script;

/* The setup is borrowed. NULL: no memory. */
struct script *script_new(const struct script_setup *setup, const char *file);
void script_free(struct script *script);

const char *script_file(const struct script *script);
enum script_state script_state(const struct script *script);

/* Compiles the file if stat(2) shows a change, unless the script is off. */
void script_look(struct script *script, const struct stat *now);

/* Turns it off and on; its counts are dropped. */
void script_turn_off(struct script *script);
void script_turn_on(struct script *script);

/* True if a program is being made; makes one step, which takes some milliseconds. */
bool script_is_busy(const struct script *script);
void script_step(struct script *script);

/* Reads values into the metrics; the more there are, the less often. */
void script_take(struct script *script);

struct json_object *script_json(const struct script *script);

/* Declares the metrics about scripts, whose names aggregations cannot use; call before any script_new(). */
void script_declare(struct metrics *metrics);
void script_report(const struct script *script);

/* See struct overhead_source. */
int script_cost(const struct script *script, bool is_measured, struct cost *cost);
void script_each_target(const struct script *script, void (*visit)(void *data, const struct target *target),
			void *data);

#endif
