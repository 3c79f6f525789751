/* SPDX-License-Identifier: BSD-2-Clause */
/* Data for shell completion: `erlbpf help --complete [COMMAND]`. */
#ifndef ERLBPF_CLI_COMPLETION_H
#define ERLBPF_CLI_COMPLETION_H

/*
 * Without a command, a line "command NAME SUMMARY" for each; else the lines of option_print_completion(),
 * "argument probes" if it takes a pattern of probes, and for "dtrace" a line "x NAME HELP" for each option of -x.
 * Tabs between. An enum exit_code.
 */
int completion_print(const char *command);

#endif
