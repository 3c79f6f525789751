"""The agent with the capabilities of the DaemonSet and none more, and without each of them; what it gives up."""
import subprocess

from lib import ERLBPF, LIMIT, status_of, wait_until
from pods import CART, CART_0, CART_1, Agent, Kubelet, Pod

NEEDED = ["bpf", "perfmon", "sys_ptrace", "dac_read_search"]
NUMBERS = {"bpf": 39, "perfmon": 38, "sys_ptrace": 19, "dac_read_search": 2}
TALK = "lists:foldl(fun(X, _) -> self() ! X, receive X -> ok end end, ok, lists:seq(1, 1000))"


def only(capabilities):
    return ["setpriv", "--bounding-set=-all" + "".join(",+" + c for c in capabilities), "--inh-caps=-all", "--"]


def watched(kubelet):
    return ["--pod-logs", kubelet.logs, "--tools", "mailbox", "--node", CART]


def of_pod(agent, name):
    return [t for t in agent.targets() if t["pod"] == name and t["alive"]]


def messages(agent, pod):
    return agent.value("erlbpf_mailbox_wait_seconds_count", pod=pod)


def named(agent, pod):
    """Names of its processes that were told apart."""
    return {labels["name"] for labels, _ in agent.series("erlbpf_mailbox_wait_seconds_count", pod=pod)} - {"other"}


def check_pod(agent, pod):
    wait_until("%s is traced" % pod.name, lambda: of_pod(agent, pod.name))
    target = of_pod(agent, pod.name)[0]
    assert (target["namespace"], target["container"], target["node"]) == ("shop", "erlang", CART + "@" + pod.name)
    pod.eval(TALK)
    wait_until("its messages are counted", lambda: messages(agent, pod.name) >= 1000)
    assert named(agent, pod.name) & {"code_server", "user", "erl_prim_loader", "kernel_sup"}, named(agent, pod.name)


def test_four_capabilities_are_all_that_it_takes_for_pods_of_other_users_and_later_ones():
    with Kubelet() as kubelet, Pod(kubelet, "shop", CART_0, user=65534) as first:
        with Agent(*watched(kubelet), prefix=only(NEEDED)) as agent:
            check_pod(agent, first)
            with Pod(kubelet, "shop", CART_1, user=65533) as second:
                check_pod(agent, second)
            log = agent.stop()
    assert "missing" not in log and "cannot" not in log, log


def test_a_capability_that_is_missing_is_named():
    for capability in NEEDED[:3]:
        done = subprocess.run(only([c for c in NEEDED if c != capability]) +
                              [ERLBPF, "export", "--listen", "127.0.0.1:0", "--node", CART], capture_output=True, text=True,
                              timeout=LIMIT)
        assert done.returncode == 4 and capability.upper() in done.stderr, (capability, done)


def test_without_reading_others_files_log_and_targets_say_so_and_what_is_left_works():
    with Kubelet() as kubelet, Pod(kubelet, "shop", CART_0, user=65534) as pod, \
            Pod(kubelet, "shop", CART_1, user=65534, with_logs=False) as unknown:
        with Agent(*watched(kubelet), prefix=only(NEEDED[:3])) as agent:
            check_pod(agent, pod)
            targets = {t["os_pid"]: t for t in agent.targets()}
            assert "problem" not in targets[pod.beam()]
            assert "DAC_READ_SEARCH" in targets[unknown.beam()]["problem"] and not targets[unknown.beam()]["pod"]
            log = agent.stop()
    assert "the capability DAC_READ_SEARCH is missing" in log, log


def test_what_is_not_needed_is_given_up():
    with Kubelet() as kubelet, Agent(*watched(kubelet)) as agent:
        now = status_of(agent.pid)
        kept = sum(1 << NUMBERS[c] for c in NEEDED)
        for held in ("CapPrm", "CapEff"):
            assert int(now[held], 16) == kept, (held, now[held])
        assert int(now["CapBnd"], 16) == int(now["CapInh"], 16) == int(now["CapAmb"], 16) == 0
        assert now["NoNewPrivs"] == "1" and now["Seccomp"] == "2", now
        with Pod(kubelet, "shop", CART_0, user=65534) as pod:
            check_pod(agent, pod)
        agent.stop()


def test_without_the_filter_the_rest_is_given_up_all_the_same():
    with Agent("--tools", "mailbox", "--node", CART, "--no-seccomp") as agent:
        now = status_of(agent.pid)
        assert now["Seccomp"] == "0" and now["NoNewPrivs"] == "1", now
        assert int(now["CapEff"], 16) == sum(1 << n for n in NUMBERS.values())
        agent.stop()
