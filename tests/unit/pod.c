// SPDX-License-Identifier: BSD-2-Clause
/* Pods by control group, by the kubelet's logs, and by what the container says; all of it hostile. */
#include "target/pod.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "check.h"

#define ID "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define OTHER "ffeeddccbbaa99887766554433221100ffeeddccbbaa99887766554433221100"
#define UID "0f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0"
#define UID_SLICE "0f1e2d3c_4b5a_6978_8796_a5b4c3d2e1f0"
#define UID_OTHER "11111111-2222-3333-4444-555555555555"
#define HASH "5f3c2a1b5f3c2a1b5f3c2a1b5f3c2a1b"

/* Control groups. */

static const struct {
	const char *what, *text, *uid, *id;
} groups[] = {
	{ "containerd, v2, systemd, burstable",
	  "0::/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod" UID_SLICE ".slice/cri-containerd-" ID
	  ".scope\n",
	  UID, ID },
	{ "containerd, v2, systemd, guaranteed",
	  "0::/kubepods.slice/kubepods-pod" UID_SLICE ".slice/cri-containerd-" ID ".scope\n", UID, ID },
	{ "containerd, v2, cgroupfs", "0::/kubepods/besteffort/pod" UID "/" ID "\n", UID, ID },
	{ "containerd, v1, cgroupfs",
	  "12:pids:/kubepods/burstable/pod" UID "/" ID "\n1:name=systemd:/kubepods/burstable/pod" UID "/" ID "\n0::/\n",
	  UID, ID },
	{ "containerd, v1, systemd, one part for both",
	  "5:memory:/system.slice/containerd.service/kubepods-burstable-pod" UID_SLICE ".slice:cri-containerd:" ID "\n",
	  UID, ID },
	{ "hybrid: a hierarchy that does not know it first",
	  "3:net_cls:/\n2:cpu:/kubepods.slice/kubepods-pod" UID_SLICE ".slice/docker-" ID ".scope\n0::/\n", UID, ID },
	{ "hybrid: a hierarchy that knows the pod only",
	  "3:rdma:/kubepods/pod" UID "\n2:cpu:/kubepods/pod" UID "/" ID "\n", UID, ID },
	{ "CRI-O, systemd", "0::/kubepods.slice/kubepods-pod" UID_SLICE ".slice/crio-" ID ".scope\n", UID, ID },
	{ "CRI-O, a group of the container's own",
	  "0::/kubepods.slice/kubepods-pod" UID_SLICE ".slice/crio-" ID ".scope/container\n", UID, ID },
	{ "CRI-O, cgroupfs", "0::/kubepods/pod" UID "/crio-" ID "\n", UID, ID },
	{ "docker in Kubernetes", "4:cpuset:/kubepods/besteffort/pod" UID "/" ID "\n", UID, ID },
	{ "kind: a node that is a container",
	  "0::/system.slice/docker-" OTHER ".scope/kubelet.slice/kubelet-kubepods.slice/kubelet-kubepods-pod" UID_SLICE
	  ".slice/cri-containerd-" ID ".scope\n",
	  UID, ID },
	{ "kind, v1", "3:cpu:/docker/" OTHER "/kubelet/kubepods/besteffort/pod" UID "/" ID "\n", UID, ID },
	{ "a static pod", "0::/kubepods/burstable/pod" HASH "/" ID "\n", HASH, ID },
	{ "a static pod, systemd",
	  "0::/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod" HASH ".slice/cri-containerd-" ID
	  ".scope\n",
	  HASH, ID },
	{ "from within a group namespace", "0::/../cri-containerd-" ID ".scope\n", "", ID },
	{ "from another pod's namespace", "0::/../../kubepods-pod" UID_SLICE ".slice/cri-containerd-" ID ".scope\n",
	  UID, ID },
	{ "docker alone", "0::/system.slice/docker-" ID ".scope\n", "", ID },
	{ "no container", "0::/system.slice/rabbitmq-server.service\n", "", "" },
	{ "the pod's own group", "0::/kubepods/pod" UID "\n", UID, "" },
	{ "nothing", "", "", "" },
	/* Hostile. */
	{ "a group made by the container, named like another pod",
	  "0::/kubepods/pod" UID "/" ID "/kubepods/pod" UID_OTHER "/" OTHER "\n", UID, ID },
	{ "a uid that goes on", "0::/kubepods/pod" UID "0/x\n", "", "" },
	{ "a uid with a way out", "0::/kubepods/pod../../etc/" ID "\n", "", ID },
	{ "a uid cut short", "0::/kubepods/pod0f1e2d3c-4b5a-6978-8796", "", "" },
	{ "capitals", "0::/kubepods/pod0F1E2D3C-4B5A-6978-8796-A5B4C3D2E1F0/x\n", "", "" },
	{ "a word that ends in pod", "0::/tripod" UID "/x\n", "", "" },
	{ "the end of the text behind pod", "0::/pod", "", "" },
};

