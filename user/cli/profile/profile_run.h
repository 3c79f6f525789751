/* SPDX-License-Identifier: BSD-2-Clause */
/* erlbpf profile [OPTIONS] [SECONDS]: where nodes spend processor time. */
#ifndef ERLBPF_CLI_PROFILE_PROFILE_RUN_H
#define ERLBPF_CLI_PROFILE_PROFILE_RUN_H

#include "cli/options/option.h"

extern const struct option_table profile_run_options;

/* `argv` begins with "profile". An enum exit_code. */
int profile_run_main(int argc, char **argv);
void profile_run_help(void);

#endif
