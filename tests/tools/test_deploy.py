"""docs/deploy/: the manifests render and hold no field that Kubernetes does not know; the rules and the dashboard
ask for metrics that the agent has."""
import contextlib
import copy
import functools
import glob
import json
import os
import re
import subprocess
import tempfile
import urllib.request

import manifest
import yaml

from lib import ERLBPF, LIMIT, ROOT, STOCK, Node, Process, Trace, over, unique, wait_until
from test_dist import Pair

DEPLOY = os.path.join(ROOT, "docs", "deploy")
OVERLAYS = ["base"] + sorted("overlays/" + os.path.basename(p) for p in glob.glob(DEPLOY + "/overlays/*"))
OPERATED = ["overlays/prometheus-operator", "overlays/scripts", "overlays/seccomp"]
RULES = os.path.join(DEPLOY, "rules", "erlbpf.rules.yaml")
DASHBOARD = os.path.join(DEPLOY, "grafana", "erlbpf.json")


def run(*argv, cwd=ROOT, code=0, limit=LIMIT):
    done = subprocess.run(argv, cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=limit)
    assert done.returncode == code, (argv, done.returncode, done.stdout[-2000:], done.stderr[-2000:])
    return done.stdout.decode("utf-8")


@functools.cache
def rendered(overlay):
    return run("kubectl", "kustomize", os.path.join(DEPLOY, overlay))


def render(overlay):
    return list(yaml.safe_load_all(rendered(overlay)))


def of_kind(manifests, kind):
    return [m for m in manifests if m["kind"] == kind]


@over(OVERLAYS)
def test_the_manifests_render_and_have_known_fields_only(overlay):
    manifests = render(overlay)
    for one in manifests:
        manifest.check_manifest(one)
        if one["kind"] != "Namespace":
            assert one["metadata"]["namespace"] == "erlbpf", one["metadata"]
    kinds = [one["kind"] for one in manifests]
    assert {"Namespace", "ServiceAccount", "DaemonSet"} <= set(kinds)
    assert ("NetworkPolicy" in kinds) == (overlay != "base")
    assert ("PodMonitor" in kinds) == (overlay in OPERATED)
    assert ("erlbpf-scripts" in [one["metadata"]["name"] for one in manifests]) == (overlay == "overlays/scripts")


def with_change(manifests, kind, change):
    one = copy.deepcopy(of_kind(manifests, kind)[0])
    change(one)
    return one


def rename(parent, old, new):
    parent[new] = parent.pop(old)


POD = lambda m: m["spec"]["template"]["spec"]
TYPOS = {
    "hostPid": ("DaemonSet", lambda m: rename(POD(m), "hostPID", "hostPid")),
    "tollerations": ("DaemonSet", lambda m: rename(POD(m), "tolerations", "tollerations")),
    "readOnlyRootFileSystem": ("DaemonSet", lambda m: rename(
        POD(m)["containers"][0]["securityContext"], "readOnlyRootFilesystem", "readOnlyRootFileSystem")),
    "CAP_BPF": ("DaemonSet", lambda m: POD(m)["containers"][0]["securityContext"]["capabilities"]["add"].append(
        "CAP_BPF")),
    "a number as text": ("DaemonSet", lambda m: POD(m).update(terminationGracePeriodSeconds="10")),
    "an unknown volume": ("DaemonSet", lambda m: POD(m)["containers"][0]["volumeMounts"][0].update(name="logs")),
    "an unknown port": ("DaemonSet", lambda m: POD(m)["containers"][0]["livenessProbe"]["httpGet"].update(port="http")),
    "another selector": ("DaemonSet", lambda m: m["spec"]["selector"]["matchLabels"].update(app="x")),
    "no containers": ("DaemonSet", lambda m: POD(m).pop("containers")),
    "automountServiceAccountTokens": ("ServiceAccount", lambda m: rename(
        m, "automountServiceAccountToken", "automountServiceAccountTokens")),
    "honourLabels": ("PodMonitor", lambda m: rename(
        m["spec"]["podMetricsEndpoints"][0], "honorLabels", "honourLabels")),
    "ingres": ("NetworkPolicy", lambda m: rename(m["spec"], "ingress", "ingres")),
    "annotation": ("PrometheusRule", lambda m: rename(
        m["spec"]["groups"][0]["rules"][-1], "annotations", "annotation")),
}


