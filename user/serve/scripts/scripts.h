/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The D scripts of a directory, each a program that runs as long as its file is there: *.d, but nothing hidden. The
 * directory may be a ConfigMap's, whose files are links that change all at once.
 */
#ifndef ERLBPF_SERVE_SCRIPTS_SCRIPTS_H
#define ERLBPF_SERVE_SCRIPTS_SCRIPTS_H

#include "serve/scripts/script.h"

#define SCRIPTS_MOST 16

struct scripts;

/* The setup must outlive it. NULL and errno: the directory cannot be read, or there is no memory. */
struct scripts *scripts_new(const struct script_setup *setup);
void scripts_free(struct scripts *scripts);

/* Look for files that are new, have changed or are gone. */
void scripts_look(struct scripts *scripts);

/* Is anything to be made? One step of one script. A program that runs has its turns in the setup's waiting set. */
bool scripts_are_busy(const struct scripts *scripts);
void scripts_step(struct scripts *scripts);

/* By their places, which stay as long as a script is there: NULL where there is none. */
struct script *scripts_get(const struct scripts *scripts, size_t place);

/* Has the place got another script, or none, since it was asked last? */
bool scripts_has_changed(struct scripts *scripts, size_t place);

struct json_object *scripts_json(const struct scripts *scripts);
void scripts_report(const struct scripts *scripts);

#endif
