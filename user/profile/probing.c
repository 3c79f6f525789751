// SPDX-License-Identifier: BSD-2-Clause
#include "profile/probing.h"

#include <errno.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/duration.h"
#include "base/log.h"
#include "load/guardian.h"
#include "load/hit_cost.h"
#include "profile/layout.h"
#include "run/estimate.h"
#include "run/follow.h"
#include "run/pace.h"

#define COST_WAIT_MS 40 /* for what a hit costs */

struct probing {
	struct probing_request how;
	struct loader *loader;
	struct follow *follow;
	struct pace pace;
	struct estimate estimate;
	uint64_t start_ns, end_ns;
	uint64_t known_ns; /* of what began earlier, nobody knows at the end whether it is over */
};

static int load(struct probing *probing)
{
	if (guardian_start())
		return -EIO;
	return loader_open(probing->how.elf, probing->how.elf_size, probing->how.attach.kernel, &probing->loader);
}

struct probing *probing_new(const struct probing_request *request)
{
	struct probing *probing = calloc(1, sizeof(*probing));
	int err;

	if (!probing)
		return NULL;
	probing->how = *request;
	err = load(probing);
	if (!err)
		return probing;
	probing_free(probing);
	errno = -err;
	return NULL;
}

void probing_free(struct probing *probing)
{
	if (!probing)
		return;
	follow_free(probing->follow);
	loader_free(probing->loader);
	pace_free(&probing->pace);
	free(probing);
}

struct loader *probing_loader(const struct probing *probing)
{
	return probing->loader;
}

int probing_prepare(struct probing *probing)
{
	int err = loader_make_maps(probing->loader);

	if (err)
		return err;
	probing->how.attach.loader = probing->loader;
	probing->follow = follow_new(&probing->how.attach, probing->how.nodes);
	return probing->follow ? 0 : -errno;
}

int probing_add(struct probing *probing, const struct target *target, uint16_t number)
{
	struct layout layout;
	int err = layout_read(target, number, &layout);

	if (!err)
		err = layout_publish_threads(&layout, probing->loader);
	if (!err)
		err = layout_publish(&layout, target, probing->loader);
	layout_free(&layout);
	return err;
}

static void begin_pace(struct probing *probing)
{
	const struct pace_setup setup = {
		.mode = probing->how.share > 0 ? PACE_BOUNDED : PACE_ALWAYS,
		.share = probing->how.share,
		.lets_end = true,
		.advice = probing->how.advice,
		.loader = probing->loader,
		.follow = probing->follow,
	};

	hit_costs_wait(COST_WAIT_MS);
	pace_begin(&probing->pace, &setup);
	probing->start_ns = duration_now();
}

/* Why the first node has none that has a reason. */
static void explain(const struct probing *probing)
{
	for (size_t i = 0; i < follow_count(probing->follow); i++) {
		const struct attachment *a = follow_get(probing->follow, i);
		_cleanup_free_ char *reason = attachment_reason(a) ? attachment_refusal(a) : NULL;

		if (!reason)
			continue;
		pr_err("no node has the probes that %s needs: %s", probing->how.option, reason);
		return;
	}
	pr_err("no node has the probes that %s needs; `erlbpf list` says why", probing->how.option);
}

int probing_start(struct probing *probing)
{
	hit_costs_begin(probing->how.attach.kernel);
	if (follow_scan(probing->follow) != EXIT_OK)
		return -ESRCH;
	if (!follow_stats(probing->follow).attached) {
		explain(probing);
		return -ENOENT;
	}
	begin_pace(probing);
	return 0;
}

void probing_tick(struct probing *probing)
{
	pace_tick(&probing->pace);
}

void probing_stop(struct probing *probing)
{
	probing->end_ns = duration_now();
	probing->known_ns = probing->pace.phase == PACE_OFF ? UINT64_MAX : probing->pace.window.opened_ns;
	if (probing->pace.began_ns) {
		pace_end(&probing->pace, probing->end_ns);
		estimate_turn(&probing->estimate, &probing->pace, probing->start_ns, probing->end_ns);
	}
	follow_detach(probing->follow);
	kernel_quiesce();
}

const struct sink_window *probing_window(const struct probing *probing)
{
	return &probing->estimate.window;
}

uint64_t probing_end_ns(const struct probing *probing)
{
	return probing->end_ns;
}

uint64_t probing_known_ns(const struct probing *probing)
{
	return probing->known_ns;
}
