/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * `erlbpf help --json`: all that help and manuals are made of, as one object; docs/help-json.md has its keys. The
 * scripts of docs/generate/ make the reference pages of it.
 */
#ifndef ERLBPF_CLI_HELP_JSON_H
#define ERLBPF_CLI_HELP_JSON_H

#include <json-c/json.h>

/* An enum exit_code. */
int help_json_print(void);

/* Its parts. The caller owns them. */
struct json_object *help_json_tools(void);
struct json_object *help_json_probes(void);
struct json_object *help_json_translators(void);
struct json_object *help_json_d(void);

#endif
