/* SPDX-License-Identifier: BSD-2-Clause */
/* Commands that are no tools: they examine and report, and trace nothing. */
#ifndef ERLBPF_CLI_OPTIONS_COMMAND_H
#define ERLBPF_CLI_OPTIONS_COMMAND_H

#include "options.h"

/* Each returns an enum exit_code. */
int command_list(const struct options *options, int verbosity);
int command_doctor(const struct options *options);
int command_why(const struct options *options);
int command_help(const char *command);

/* Without any argument. */
int command_overview(void);

struct target_list;

/* Are nodes selected that may start later, and are they to be waited for? */
bool command_may_wait(const struct options *options);

/* Until there is one that is selected, or the user does not want to wait any longer. Explains. An enum exit_code. */
int command_wait(const struct options *options, struct target_list *list);

/* The message if no selected node runs; it lists the running nodes. Returns `text`. */
#define NO_NODES_SIZE 1280
const char *command_no_nodes(const struct options *options, char text[NO_NODES_SIZE]);

#endif