@over(TYPOS)
def test_the_check_of_manifests_fails_on_a_typo(typo):
    kind, change = TYPOS[typo]
    bad = with_change(render("overlays/prometheus-operator"), kind, change)
    try:
        manifest.check_manifest(bad)
    except manifest.Bad:
        return
    raise AssertionError("%s is not found" % typo)


def test_the_agent_has_the_capabilities_it_needs_and_no_others():
    for overlay in OVERLAYS:
        pod = POD(of_kind(render(overlay), "DaemonSet")[0])
        context = pod["containers"][0]["securityContext"]
        assert context["capabilities"] == {
            "drop": ["ALL"], "add": ["BPF", "PERFMON", "SYS_PTRACE", "DAC_READ_SEARCH"]}
        # As nobody, the program has its capabilities of its file, which no_new_privs would forbid.
        assert not context["privileged"] and context["allowPrivilegeEscalation"]
        assert context["runAsNonRoot"] and context["runAsUser"] == context["runAsGroup"] == 65534
        assert context["readOnlyRootFilesystem"] and pod["hostPID"] and "hostNetwork" not in pod
        assert pod["automountServiceAccountToken"] is False
        assert all(mount["readOnly"] for mount in pod["containers"][0]["volumeMounts"])
        assert "cpu" not in pod["containers"][0]["resources"]["limits"]
        expected = "Localhost" if overlay == "overlays/seccomp" else "RuntimeDefault"
        assert context["seccompProfile"]["type"] == expected


def test_the_image_has_the_version_of_the_program():
    image = POD(of_kind(render("base"), "DaemonSet")[0])["containers"][0]["image"]
    assert image == "erlbpf:" + run(ERLBPF, "--version").split()[1], image


@over(OVERLAYS)
def test_the_arguments_of_the_container_are_understood(overlay):
    args = POD(of_kind(render(overlay), "DaemonSet")[0])["containers"][0]["args"]
    assert args[:1] == ["export"] and ("--otlp" in args) == (overlay == "overlays/otlp")
    assert args[args.index("--max-overhead") + 1] == "2%"
    run(ERLBPF, *args, "--help")


def test_the_scripts_are_where_the_agent_looks_for_them_and_say_what_the_files_say():
    manifests = render("overlays/scripts")
    pod = POD(of_kind(manifests, "DaemonSet")[0])
    args, mounts = pod["containers"][0]["args"], pod["containers"][0]["volumeMounts"]
    mount = [one for one in mounts if one["mountPath"] == args[args.index("--script") + 1]][0]
    config = [one for one in pod["volumes"] if one["name"] == mount["name"]][0]["configMap"]["name"]
    data = [one for one in of_kind(manifests, "ConfigMap") if one["metadata"]["name"] == config][0]["data"]
    files = sorted(glob.glob(DEPLOY + "/scripts/*.d"))
    assert len(files) >= 2 and sorted(data) == [os.path.basename(file) for file in files]
    for file in files:
        with open(file) as text:
            assert text.read() == data[os.path.basename(file)], file


# Rules and dashboard.

def test_the_rules_are_well_formed_and_alert_when_they_should():
    run("promtool", "check", "rules", RULES)
    run("promtool", "test", "rules", RULES.replace(".yaml", ".test.yaml"))


def test_every_alert_has_a_unit_test():
    with open(RULES) as rules, open(RULES.replace(".yaml", ".test.yaml")) as tests:
        alerts = {rule["alert"] for group in yaml.safe_load(rules)["groups"] for rule in group["rules"]
                  if "alert" in rule}
        fire = {case["alertname"] for one in yaml.safe_load(tests)["tests"] for case in one["alert_rule_test"]
                if case["exp_alerts"]}
    assert alerts == fire, alerts ^ fire


def test_the_prometheusrule_is_made_of_the_rules():
    with open(RULES) as rules:
        own = yaml.safe_load(rules)
    assert of_kind(render("overlays/prometheus-operator"), "PrometheusRule")[0]["spec"] == own


def dashboard():
    with open(DASHBOARD) as file:
        return json.load(file)


def expressions():
    """All of the rules and the dashboard, variables of the latter replaced by what they may be."""
    with open(RULES) as rules:
        found = [rule["expr"] for group in yaml.safe_load(rules)["groups"] for rule in group["rules"]]
    for panel in dashboard()["panels"]:
        found += [target["expr"].replace("$__rate_interval", "1m") for target in panel.get("targets", [])]
    return [re.sub(r"\$(namespace|pod|node)", ".*", one) for one in found]


