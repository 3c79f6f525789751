// SPDX-License-Identifier: BSD-2-Clause
/* Numbers in JSON: as many digits as say something. */
#include "out/json_line.h"

#include "check.h"

static void expect_real(double number, const char *text)
{
	struct json_object *object = json_real(number);

	expect_text(json_object_to_json_string(object), text);
	json_object_put(object);
}

Test(json_line, fractions_have_no_digits_that_only_a_double_has)
{
	expect_real(0.1 + 0.2, "0.3");
	expect_real(1e-5, "0.00001");
	expect_real(1.001084976, "1.001084976");
	expect_real(1.0 / 3, "0.333333333");
	expect_real(1e-12, "0.0");
	expect_real(2, "2.0");
	expect_real(-0.1 * 3, "-0.3");
}

Test(json_line, what_is_no_number_is_null)
{
	cr_expect(eq(ptr, json_real(1.0 / 0.0), NULL));
	cr_expect(eq(ptr, json_real(0.0 / 0.0), NULL));
}
