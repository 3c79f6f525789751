// SPDX-License-Identifier: BSD-2-Clause
/* Which names of this machine a request may come by. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include "serve/http/host.h"

Test(serve_host, only_names_of_this_machine_are_local)
{
	static const struct {
		const char *host, *also;
		bool is_local;
	} rows[] = {
		{ "localhost", NULL, true },
		{ "LocalHost:9568", NULL, true },
		{ "127.0.0.1", NULL, true },
		{ "127.0.0.1:1", NULL, true },
		{ "[::1]", NULL, true },
		{ "[::1]:65535", NULL, true },
		{ "metrics.example:9568", "metrics.example", true },
		{ "metrics.example", NULL, false },
		{ "localhost.evil.example", NULL, false },
		{ "localhost:", NULL, false },
		{ "localhost:x", NULL, false },
		{ "localhost:80@evil", NULL, false },
		{ "127.0.0.1.evil.example", NULL, false },
		{ "[::1]evil", NULL, false },
		{ "::1", NULL, false },
		{ "evil", "", false },
		{ "", NULL, false },
		{ "", "", false },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		cr_expect(eq(int, host_is_local(rows[i].host, rows[i].also), rows[i].is_local), "%s", rows[i].host);
}