def test_the_dashboard_is_what_grafana_reads():
    board = dashboard()
    assert {"uid", "title", "schemaVersion", "panels", "templating", "time"} <= set(board)
    variables = {one["name"] for one in board["templating"]["list"]}
    used = set(re.findall(r"\$\{?([a-z_]+)\}?", json.dumps(board["panels"])))
    assert used <= variables | {"__rate_interval"}, used - variables
    ids = [panel["id"] for panel in board["panels"]]
    assert len(ids) == len(set(ids))
    taken = set()
    for panel in board["panels"]:
        place = panel["gridPos"]
        cells = {(x, y) for x in range(place["x"], place["x"] + place["w"])
                 for y in range(place["y"], place["y"] + place["h"])}
        assert place["x"] + place["w"] <= 24 and not cells & taken, panel["title"]
        taken |= cells
        assert panel["title"] and panel["type"] in ("row", "timeseries", "heatmap", "bargauge", "stat", "table")
        if panel["type"] != "row":
            assert panel["targets"] and panel["description"], panel["title"]


def test_every_expression_of_the_dashboard_parses():
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "rules.yaml")
        with open(path, "w") as file:
            yaml.safe_dump({"groups": [{"name": "all", "rules": [
                {"record": "a:b%d" % i, "expr": one} for i, one in enumerate(expressions())]}]}, file)
        run("promtool", "check", "rules", path)
        with open(path, "a") as file:
            file.write("- name: bad\n  rules:\n  - {record: x, expr: 'sum by (rate('}\n")
        run("promtool", "check", "rules", path, code=1)


class Agent(Trace):
    """erlbpf export, once it serves."""

    def __init__(self, *args, prefix=(), env=None, program=ERLBPF, **more):
        Process.__init__(self, list(prefix) + [program, "export", "--listen", "127.0.0.1:0"] + list(args),
                         stderr=subprocess.PIPE, env=env, **more)
        self.stderr = []
        self.port = int(re.search(r"port (\d+)", self.wait_for("Serving")).group(1))

    def get(self, path):
        with urllib.request.urlopen("http://127.0.0.1:%d%s" % (self.port, path), timeout=LIMIT) as answer:
            return answer.read().decode("utf-8")


# When scrapes are taken for promtool, in minutes. What is in them is what the agent served; the time between them is
# stretched, as the alert has to hold for five minutes.
SCRAPED = [0, 3, 6, 9, 12]


def series_of(scrapes):
    """input_series of promtool: every series of the agent with its value in each scrape, "_" where it is missing."""
    values = {}
    for i, text in enumerate(scrapes):
        for series, value in re.findall(r"^(erlbpf_\w+(?:\{.*\})?) (\S+)(?: \d+)?$", text, re.M):
            values.setdefault(series, ["_"] * len(scrapes))[i] = value
    return [{"series": series, "values": " ".join(found)} for series, found in values.items()]


def rule_of(alert):
    with open(RULES) as rules:
        return next(rule for group in yaml.safe_load(rules)["groups"] for rule in group["rules"] if rule.get("alert") == alert)