Test(pod, the_group_says_which_pod_and_container)
{
	for (size_t i = 0; i < COUNT(groups); i++) {
		struct pod pod = { .uid = "x" };
		bool found = pod_parse_cgroup(groups[i].text, &pod);

		cr_expect(eq(int, found, groups[i].uid[0] || groups[i].id[0]), "%s", groups[i].what);
		expect_text(pod.uid, groups[i].uid, "%s", groups[i].what);
		expect_text(pod.container_id, groups[i].id, "%s", groups[i].what);
	}
}

/* Names of logs. */

static const struct {
	const char *text, *namespace, *name, *uid; /* namespace NULL: no such name */
} directories[] = {
	{ "shop_cart-7d4b9c-x2x9z_" UID, "shop", "cart-7d4b9c-x2x9z", UID },
	{ "kube-system_etcd-node1.example.org_" HASH, "kube-system", "etcd-node1.example.org", HASH },
	{ "shop_cart_" UID "x", NULL, NULL, NULL },
	{ "shop_cart_" UID "_x", NULL, NULL, NULL },
	{ "shop_cart", NULL, NULL, NULL },
	{ "_cart_" UID, NULL, NULL, NULL },
	{ "shop__" UID, NULL, NULL, NULL },
	{ ".._.._" UID, NULL, NULL, NULL },
	{ "shop_../../etc_" UID, NULL, NULL, NULL },
	{ "shop_ca\033[2Jrt_" UID, NULL, NULL, NULL },
	{ "shop_ca\"rt_" UID, NULL, NULL, NULL },
	{ "Shop_cart_" UID, NULL, NULL, NULL },
	{ "shop_cart_" HASH "0", NULL, NULL, NULL },
	{ "0123456789012345678901234567890123456789012345678901234567890123_cart_" UID, NULL, NULL, NULL },
	{ "", NULL, NULL, NULL },
};

Test(pod, a_directory_of_logs_names_the_pod)
{
	for (size_t i = 0; i < COUNT(directories); i++) {
		struct pod pod = {};
		bool found = pod_parse_directory(directories[i].text, &pod);

		cr_expect(eq(int, found, directories[i].namespace != NULL), "%s", directories[i].text);
		expect_text(pod.namespace, found ? directories[i].namespace : "");
		expect_text(pod.name, found ? directories[i].name : "");
		expect_text(pod.uid, found ? directories[i].uid : "");
	}
}

static const struct {
	const char *text, *name, *namespace, *container;
} links[] = {
	{ "cart-0_shop_erlang-" ID ".log", "cart-0", "shop", "erlang" },
	{ "a.b-c_shop_side-car-" ID ".log", "a.b-c", "shop", "side-car" },
	{ "cart-0_shop_erlang-" ID ".log.1", NULL, NULL, NULL },
	{ "cart-0_shop_erlang-" ID, NULL, NULL, NULL },
	{ "cart-0_shop_erlang-" ID "0.log", NULL, NULL, NULL },
	{ "cart-0_shop_-" ID ".log", NULL, NULL, NULL },
	{ "cart-0_shop_er.lang-" ID ".log", NULL, NULL, NULL },
	{ "cart-0_sh\nop_erlang-" ID ".log", NULL, NULL, NULL },
	{ "cart-0_erlang-" ID ".log", NULL, NULL, NULL },
	{ "-" ID ".log", NULL, NULL, NULL },
	{ "__-", NULL, NULL, NULL },
	{ "", NULL, NULL, NULL },
};

