// SPDX-License-Identifier: BSD-2-Clause
/* Which control group limits a process. */
#include "check.h"
#include "why/host/cgroup.h"

static const struct {
	const char *text;
	const char *path; /* "": none */
	bool is_unified;
} groups[] = {
	{ "0::/system.slice/shop.service\n", "/system.slice/shop.service", true },
	{ "9:name=systemd:/a\n3:cpuset:/b\n2:cpuacct:/c\n1:cpu:/d\n0::/e\n", "/d", false },
	{ "4:cpu,cpuacct:/d\n0::/\n", "/d", false },
	{ "4:cpuacct,cpu:/d\n0::/\n", "/d", false },
	{ "3:cpuset:/b\n2:cpuacct:/c\n", "", false },
	{ "", "", false },
	{ "nonsense", "", false },
	{ "1:cpu", "", false },
	{ "0::", "", true },
};

Test(why_group, the_group_that_rations_cpu_time_is_the_one_of_its_controller)
{
	for (size_t i = 0; i < COUNT(groups); i++) {
		bool is_unified = groups[i].is_unified;
		char path[64] = "";

		cgroup_path(groups[i].text, "cpu", path, sizeof(path), &is_unified);
		expect_text(path, groups[i].path, "%s", groups[i].text);
		cr_expect(eq(int, is_unified, groups[i].is_unified), "%s", groups[i].text);
	}
}

Test(why_group, a_path_that_is_too_long_is_cut)
{
	char path[8];
	bool is_unified;

	cr_expect(cgroup_path("1:cpu:/0123456789\n", "cpu", path, sizeof(path), &is_unified));
	expect_text(path, "/012345", "cut");
}
