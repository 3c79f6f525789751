/* SPDX-License-Identifier: BSD-2-Clause */
/* What completions and man pages are made of: `erlbpf help --complete [COMMAND]`, `erlbpf help --man-...`. */
#ifndef ERLBPF_CLI_REFERENCE_H
#define ERLBPF_CLI_REFERENCE_H

/*
 * For shells. Without a command, a line "command NAME SUMMARY" for each; else the lines of option_print_completion(),
 * "argument probes" if it takes a pattern of probes, and for "dtrace" a line "x NAME HELP" for each option of -x.
 * Tabs between. An enum exit_code.
 */
int reference_completion(const char *command);

/* Parts of docs/man/, in scdoc. */
void reference_man_commands(void);
void reference_man_options(void);
void reference_man_d_options(void);
void reference_man_x_options(void);
void reference_man_export_options(void);
void reference_man_profile_options(void);
void reference_man_export_tools(void);

#endif
