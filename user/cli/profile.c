// SPDX-License-Identifier: BSD-2-Clause
/* erlbpf profile: its command line. */
#include "cli/profile.h"

#include <string.h>

#include "base/log.h"
#include "cli/output.h"
#include "cli/profile_diff.h"
#include "options.h"

void profile_help(void)
{
	profile_diff_help();
}

static bool is_help(const char *word)
{
	return !strcmp(word, "-h") || !strcmp(word, "--help");
}

int profile_main(int argc, char **argv)
{
	if (profile_diff_is_meant(argc, argv))
		return profile_diff_main(argc, argv);
	if (argc > 1 && is_help(argv[1])) {
		profile_help();
		return output_finish(EXIT_OK);
	}
	pr_err("profile: expected diff; see `erlbpf help profile`");
	return EXIT_USAGE;
}
