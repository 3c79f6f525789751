// SPDX-License-Identifier: BSD-2-Clause
/* Texts of /proc/PID/cgroup as container engines and init systems leave them. */
#include "target/pod.h"

#include <string.h>

#include "check.h"

#define ID "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define OUTER "ffeeddccbbaa99887766554433221100ffeeddccbbaa99887766554433221100"
#define POD "pod0f1e2d3c_4b5a_6978_8796_a5b4c3d2e1f0"
#define POD_DASHES "pod0f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0"

static const struct {
	const char *what;
	const char *cgroup;
} contained[] = {
	{ "docker, v2, systemd driver", "0::/system.slice/docker-" ID ".scope\n" },
	{ "docker, v2, cgroupfs driver", "0::/docker/" ID "\n" },
	{ "docker, v1", "12:pids:/docker/" ID "\n11:cpu,cpuacct:/docker/" ID "\n"
			"1:name=systemd:/docker/" ID "\n0::/\n" },
	{ "docker, hybrid", "2:cpu:/\n1:name=systemd:/system.slice/docker-" ID ".scope\n"
			    "0::/system.slice/docker-" ID ".scope\n" },
	{ "containerd in Kubernetes, v2, systemd driver",
	  "0::/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-" POD ".slice/cri-containerd-" ID
	  ".scope\n" },
	{ "containerd in Kubernetes, v2, cgroupfs driver", "0::/kubepods/besteffort/" POD_DASHES "/" ID "\n" },
	{ "containerd in Kubernetes, v1, systemd driver",
	  "5:memory:/system.slice/containerd.service/kubepods-" POD ".slice:cri-containerd:" ID "\n" },
	{ "containerd in Kubernetes, v1, cgroupfs driver",
	  "11:memory:/kubepods/burstable/" POD_DASHES "/" ID "\n"
	  "1:name=systemd:/kubepods/burstable/" POD_DASHES "/" ID "\n" },
	{ "CRI-O, systemd driver", "0::/kubepods.slice/kubepods-" POD ".slice/crio-" ID ".scope\n" },
	{ "CRI-O, cgroupfs driver", "0::/kubepods/" POD_DASHES "/crio-" ID "\n" },
	{ "CRI-O, a group below", "0::/kubepods.slice/kubepods-" POD ".slice/crio-" ID ".scope/container\n" },
	{ "docker in Kubernetes, v1", "4:cpuset:/kubepods.slice/kubepods-" POD ".slice/docker-" ID ".scope\n" },
	{ "kind: a container in a container",
	  "0::/system.slice/docker-" OUTER ".scope/kubelet.slice/kubelet-kubepods.slice/"
	  "kubelet-kubepods-" POD ".slice/cri-containerd-" ID ".scope\n" },
	{ "kind, v1", "3:cpu:/docker/" OUTER "/kubelet/kubepods/besteffort/" POD_DASHES "/" ID "\n" },
	{ "podman, root", "0::/machine.slice/libpod-" ID ".scope/container\n" },
	{ "podman, v1", "9:pids:/machine.slice/libpod-" ID ".scope\n0::/\n" },
	{ "podman, rootless",
	  "0::/user.slice/user-1000.slice/user@1000.service/user.slice/libpod-" ID ".scope/container\n" },
	{ "podman, cgroupfs driver", "0::/libpod_parent/libpod-" ID "\n" },
	{ "seen from a sibling's namespace", "0::/../cri-containerd-" ID ".scope\n" },
	{ "ECS", "1:cpu:/ecs/0123456789abcdef0123456789abcdef/" ID "\n" },
	{ "no newline at the end", "0::/docker/" ID },
};

Test(container, the_id_is_found_whoever_made_the_group)
{
	for (size_t i = 0; i < COUNT(contained); i++) {
		char id[CONTAINER_ID_SIZE] = "x";

		container_id(contained[i].cgroup, id);
		expect_text(id, ID, "%s", contained[i].what);
	}
}

static const struct {
	const char *what;
	const char *cgroup;
} plain[] = {
	{ "nothing", "" },
	{ "the root group", "0::/\n" },
	{ "a service", "0::/system.slice/rabbitmq-server.service\n" },
	{ "a session", "0::/user.slice/user-1000.slice/session-3.scope\n" },
	{ "a service, hybrid", "12:pids:/system.slice/ejabberd.service\n"
			       "1:name=systemd:/system.slice/ejabberd.service\n0::/\n" },
	{ "a short id", "0::/docker/0123456789ab\n" },
	{ "63 digits", "0::/docker/123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef\n" },
	{ "65 digits", "0::/docker/" ID "0\n" },
	{ "128 digits", "0::/docker/" ID ID "\n" },
	{ "capitals", "0::/docker/0123456789ABCDEF0123456789ABCDEF0123456789ABCDEF0123456789ABCDEF\n" },
	{ "a pod's id only", "0::/kubepods/besteffort/" POD_DASHES "\n" },
};

Test(container, there_is_no_id_outside_of_containers)
{
	for (size_t i = 0; i < COUNT(plain); i++) {
		char id[CONTAINER_ID_SIZE] = "x";

		container_id(plain[i].cgroup, id);
		expect_text(id, "", "%s", plain[i].what);
	}
}

Test(container, a_text_of_digits_alone_is_read_to_its_end)
{
	static char cgroup[1 << 16];
	char id[CONTAINER_ID_SIZE];

	memset(cgroup, 'a', sizeof(cgroup) - 1);
	container_id(cgroup, id);
	expect_text(id, "");
}
