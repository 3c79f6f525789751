/* SPDX-License-Identifier: BSD-2-Clause */
/* `erlbpf list`: the names of an application's own probes, behind those of the catalogue. */
#ifndef ERLBPF_CLI_LIST_APP_H
#define ERLBPF_CLI_LIST_APP_H

#include <stdbool.h>
#include <stddef.h>

#include "node/names/declared.h"

/* May the glob mean such names? */
bool list_app_may_mean(const char *glob);

/* Does it mean this one? `full` gets "app:NAME". */
#define LIST_APP_NAME 1040
bool list_app_means(const char *glob, const char *name, char full[LIST_APP_NAME]);

/* For people. Returns how many names that were. */
size_t list_app_print(const struct declared *declared, const char *glob);

/* There were none on any node, though the glob means nothing else. */
void list_app_print_none(const char *glob);

#endif
