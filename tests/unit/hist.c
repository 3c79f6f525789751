// SPDX-License-Identifier: BSD-2-Clause
#include "hist.h"

#include "check.h"

static const struct {
	uint64_t value;
	uint32_t slot;
} known[] = {
	{ 0, 0 },
	{ 1, 1 },
	{ 15, 15 },
	{ 16, 16 },
	{ 31, 31 },
	{ 32, 32 },
	{ 33, 32 },
	{ 34, 33 },
	{ 63, 47 },
	{ 64, 48 },
	{ 67, 48 },
	{ 68, 49 },
	{ 1023, 111 },
	{ 1024, 112 },
	{ 1ULL << 32, 464 },
	{ 1ULL << 63, 960 },
	{ UINT64_MAX, HIST_SLOTS - 1 },
};

Test(hist, known_values_are_counted_in_known_slots)
{
	for (size_t i = 0; i < COUNT(known); i++)
		cr_expect(eq(u32, hist_slot(known[i].value), known[i].slot), "%llu",
			  (unsigned long long)known[i].value);
}

Test(hist, the_bounds_of_a_slot_are_counted_in_it)
{
	for (uint32_t slot = 0; slot < HIST_SLOTS; slot++) {
		cr_expect(eq(u32, hist_slot(hist_slot_lo(slot)), slot), "lowest of %u", slot);
		cr_expect(eq(u32, hist_slot(hist_slot_hi(slot)), slot), "highest of %u", slot);
		cr_expect(le(u64, hist_slot_lo(slot), hist_slot_hi(slot)), "%u", slot);
	}
}

Test(hist, slots_leave_no_gap_from_0_to_the_largest_number)
{
	cr_expect(eq(u64, hist_slot_lo(0), 0));
	cr_expect(eq(u64, hist_slot_hi(HIST_SLOTS - 1), UINT64_MAX));
	for (uint32_t slot = 1; slot < HIST_SLOTS; slot++)
		cr_expect(eq(u64, hist_slot_lo(slot), hist_slot_hi(slot - 1) + 1), "%u", slot);
}

Test(hist, small_values_have_a_slot_of_their_own)
{
	for (uint32_t value = 0; value < 32; value++) {
		cr_expect(eq(u64, hist_slot_lo(value), value));
		cr_expect(eq(u64, hist_slot_hi(value), value));
	}
}

Test(hist, no_slot_is_wider_than_a_sixteenth_of_its_values)
{
	for (uint32_t slot = HIST_SUB; slot < HIST_SLOTS; slot++) {
		uint64_t lo = hist_slot_lo(slot), width = hist_slot_hi(slot) - lo + 1;

		cr_expect(le(u64, width, lo / HIST_SUB), "slot %u", slot);
	}
}

Test(hist, a_larger_value_is_never_in_a_smaller_slot)
{
	uint32_t before = 0;

	for (uint64_t value = 1; value; value = value > UINT64_MAX / 9 * 8 ? 0 : value + value / 8 + 1) {
		cr_expect(ge(u32, hist_slot(value), before), "%llu", (unsigned long long)value);
		before = hist_slot(value);
		cr_assert(lt(u32, before, HIST_SLOTS));
	}
}

Test(hist, random_values_lie_within_the_bounds_of_their_slot)
{
	uint64_t state = 16;

	for (int i = 0; i < 100000; i++) {
		uint64_t value = check_random(&state) >> (check_random(&state) & 63);
		uint32_t slot = hist_slot(value);

		if (slot >= HIST_SLOTS || value < hist_slot_lo(slot) || value > hist_slot_hi(slot))
			cr_fail("%llu in slot %u", (unsigned long long)value, slot);
	}
}

Test(hist, the_highest_bit_is_the_one_that_the_compiler_finds)
{
	uint64_t state = 64;

	cr_expect(eq(u32, hist_msb(0), 0));
	for (uint32_t bit = 0; bit < 64; bit++) {
		uint64_t value = 1ULL << bit | (check_random(&state) & ((1ULL << bit) - 1));

		cr_expect(eq(u32, hist_msb(value), bit), "%llu", (unsigned long long)value);
	}
}
