/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef ERLBPF_CLI_COMMAND_MAIN_H
#define ERLBPF_CLI_COMMAND_MAIN_H

/* The whole command line. An enum exit_code, or what dtrace(1) exits with. */
int command_main(int argc, char **argv);

#endif
