/* SPDX-License-Identifier: BSD-2-Clause */
/* erlbpf profile [OPTIONS] [SECONDS]: where nodes spend processor time. */
#ifndef ERLBPF_CLI_PROFILE_PROFILE_RUN_H
#define ERLBPF_CLI_PROFILE_PROFILE_RUN_H

/* `argv` begins with "profile". An enum exit_code. */
int profile_run_main(int argc, char **argv);

#endif