Test(pod, a_link_to_a_log_names_pod_and_container)
{
	for (size_t i = 0; i < COUNT(links); i++) {
		struct pod pod = {};
		bool found = pod_parse_link(links[i].text, &pod);

		cr_expect(eq(int, found, links[i].name != NULL), "%s", links[i].text);
		expect_text(pod.name, found ? links[i].name : "");
		expect_text(pod.namespace, found ? links[i].namespace : "");
		expect_text(pod.container, found ? links[i].container : "");
		expect_text(pod.container_id, found ? ID : "");
	}
}

/* Trees. */

static char tree[] = "/tmp/erlbpf-pod.XXXXXX", logs[64];

static int remove_one(const char *path, const struct stat *st, int flag, struct FTW *ftw)
{
	(void)st;
	(void)flag;
	(void)ftw;
	return remove(path);
}

static const char *in_tree(const char *path)
{
	static char full[512];

	snprintf(full, sizeof(full), "%s/%s", tree, path);
	for (char *slash = strchr(full + sizeof(tree), '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		mkdir(full, 0755);
		*slash = '/';
	}
	return full;
}

static void put_bytes(const char *path, const char *bytes, size_t size)
{
	int fd = open(in_tree(path), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);

	cr_assert(fd >= 0);
	cr_assert(eq(long, (long)write(fd, bytes, size), (long)size));
	close(fd);
}

static void put(const char *path, const char *text)
{
	put_bytes(path, text, strlen(text));
}

static void put_link(const char *path, const char *to)
{
	cr_assert(eq(int, symlink(to, in_tree(path)), 0));
}

#define GROUP "0::/kubepods/pod" UID "/" ID "\n"
#define SECRETS "run/secrets/kubernetes.io/serviceaccount/"

static void make_tree(void)
{
	cr_assert(mkdtemp(tree) != NULL);
	snprintf(logs, sizeof(logs), "%s/log", tree);
	put("proc/1/ns/uts", "");
	put("proc/7/ns/uts", "");
	put("proc/7/cgroup", GROUP);
}

static void remove_tree(void)
{
	nftw(tree, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

/* In place of the reader, which knows only the machine's /proc. */
static ssize_t read_in_tree(pid_t pid, const char *name, uint64_t offset, void *buf, size_t room)
{
	char path[512];
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "%s/proc/%d/%s", tree, pid, name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	n = fd < 0 ? -ENOENT : pread(fd, buf, room, (off_t)offset);
	if (fd >= 0)
		close(fd);
	return n;
}

static int identify_in_tree(pid_t pid, const char *name, struct reader_identity *identity)
{
	char path[512];
	struct stat st;

	snprintf(path, sizeof(path), "%s/proc/%d/%s", tree, pid, name);
	if (stat(path, &st))
		return -ENOENT;
	*identity = (struct reader_identity){ .device = st.st_dev, .inode = st.st_ino };
	return 0;
}

static const struct pod_files files_in_tree = { read_in_tree, identify_in_tree };

static struct pod found(void)
{
	struct pod pod;

	pod_find(7, &files_in_tree, logs, &pod);
	return pod;
}

static void expect_names(struct pod pod, const char *namespace, const char *name, const char *container)
{
	expect_text(pod.namespace, namespace);
	expect_text(pod.name, name);
	expect_text(pod.container, container);
}

TestSuite(pod_tree, .init = make_tree, .fini = remove_tree);

Test(pod_tree, the_link_of_its_container_says_it_all)
{
	put("log/pods/shop_cart-0_" UID "/erlang/0.log", "");
	put("log/containers/other_shop_erlang-" OTHER ".log", "");
	put("log/containers/cart-0_shop_erlang-" ID ".log", "");
	expect_names(found(), "shop", "cart-0", "erlang");
	expect_text(found().uid, UID);
}

Test(pod_tree, the_link_gives_the_uid_that_the_group_does_not)
{
	put("proc/7/cgroup", "0::/../cri-containerd-" ID ".scope\n");
	put_link("log/containers/cart-0_shop_erlang-" ID ".log", "/var/log/pods/shop_cart-0_" UID "/erlang/0.log");
	expect_names(found(), "shop", "cart-0", "erlang");
	expect_text(found().uid, UID);
}

Test(pod_tree, directories_alone_name_the_pod_and_its_only_container)
{
	put("log/pods/shop_cart-1_" UID_OTHER "/erlang/0.log", "");
	put("log/pods/shop_cart-0_" UID "/erlang/0.log", "");
	expect_names(found(), "shop", "cart-0", "erlang");
	put("log/pods/shop_cart-0_" UID "/sidecar/0.log", "");
	expect_names(found(), "shop", "cart-0", "");
}

Test(pod_tree, without_logs_the_container_is_asked)
{
	struct pod pod;

	put("proc/7/root/var/" SECRETS "namespace", "shop");
	put_bytes("proc/7/environ", "A=HOSTNAME=x\0HOSTNAME=cart-0\0", 29);
	expect_names(found(), "shop", "cart-0", "");
	pod = found();
	cr_expect(eq(int, pod_is_partial(&pod), 1));
}

Test(pod_tree, the_hostname_of_a_pod_in_the_hosts_network_is_not_its_own)
{
	cr_assert(eq(int, unlink(in_tree("proc/7/ns/uts")), 0));
	put_link("proc/7/ns/uts", "../../1/ns/uts");
	put_bytes("proc/7/environ", "HOSTNAME=machine\0", 17);
	expect_names(found(), "", "", "");
}

Test(pod_tree, a_process_in_no_container_is_asked_nothing)
{
	put("proc/7/cgroup", "0::/system.slice/rabbitmq-server.service\n");
	put("proc/7/root/var/" SECRETS "namespace", "shop");
	put_bytes("proc/7/environ", "HOSTNAME=cart-0\0", 16);
	expect_names(found(), "", "", "");
}

Test(pod_tree, what_could_be_no_name_is_none)
{
	static const char *const texts[] = {
		"../../etc", "sh\033[2Jop",
		"sho\np",    "",
		"\n",	     "-shop",
		"shop.",     "\xff\xfe",
		"S",	     "0123456789012345678901234567890123456789012345678901234567890123",
	};

	for (size_t i = 0; i < COUNT(texts); i++) {
		char of_pod[128];
		int size = snprintf(of_pod, sizeof(of_pod), "HOSTNAME=%s", texts[i]);

		put("proc/7/root/var/" SECRETS "namespace", texts[i]);
		/* As a name of a pod, the long one would do. */
		if (strlen(texts[i]) < 60)
			put_bytes("proc/7/environ", of_pod, (size_t)size + 1);
		expect_names(found(), "", "", "");
	}
}

Test(pod_tree, huge_files_are_read_in_part)
{
	size_t size = 8 << 20;
	char *bytes = malloc(size);

	cr_assert(bytes != NULL);
	memset(bytes, 'a', size);
	put_bytes("proc/7/environ", bytes, size);
	put_bytes("proc/7/root/var/" SECRETS "namespace", bytes, size);
	expect_names(found(), "", "", "");
	put_bytes("proc/7/cgroup", bytes, size);
	expect_text(found().uid, "");
	free(bytes);
}

Test(pod_tree, a_process_that_is_gone_is_no_pods)
{
	struct pod pod;

	pod_find(8, &files_in_tree, logs, &pod);
	expect_names(pod, "", "", "");
	cr_expect(eq(int, pod_is_partial(&pod), 0));
}
