// SPDX-License-Identifier: BSD-2-Clause
/* erlbpf profile: its command line. */
#include "cli/profile/profile.h"

#include <stdio.h>

#include "cli/options/option_text.h"
#include "cli/profile/profile_diff.h"
#include "cli/profile/profile_run.h"

void profile_help(void)
{
	profile_run_help();
	puts("\nOptions of show and diff only:");
	option_print_help(stdout, &profile_diff_own_options);
}

int profile_main(int argc, char **argv)
{
	return profile_diff_is_meant(argc, argv) ? profile_diff_main(argc, argv) : profile_run_main(argc, argv);
}