def duration_of(seconds):
    """As Prometheus's humanizeDuration writes one of less than an hour."""
    if seconds >= 60:
        return "%dm %ds" % (seconds // 60, seconds % 60)
    return "%.4gs" % seconds if seconds >= 1 else "%.4gms" % (seconds * 1000)


def stuck_alerts(node, waited):
    """What promtool is to say before the alert and when it fires, in these words."""
    rule = rule_of("ErlangMailboxStuck")
    annotations = {"summary": "a message has waited for %s in a mailbox on %s" % (duration_of(waited), node),
                   "description": rule["annotations"]["description"]}
    fires = {"exp_labels": {"severity": "warning", "node": node}, "exp_annotations": annotations}
    return [{"eval_time": "%dm" % minute, "alertname": "ErlangMailboxStuck", "exp_alerts": alerts}
            for minute, alerts in ((2, []), (7, []), (SCRAPED[-1], [fires]))]


def ages_in(text):
    return [float(age) for age in re.findall(r"^erlbpf_mailbox_oldest_waiting_seconds\{.*\} (\S+)", text, re.M)]


def scrape_a_stuck_node(name, is_next):
    """Its whole name, and scrapes of the agent: another one as soon as is_next(age, number of those before) says so of
    how long the message has waited in it."""
    with Node(STOCK, "-sname", name) as node:
        agent = Agent("--tools", "mailbox", "--node", name)
        node.eval("register(stuck, spawn(fun() -> receive never -> ok end end)), ok")
        wait_until("it is traced", lambda: 'erlbpf_target_up{node="%s@' % name in agent.get("/metrics"))
        node.eval("stuck ! hello")
        scrapes = []

        def has_all():
            text = agent.get("/metrics")
            if ages_in(text) and is_next(ages_in(text)[0], [ages_in(one)[0] for one in scrapes]):
                scrapes.append(text)
            return len(scrapes) == len(SCRAPED)

        wait_until("it was scraped", has_all)
        agent.stop()
        return node.eval("node()").strip("'"), scrapes


def check_the_alert(folder, node, scrapes, rules):
    ages = [ages_in(one)[0] for one in scrapes]
    test = {"rule_files": [rules], "evaluation_interval": "1m", "tests": [
        {"interval": "3m", "input_series": series_of(scrapes), "alert_rule_test": stuck_alerts(node, ages[-1])}]}
    path = os.path.join(folder, "stuck.test.yaml")
    with open(path, "w") as file:
        yaml.safe_dump(test, file)
    run("promtool", "test", "rules", path)
    # promtool reads these series: without them, nothing fires.
    test["tests"][0]["input_series"] = [one for one in test["tests"][0]["input_series"] if "oldest_waiting" not in one["series"]]
    with open(path, "w") as file:
        yaml.safe_dump(test, file)
    run("promtool", "test", "rules", path, code=1)


def test_the_alert_of_a_stuck_mailbox_fires_on_what_the_agent_serves_of_a_stuck_node():
    """By the rule as it is, but for the half minute: it is what was between the first two scrapes. timing/test_deploy.py
    waits for half a minute."""
    node, scrapes = scrape_a_stuck_node(unique("deploy_stuck"), lambda age, before: not before or age > before[-1])
    ages = [ages_in(one)[0] for one in scrapes]
    assert ages == sorted(set(ages)), ages
    with tempfile.TemporaryDirectory() as folder:
        rules = os.path.join(folder, "rules.yaml")
        with open(RULES) as text, open(rules, "w") as file:
            own = text.read()
            assert own.count("erlbpf_mailbox_oldest_waiting_seconds) > 30\n") == 1, own
            file.write(own.replace("erlbpf_mailbox_oldest_waiting_seconds) > 30\n",
                                   "erlbpf_mailbox_oldest_waiting_seconds) > %.17g\n" % ((ages[0] + ages[1]) / 2)))
        check_the_alert(folder, node, scrapes, rules)


def test_every_metric_of_rules_and_dashboard_is_one_of_the_agent():
    asked = set(re.findall(r"\berlbpf_[a-z_]+", " ".join(re.sub(r"node:\w+:\w+", "", one) for one in expressions())))
    assert len(asked) > 10, asked
    # Of an ill node only, after ten seconds: see test_why.py.
    asked -= {"erlbpf_finding"}
    with Pair(STOCK) as pair:
        pair.start_sender()
        near, far = pair.eval("node()").strip("'"), pair.peer.strip("'")
        # Its two nodes, and no others.
        agent = Agent("--node", os.path.commonprefix([near, far]) + "*")
        wait_until("both are traced", lambda: {target["node"] for target in json.loads(agent.get("/targets"))["targets"]} == {near, far})
        pair.eval("Sender ! go")
        pair.eval("receive {took, _} -> ok end")
        pair.eval("[spawn(fun() -> lists:seq(1, 100000) end) || _ <- lists:seq(1, 10)]")
        pair.eval("Stuck = spawn(fun() -> receive never -> ok end end), Stuck ! hello")
        missing = set(asked)

        def has_all():
            missing.difference_update(re.findall(r"^(erlbpf_[a-z_]+)", agent.get("/metrics"), re.M))
            return not missing

        with contextlib.suppress(AssertionError):
            wait_until("all are there", has_all)
        assert not missing, missing
        peers = set(re.findall(r'^erlbpf_dist_suspended_seconds_total{.*node="%s".*peer="([^"]*)"' % re.escape(near), agent.get("/metrics"), re.M))
        assert peers == {far}, peers
        agent.stop()
