// SPDX-License-Identifier: BSD-2-Clause
#include "base/log.h"

#include <criterion/redirect.h>
#include <stdio.h>

#include "check.h"

static void say_everything(void)
{
	pr_err("an error");
	pr_warn("a warning");
	pr_info("a hint");
	pr_debug("a detail");
	fflush(stderr);
}

Test(log, errors_are_shown_always, .init = cr_redirect_stderr)
{
	log_set_level(LOG_QUIET);
	say_everything();
	cr_assert_stderr_eq_str("erlbpf: an error\n");
}

Test(log, warnings_and_hints_are_shown_unless_quiet, .init = cr_redirect_stderr)
{
	say_everything();
	cr_assert_stderr_eq_str("erlbpf: an error\nerlbpf: warning: a warning\na hint\n");
}

Test(log, details_are_shown_when_asked_for, .init = cr_redirect_stderr)
{
	log_set_level(LOG_VERBOSE);
	say_everything();
	cr_assert_stderr_eq_str("erlbpf: an error\nerlbpf: warning: a warning\na hint\nerlbpf: a detail\n");
}

Test(log, what_a_message_quotes_cannot_forge_a_line, .init = cr_redirect_stderr)
{
	pr_err("no node \"%s\"", "x\n\x1b[2Jerlbpf: all is well\xff");
	fflush(stderr);
	cr_assert_stderr_eq_str("erlbpf: no node \"x\\x0a\\x1b[2Jerlbpf: all is well\\xff\"\n");
}

Test(log, levels_are_in_order)
{
	static const enum log_level levels[] = { LOG_QUIET, LOG_NORMAL, LOG_VERBOSE, LOG_DEBUG };

	for (size_t i = 0; i < COUNT(levels); i++) {
		log_set_level(levels[i]);
		for (size_t n = 0; n < COUNT(levels); n++)
			cr_expect(eq(int, log_shows(levels[n]), n <= i), "%zu at %zu", n, i);
	}
}
