/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The D scripts (*.d, not hidden) of a directory. Each runs while its file exists. The directory may be a ConfigMap,
 * whose files are links that change together.
 */
#ifndef ERLBPF_SERVE_SCRIPTS_SCRIPTS_H
#define ERLBPF_SERVE_SCRIPTS_SCRIPTS_H

#include "serve/scripts/script.h"

#define SCRIPTS_MOST 16

struct scripts;

/* The setup is borrowed. NULL and errno: the directory cannot be read, or no memory. */
struct scripts *scripts_new(const struct script_setup *setup);
void scripts_free(struct scripts *scripts);

/* Scans for new, changed and removed files. */
void scripts_look(struct scripts *scripts);

/* True if a script is being made; makes one step of one. Running programs are in the setup's loop. */
bool scripts_are_busy(const struct scripts *scripts);
void scripts_step(struct scripts *scripts);

/* By index, which is constant for a script; NULL: unused. */
struct script *scripts_get(const struct scripts *scripts, size_t place);

/* True if the script at this index has changed since the last call. */
bool scripts_has_changed(struct scripts *scripts, size_t place);

struct json_object *scripts_json(const struct scripts *scripts);
void scripts_report(const struct scripts *scripts);

#endif
