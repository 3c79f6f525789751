/* SPDX-License-Identifier: BSD-2-Clause */
/* erlbpf profile show FILE, diff BEFORE AFTER: profiles that are in files. */
#ifndef ERLBPF_CLI_PROFILE_PROFILE_DIFF_H
#define ERLBPF_CLI_PROFILE_PROFILE_DIFF_H

#include <stdbool.h>

/* Is it one of these, or --collapsed-diff BEFORE AFTER? `argv` begins with "profile". */
bool profile_diff_is_meant(int argc, char **argv);

/* An enum exit_code. */
int profile_diff_main(int argc, char **argv);

#endif
