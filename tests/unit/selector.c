// SPDX-License-Identifier: BSD-2-Clause
#include "target/selector.h"

#include <stdio.h>
#include <string.h>

#include "check.h"

static const struct {
	const char *node, *wanted;
	bool is_it;
} names[] = {
	{ "rabbit@host", "rabbit@host", true },
	{ "rabbit@host", "rabbit", true },
	{ "rabbit@host", "rabbit@", false },
	{ "rabbit@host", "rabbit@hos", false },
	{ "rabbit@host", "rabbit@host2", false },
	{ "rabbit@host", "rabb", false },
	{ "rabbit@host", "Rabbit", false },
	{ "rabbit2@host", "rabbit", false },
	{ "rabbit@host", "host", false },
	{ "rabbit@host.example.org", "rabbit@host", false },
	{ "", "rabbit", false },
	{ "rabbit@host", "", false },
	{ "rabbit@host", "rab*", true },
	{ "rabbit@host", "*@host", true },
	{ "rabbit@host", "r*@*", true },
	{ "rabbit@host", "*host", false },
	{ "", "*", false },
};

Test(selector, a_node_is_named_in_full_or_by_what_is_before_its_host)
{
	for (size_t i = 0; i < COUNT(names); i++) {
		cr_expect(eq(int, selector_is_node(names[i].wanted, names[i].node), names[i].is_it), "%s, %s",
			  names[i].node, names[i].wanted);
	}
}

#define SLICE "/system.slice/rabbitmq-server.service"
#define V1 "12:pids:/a/b\n5:cpu,cpuacct:/c\n1:name=systemd:/user.slice\n0::/v2/d\n"

static const struct {
	const char *wanted, *text;
	bool is_in;
} groups[] = {
	{ SLICE, "0::" SLICE "\n", true },
	{ SLICE "/", "0::" SLICE "\n", true },
	{ "/sys/fs/cgroup" SLICE, "0::" SLICE "\n", true },
	{ "/system.slice", "0::" SLICE "\n", true },
	{ "/system.slic", "0::" SLICE "\n", false },
	{ "/system.slice/rabbitmq", "0::" SLICE "\n", false },
	{ SLICE "/worker", "0::" SLICE "\n", false },
	{ "rabbitmq-server.service", "0::" SLICE "\n", true },
	{ "rabbitmq-*", "0::" SLICE "/worker\n", true },
	{ "system.slice/rabbitmq-server.service", "0::" SLICE "\n", true },
	{ "server.service", "0::" SLICE "\n", false },
	{ "/*/rabbitmq-server.service", "0::" SLICE "\n", true },
	{ "/a/b", V1, true },
	{ "/sys/fs/cgroup/pids/a", V1, true },
	{ "/sys/fs/cgroup/cpu/a", V1, false },
	{ "/sys/fs/cgroup/cpu,cpuacct/c", V1, true },
	{ "/sys/fs/cgroup/systemd/user.slice", V1, true },
	{ "/sys/fs/cgroup/unified/v2", V1, true },
	{ "/sys/fs/cgroup/pids", V1, false },
	{ "/v2", V1, true },
	{ "", "0::/a\n", false },
	{ "/sys/fs/cgroup/", "0::/a\n", false },
	{ "a", "0::/../a\n", true },
	{ "a", "", false },
	{ "a", "0", false },
	{ "a", ":\n::\n0::", false },
};

Test(selector, a_group_is_named_by_its_path_or_by_parts_of_it)
{
	for (size_t i = 0; i < COUNT(groups); i++)
		cr_expect(eq(int, selector_is_in_cgroup(groups[i].wanted, groups[i].text), groups[i].is_in), "%s in %s",
			  groups[i].wanted, groups[i].text);
}

