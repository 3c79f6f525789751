// SPDX-License-Identifier: BSD-2-Clause
/*
 * The provider profile: tick-N fires on one CPU (a program run by a timer), profile-N on all CPUs (a clock event each).
 * Any N is possible, so probes are created on demand; a few are listed.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/duration.h"
#include "dtrace/provider/matching.h"
#include "dtrace/provider/provider.h"

#define MOST_DIGITS 18
#define LEAST_NS (200 * NS_PER_US) /* DTrace's limit; faster clocks would stall the machine */

#define LEAST_CONFINED_NS (10 * NS_PER_MS)

/* "10ms". False: invalid, or too fast. */
static bool parse_rate(const char *text, uint64_t *period_ns, uint64_t *frequency)
{
	size_t digits = strspn(text, "0123456789");
	uint64_t n = strtoull(text, NULL, 10), unit_ns;
	const char *unit = text + digits;

	if (!digits || digits > MOST_DIGITS || !n)
		return false;
	*frequency = 0;
	if (!*unit || !strcasecmp(unit, "hz")) {
		*frequency = n;
		*period_ns = NS_PER_S / n;
	} else if (duration_d_unit(unit, &unit_ns) && n <= INT64_MAX / unit_ns) {
		*period_ns = n * unit_ns;
	} else {
		return false;
	}
	return *period_ns >= LEAST_NS;
}

/* For users without rights: it runs on one CPU and uses very little of it. */
static bool is_allowed(const struct probes *probes, const struct d_probe *probe)
{
	return !probes_get_options(probes)->only_nodes ||
	       (probe->hook == HOOK_RUN && probe->period_ns >= LEAST_CONFINED_NS);
}

static int add(struct probes *probes, const char *name)
{
	bool is_tick = !strncmp(name, "tick-", 5), is_profile = !strncmp(name, "profile-", 8);
	struct d_probe probe = { .names = { 0, "profile", "", "", name } };
	char text[64];

	if ((!is_tick && !is_profile) || !parse_rate(strchr(name, '-') + 1, &probe.period_ns, &probe.frequency))
		return 0;
	snprintf(text, sizeof(text), "profile:%s", name);
	probe.hook = is_tick ? HOOK_RUN : HOOK_PROFILE;
	if (!is_allowed(probes, &probe))
		return 0;
	probe.number = probes_number(probes, text);
	if (!probe.number)
		return -ENOSPC;
	return probes_add(probes, &probe) ? 0 : -ENOMEM;
}

/* Those that other systems list. */
static int list(struct probes *probes)
{
	static const char *const names[] = {
		"profile-97",	"profile-199",	"profile-499", "profile-997", "profile-1999",
		"profile-4001", "profile-4999", "tick-1",      "tick-10",     "tick-100",
		"tick-500",	"tick-1000",	"tick-5000",
	};
	int err = 0;

	for (size_t i = 0; !err && i < sizeof(names) / sizeof(*names); i++)
		err = add(probes, names[i]);
	return err;
}

static int discover(struct probes *probes, const struct probe_spec *spec)
{
	if (!glob_matches(spec->provider, "profile") || *spec->module || *spec->function)
		return 0;
	if (glob_is_open(spec->name))
		return list(probes);
	return add(probes, spec->name);
}

const struct provider provider_timer = { .discover = discover, .list = list };
