// SPDX-License-Identifier: BSD-2-Clause
/* A NIF with SDT notes of its own. See noted.erl. */
#include <erl_nif.h>
#define _SDT_HAS_SEMAPHORES 1
#include <sys/sdt.h>

unsigned short noted_work__done_semaphore __attribute__((unused, section(".probes")));

/* How often the probe is wanted. */
static ERL_NIF_TERM work(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[])
{
	char name[32];
	int n;

	if (argc != 2 || !enif_get_int(env, argv[0], &n) ||
	    enif_get_string(env, argv[1], name, 32, ERL_NIF_LATIN1) <= 0)
		return enif_make_badarg(env);
	STAP_PROBE3(noted, work__done, n, name, (unsigned char)n);
	return enif_make_int(env, noted_work__done_semaphore);
}

static ErlNifFunc functions[] = { { "work", 2, work, 0 } };

ERL_NIF_INIT(noted, functions, NULL, NULL, NULL, NULL)