Test(selector, a_group_of_thousands_of_parts_is_looked_at_in_part)
{
	char text[4096] = "0::/shop";

	for (size_t at = strlen(text); at + 2 < sizeof(text); at += 2)
		memcpy(text + at, "/a", sizeof("/a"));
	cr_expect(selector_is_in_cgroup("/shop", text));
	cr_expect(selector_is_in_cgroup("a/a/a", text));
	cr_expect(not(selector_is_in_cgroup("*a*a*a*a*b", text)));
}

static const struct {
	const char *wanted, *exe;
	bool is_it;
} files[] = {
	{ "/usr/lib/erlang/bin/beam.smp", "/usr/lib/erlang/bin/beam.smp", true },
	{ "/usr/lib/erlang/bin/beam.smp", "/usr/lib/erlang/bin/beam.smp (deleted)", true },
	{ "/usr/*", "/usr/lib/erlang/bin/beam.smp", true },
	{ "/opt/*", "/usr/lib/erlang/bin/beam.smp", false },
	{ "beam.smp", "/usr/lib/erlang/bin/beam.smp (deleted)", true },
	{ "beam*", "/usr/lib/erlang/bin/beam.smp", true },
	{ "bin", "/usr/lib/erlang/bin/beam.smp", false },
	{ "beam.smp", "beam.smp", true },
	{ "beam.smp", "", false },
};

Test(selector, an_executable_is_named_by_its_path_or_its_last_part)
{
	for (size_t i = 0; i < COUNT(files); i++)
		cr_expect(eq(int, selector_is_exe(files[i].wanted, files[i].exe), files[i].is_it), "%s, %s",
			  files[i].wanted, files[i].exe);
}

Test(selector, a_pod_is_named_with_or_without_its_namespace)
{
	const struct pod pod = { .name = "cart-7d9-x2x", .namespace = "shop" }, nobody = { .namespace = "shop" };

	cr_expect(selector_is_pod("cart-7d9-x2x", &pod));
	cr_expect(selector_is_pod("cart-*", &pod));
	cr_expect(selector_is_pod("shop/cart-*", &pod));
	cr_expect(selector_is_pod("*/cart-7d9-x2x", &pod));
	cr_expect(not(selector_is_pod("cart", &pod)));
	cr_expect(not(selector_is_pod("other/cart-*", &pod)));
	cr_expect(not(selector_is_pod("*", &nobody)));
	cr_expect(not(selector_is_pod("shop/*", &nobody)));
}

Test(selector, a_container_is_named_by_its_name_or_the_beginning_of_its_id)
{
	const struct pod pod = {
		.container = "app",
		.container_id = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
	};
	const struct pod hex = { .container = "cafe" }, none = {};

	cr_expect(selector_is_container("app", &pod));
	cr_expect(selector_is_container("a*", &pod));
	cr_expect(selector_is_container("0123", &pod));
	cr_expect(selector_is_container(pod.container_id, &pod));
	cr_expect(selector_is_container("cafe", &hex));
	cr_expect(not(selector_is_container("012", &pod)), "too short for an id");
	cr_expect(not(selector_is_container("1234", &pod)));
	cr_expect(not(selector_is_container("ap", &pod)));
	cr_expect(not(selector_is_container("*", &none)));
}

Test(selector, what_is_asked_for_is_told_in_words)
{
	struct target_selector selector = {};
	char text[SELECTOR_TEXT], long_name[2 * SELECTOR_TEXT];

	cr_expect(not(target_selector_is_set(&selector)));
	expect_text(target_selector_text(&selector, text), "");
	selector.pod_logs = "/logs";
	cr_expect(not(target_selector_is_set(&selector)));
	selector.node = "shop";
	selector.user = "rabbitmq";
	cr_expect(target_selector_is_set(&selector));
	expect_text(target_selector_text(&selector, text), " named shop of the user rabbitmq");
	memset(long_name, 'x', sizeof(long_name) - 1);
	long_name[sizeof(long_name) - 1] = '\0';
	selector.pod = long_name;
	cr_expect(eq(sz, strlen(target_selector_text(&selector, text)), SELECTOR_TEXT - 1));
}
