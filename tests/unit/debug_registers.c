// SPDX-License-Identifier: BSD-2-Clause
#include "load/kernel/debug_registers.h"

#include <criterion/criterion.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>

/* Of an exception that lost its cause the kernel makes this signal. Here it waits for the trial, which must let it in.
 */
Test(debug_registers, a_trap_in_the_trial_is_survived_and_refuses_them)
{
	sigset_t trap, mask;

	sigemptyset(&trap);
	sigaddset(&trap, SIGTRAP);
	pthread_sigmask(SIG_BLOCK, &trap, NULL);
	raise(SIGTRAP);
#ifdef __x86_64__
	cr_expect_not_null(strstr(debug_registers_refusal(true), "which ends processes"));
#else
	cr_expect_not_null(debug_registers_refusal(true));
#endif
	pthread_sigmask(SIG_SETMASK, NULL, &mask);
	cr_expect(sigismember(&mask, SIGTRAP), "the mask is as it was");
}
