// SPDX-License-Identifier: BSD-2-Clause
#include "cli/profile/profile.h"

#include "cli/profile/profile_diff.h"
#include "cli/profile/profile_run.h"

int profile_main(int argc, char **argv)
{
	return profile_diff_is_meant(argc, argv) ? profile_diff_main(argc, argv) : profile_run_main(argc, argv);
}
