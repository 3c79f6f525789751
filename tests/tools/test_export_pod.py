"""The agent finds nodes in pods, names them without an API server, and follows them over restarts."""
import os

from lib import Node, STOCK, unique, wait_until
from pods import CART, CART_0, CART_1, Agent, Kubelet, Pod

TALK = ("[spawn(fun F() -> receive {P, N} -> P ! N end, F() end) || _ <- [1]], "
        "E = spawn(timer, tc, [fun L() -> receive {From, X} -> From ! X, L() end end]), "
        "[begin E ! {self(), X}, receive X -> ok end end || X <- lists:seq(1, 1000)], ok")


def watched(kubelet):
    """Nothing but our nodes."""
    return ["--pod-logs", kubelet.logs, "--tools", "sched-latency", "--node", CART]


def of_pod(agent, name):
    return [t for t in agent.targets() if t["pod"] == name and t["alive"]]


def wait_for_talk(agent, **labels):
    """What was read less than a second ago is not read again for another scrape."""
    wait_until("1000 waits are counted",
               lambda: agent.value("erlbpf_sched_latency_seconds_count", name="timer:tc/1", **labels) >= 1000)


def by_name(agent, pod):
    """Count of each series of the pod by its label "name": all its other labels must be as expected."""
    series = agent.series("erlbpf_sched_latency_seconds_count", pod=pod)
    others = {"node": CART + "@" + pod, "otp": "25", "namespace": "shop", "pod": pod, "container": "erlang"}
    assert all(dict(labels, name="") == dict(others, name="") for labels, _ in series), series
    return {labels["name"]: count for labels, count in series}


def test_a_pod_is_found_traced_and_named_and_one_that_starts_later_too():
    with Kubelet() as kubelet:
        with Pod(kubelet, "shop", CART_0) as first, \
                Agent(*watched(kubelet)) as agent:
            wait_until("the pod is traced", lambda: of_pod(agent, CART_0))
            target = of_pod(agent, CART_0)[0]
            assert target["os_pid"] == first.beam() and target["sites"] > 0, target
            assert (target["namespace"], target["container"], target["node"]) == ("shop", "erlang", CART + "@" + CART_0)
            first.eval(TALK)
            wait_for_talk(agent, pod=CART_0, namespace="shop", container="erlang", node=CART + "@" + CART_0)

            with Pod(kubelet, "shop", CART_1) as second:
                wait_until("the later pod is traced", lambda: of_pod(agent, CART_1))
                second.eval(TALK)
                wait_for_talk(agent, pod=CART_1, node=CART + "@" + CART_1)
            agent.stop()


def test_counts_of_nodes_with_the_same_name_go_to_the_pod_of_each():
    with Kubelet() as kubelet:
        with Pod(kubelet, "shop", CART_0) as one, Pod(kubelet, "store", CART_0) as other, \
                Agent("--pod-logs", kubelet.logs, "--tools", "births", "--node", CART) as agent:
            wait_until("both are traced", lambda: {t["namespace"] for t in agent.targets()} == {"shop", "store"})
            assert {t["node"] for t in agent.targets()} == {CART + "@" + CART_0}, agent.targets()
            spawned = lambda namespace: agent.value("erlbpf_processes_spawned_total", namespace=namespace)
            before = spawned("shop"), spawned("store")
            one.eval("[spawn(fun() -> ok end) || _ <- lists:seq(1, 1000)], ok")
            other.eval("[spawn(fun() -> ok end) || _ <- lists:seq(1, 300)], ok")
            wait_until("all are counted", lambda: spawned("shop") + spawned("store") - sum(before) >= 1300)
            assert 1000 <= spawned("shop") - before[0] < 1100, (before, spawned("shop"), spawned("store"))
            assert 300 <= spawned("store") - before[1] < 400, (before, spawned("shop"), spawned("store"))
            agent.stop()


def test_the_series_of_a_restarted_container_go_on():
    with Kubelet() as kubelet, Agent(*watched(kubelet)) as agent:
        with Pod(kubelet, "shop", CART_0) as pod:
            wait_until("the pod is traced", lambda: of_pod(agent, CART_0))
            pod.eval(TALK)
            uid = pod.uid
            wait_for_talk(agent, pod=CART_0)
            before = by_name(agent, CART_0)
        wait_until("its end is seen", lambda: not of_pod(agent, CART_0))
        with Pod(kubelet, "shop", CART_0, uid=uid) as pod:
            wait_until("the pod is traced again", lambda: of_pod(agent, CART_0))
            pod.eval(TALK)
            wait_until("the same series counts on", lambda: by_name(agent, CART_0)["timer:tc/1"] >=
                       before["timer:tc/1"] + 1000)
        agent.stop()


def test_names_that_the_kubelet_writes_late_are_found_and_else_the_pod_says_its_own():
    with Kubelet() as kubelet, Agent(*watched(kubelet)) as agent:
        with Pod(kubelet, "shop", CART_0, with_logs=False) as pod:
            wait_until("the pod says its name", lambda: of_pod(agent, CART_0))
            assert of_pod(agent, CART_0)[0]["namespace"] == ""
            kubelet.write_logs(pod)
            wait_until("the kubelet's names are read",
                       lambda: of_pod(agent, CART_0)[0]["namespace"] == "shop")
            assert of_pod(agent, CART_0)[0]["container"] == "erlang"
        agent.stop()


def test_a_name_of_a_pod_that_is_none_is_not_shown():
    with Kubelet() as kubelet, Agent(*watched(kubelet)) as agent:
        with Pod(kubelet, "shop", CART_0, with_logs=False, env={"HOSTNAME": 'x"} 1\nerlbpf_evil 1 \033[2J'}) as pod:
            wait_until("it is traced", lambda: any(t["os_pid"] == pod.beam() for t in agent.targets()))
            assert [t["pod"] for t in agent.targets()] == [""]
            assert "evil" not in agent.get("/metrics")
        agent.stop()


def test_a_node_in_no_pod_has_no_labels_of_one():
    name = unique("plain")
    with Node(STOCK, "-sname", name, env={"HOSTNAME": "machine"}) as node, \
            Agent("--tools", "sched-latency", "--node", name) as agent:
        wait_until("it is traced", lambda: any(t["os_pid"] == node.pid for t in agent.targets()))
        node.eval(TALK)
        wait_for_talk(agent)
        series = agent.series("erlbpf_sched_latency_seconds_count", node=name + "@" + os.uname().nodename.split(".")[0])
        assert series and all(set(labels) == {"node", "otp", "name"} for labels, _ in series), series
        agent.stop()
