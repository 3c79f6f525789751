// SPDX-License-Identifier: BSD-2-Clause
/* What a message of OTLP says of nodes and numbers. What its tables hold is read back by test_export_otlp.py. */
#include "flame/formats/otlp.h"

#include <errno.h>
#include <string.h>

#include "check.h"
#include "flame_check.h"

#include "otlp_profiles.pb-c.h"

static OtlpProfiles__Request *packed(struct profile *profile)
{
	const struct profile_attribute resource[] = { { "service.name", "shop" } };
	const struct profile_otlp head = { .version = "1", .resource = resource, .attributes = 1, .id = { 1, 2, 3 } };
	OtlpProfiles__Request *message;
	size_t size = 0;
	uint8_t *bytes = profile_pack_otlp(profile, &head, &size);

	cr_assert(ne(ptr, bytes, NULL));
	message = otlp_profiles__request__unpack(NULL, size, bytes);
	cr_assert(ne(ptr, message, NULL));
	free(bytes);
	profile_free(profile);
	return message;
}

static const OtlpProfiles__Profile *profile_at(const OtlpProfiles__Request *message, size_t i, const char *node)
{
	const OtlpProfiles__ResourceProfiles *resource = message->resource_profiles[i];

	cr_assert(eq(sz, resource->resource->n_attributes, 1 + (node != NULL)));
	if (node)
		expect_text(resource->resource->attributes[1]->value->string_value, node);
	return resource->scope_profiles[0]->profiles[0];
}

Test(flame_otlp, each_node_is_a_resource_with_a_profile_of_its_own)
{
	OtlpProfiles__Request *message = packed(read_lines("a@h_[g];m:f/0 1\nb@h_[g];m:f/0 2\nm:f/0 4\n", 0));
	const OtlpProfiles__Profile *a, *b, *none;

	cr_assert(eq(sz, message->n_resource_profiles, 3));
	a = profile_at(message, 0, "a@h");
	b = profile_at(message, 1, "b@h");
	none = profile_at(message, 2, NULL);
	cr_expect(eq(i64, a->samples[0]->values[0], 1));
	cr_expect(eq(i64, b->samples[0]->values[0], 2));
	cr_expect(eq(i64, none->samples[0]->values[0], 4));
	cr_assert(eq(sz, a->profile_id.len, PROFILE_OTLP_ID));
	cr_expect(ne(int, memcmp(a->profile_id.data, b->profile_id.data, PROFILE_OTLP_ID), 0));
	otlp_profiles__request__free_unpacked(message, NULL);
}

Test(flame_otlp, a_weight_beyond_the_largest_number_is_the_largest)
{
	struct profile *profile = profile_new("test", "ns");
	uint32_t frame = profile_frame(profile, FRAME_KERNEL, "read", NULL, 0);
	OtlpProfiles__Request *message;

	profile_add(profile, &frame, 1, UINT64_MAX);
	message = packed(profile);
	cr_expect(eq(i64, profile_at(message, 0, NULL)->samples[0]->values[0], INT64_MAX));
	otlp_profiles__request__free_unpacked(message, NULL);
}

/* 8,000 stacks of 1,000 frames below one another are small in memory, and large where each is written out. */
Test(flame_otlp, what_would_be_too_large_is_refused)
{
	struct profile *profile = profile_new("test", "ns");
	const struct profile_otlp head = { .version = "1" };
	uint32_t frames[1000];
	char name[16];
	size_t size;

	for (size_t i = 0; i < 999; i++)
		frames[i] = profile_frame(profile, FRAME_VM, "f", NULL, 0);
	for (unsigned int i = 0; i < 8000; i++) {
		snprintf(name, sizeof(name), "g%u", i);
		frames[999] = profile_frame(profile, FRAME_VM, name, NULL, 0);
		profile_add(profile, frames, 1000, 1);
	}
	errno = 0;
	cr_expect(eq(ptr, profile_pack_otlp(profile, &head, &size), NULL));
	cr_expect(eq(int, errno, E2BIG));
	profile_free(profile);
}
