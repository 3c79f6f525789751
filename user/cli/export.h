/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef ERLBPF_CLI_EXPORT_H
#define ERLBPF_CLI_EXPORT_H

/* `argv` begins with "export". An enum exit_code. */
int export_main(int argc, char **argv);
void export_help(void);

#endif
