/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef ERLBPF_CLI_PROFILE_PROFILE_H
#define ERLBPF_CLI_PROFILE_PROFILE_H

/* `argv` begins with "profile". An enum exit_code. */
int profile_main(int argc, char **argv);

#endif
