"""A strict check of Kubernetes manifests: a field that is not in the trees below is an error, as is a value of
another type. The trees hold what docs/deploy/ uses and what stands beside it in Kubernetes 1.32 and
prometheus-operator 0.80. They are kept here since neither `kubectl --dry-run=client`, which asks a server, nor any
other checker is in Debian.

A type is a class; [T] a list of T; {"*": T} a map from any name to T; {NAME: T} an object, in which fields marked
"NAME!" must be there; a set of words one of them; (T, U) either."""
import re

QUANTITY = re.compile(r"^[0-9]+(\.[0-9]+)?(m|k|M|G|Ki|Mi|Gi)?$")
DURATION = re.compile(r"^([0-9]+h)?([0-9]+m)?([0-9]+s)?([0-9]+ms)?$")
NAME = re.compile(r"^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$")
LABEL = re.compile(r"^([a-z0-9.-]+/)?[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$")
PORT_NAME = re.compile(r"^[a-z0-9-]{1,15}$")
PORT = (int, PORT_NAME)
TEXTS = {"*": str}
CAPABILITY = re.compile(r"^(ALL|AUDIT_WRITE|BPF|CHECKPOINT_RESTORE|CHOWN|DAC_OVERRIDE|DAC_READ_SEARCH|FOWNER|IPC_LOCK|"
                        r"KILL|NET_ADMIN|NET_BIND_SERVICE|NET_RAW|PERFMON|SETFCAP|SETGID|SETPCAP|SETUID|SYS_ADMIN|"
                        r"SYS_CHROOT|SYS_NICE|SYS_PTRACE|SYS_RESOURCE|SYSLOG)$")

META = {"name": NAME, "generateName": str, "namespace": NAME, "labels": TEXTS, "annotations": TEXTS}
TOP_META = dict(META, **{"name!": NAME})
SELECTOR = {"matchLabels": TEXTS,
            "matchExpressions": [{"key!": str, "operator!": {"In", "NotIn", "Exists", "DoesNotExist"},
                                  "values": [str]}]}
PROFILE = {"type!": {"RuntimeDefault", "Unconfined", "Localhost"}, "localhostProfile": str}
PROBE = {"httpGet": {"path": str, "port!": PORT, "host": str, "scheme": {"HTTP", "HTTPS"},
                     "httpHeaders": [{"name!": str, "value!": str}]},
         "exec": {"command": [str]}, "tcpSocket": {"port!": PORT, "host": str},
         "grpc": {"port!": int, "service": str},
         "initialDelaySeconds": int, "timeoutSeconds": int, "periodSeconds": int, "successThreshold": int,
         "failureThreshold": int, "terminationGracePeriodSeconds": int}
RESOURCES = {"cpu": QUANTITY, "memory": QUANTITY, "ephemeral-storage": QUANTITY}
CONTAINER = {
    "name!": NAME, "image": str, "imagePullPolicy": {"Always", "IfNotPresent", "Never"}, "command": [str], "args": [str],
    "workingDir": str,
    "env": [{"name!": str, "value": str,
             "valueFrom": {"fieldRef": {"fieldPath!": str, "apiVersion": str},
                           "configMapKeyRef": {"name": str, "key!": str, "optional": bool}}}],
    "ports": [{"name": PORT_NAME, "containerPort!": int, "hostPort": int, "hostIP": str,
               "protocol": {"TCP", "UDP", "SCTP"}}],
    "resources": {"requests": RESOURCES, "limits": RESOURCES},
    "volumeMounts": [{"name!": NAME, "mountPath!": str, "readOnly": bool, "subPath": str, "mountPropagation": str,
                      "recursiveReadOnly": str}],
    "livenessProbe": PROBE, "readinessProbe": PROBE, "startupProbe": PROBE,
    "lifecycle": {"preStop": {"exec": {"command": [str]}}, "postStart": {"exec": {"command": [str]}}},
    "terminationMessagePath": str, "terminationMessagePolicy": str, "stdin": bool, "tty": bool,
    "securityContext": {"privileged": bool, "allowPrivilegeEscalation": bool, "readOnlyRootFilesystem": bool,
                        "runAsUser": int, "runAsGroup": int, "runAsNonRoot": bool, "procMount": str,
                        "capabilities": {"add": [CAPABILITY], "drop": [CAPABILITY]}, "seccompProfile": PROFILE,
                        "appArmorProfile": PROFILE,
                        "seLinuxOptions": {"level": str, "role": str, "type": str, "user": str}},
}
POD = {
    "serviceAccountName": NAME, "automountServiceAccountToken": bool, "enableServiceLinks": bool, "hostPID": bool,
    "hostNetwork": bool, "hostIPC": bool, "hostUsers": bool, "shareProcessNamespace": bool, "dnsPolicy": str,
    "restartPolicy": {"Always"}, "terminationGracePeriodSeconds": int, "priorityClassName": str, "nodeSelector": TEXTS,
    "tolerations": [{"key": str, "operator": {"Exists", "Equal"}, "value": str, "tolerationSeconds": int,
                     "effect": {"NoSchedule", "PreferNoSchedule", "NoExecute"}}],
    "imagePullSecrets": [{"name!": NAME}], "containers!": [CONTAINER], "initContainers": [CONTAINER],
    "securityContext": {"runAsUser": int, "runAsGroup": int, "runAsNonRoot": bool, "fsGroup": int,
                        "supplementalGroups": [int], "seccompProfile": PROFILE, "appArmorProfile": PROFILE},
    "volumes": [{"name!": NAME, "emptyDir": {"medium": str, "sizeLimit": QUANTITY},
                 "hostPath": {"path!": str, "type": {"", "Directory", "DirectoryOrCreate", "File", "Socket"}},
                 "configMap": {"name": NAME, "optional": bool, "defaultMode": int,
                               "items": [{"key!": str, "path!": str, "mode": int}]}}],
}
PEER = {"podSelector": SELECTOR, "namespaceSelector": SELECTOR, "ipBlock": {"cidr!": str, "except": [str]}}
POLICY_PORT = {"port": PORT, "endPort": int, "protocol": {"TCP", "UDP", "SCTP"}}
RELABEL = {"sourceLabels": [str], "separator": str, "targetLabel": str, "regex": str, "modulus": int,
           "replacement": str,
           "action": {"replace", "keep", "drop", "hashmod", "labelmap", "labeldrop", "labelkeep", "lowercase",
                      "uppercase", "keepequal", "dropequal"}}
ENDPOINT = {"port": PORT_NAME, "portNumber": int, "path": str, "scheme": {"http", "https"},
            "params": {"*": [str]}, "interval": DURATION, "scrapeTimeout": DURATION, "honorLabels": bool,
            "honorTimestamps": bool, "trackTimestampsStaleness": bool, "relabelings": [RELABEL],
            "metricRelabelings": [RELABEL], "followRedirects": bool, "enableHttp2": bool, "filterRunning": bool}
RULE = {"record": str, "alert": str, "expr!": (str, int), "for": DURATION, "keep_firing_for": DURATION,
        "labels": TEXTS, "annotations": TEXTS}

KINDS = {
    ("v1", "Namespace"): {"metadata!": TOP_META},
    ("v1", "ServiceAccount"): {"metadata!": TOP_META, "automountServiceAccountToken": bool,
                               "imagePullSecrets": [{"name!": NAME}]},
    ("v1", "ConfigMap"): {"metadata!": TOP_META, "data": TEXTS, "binaryData": TEXTS, "immutable": bool},
    ("apps/v1", "DaemonSet"): {
        "metadata!": TOP_META,
        "spec!": {"selector!": SELECTOR, "minReadySeconds": int, "revisionHistoryLimit": int,
                  "updateStrategy": {"type": {"RollingUpdate", "OnDelete"},
                                     "rollingUpdate": {"maxUnavailable": (int, str), "maxSurge": (int, str)}},
                  "template!": {"metadata": META, "spec!": POD}}},
    ("networking.k8s.io/v1", "NetworkPolicy"): {
        "metadata!": TOP_META,
        "spec!": {"podSelector!": SELECTOR, "policyTypes": [{"Ingress", "Egress"}],
                  "ingress": [{"from": [PEER], "ports": [POLICY_PORT]}],
                  "egress": [{"to": [PEER], "ports": [POLICY_PORT]}]}},
    ("monitoring.coreos.com/v1", "PodMonitor"): {
        "metadata!": TOP_META,
        "spec!": {"jobLabel": str, "podTargetLabels": [str], "podMetricsEndpoints!": [ENDPOINT], "selector!": SELECTOR,
                  "namespaceSelector": {"any": bool, "matchNames": [str]}, "sampleLimit": int, "targetLimit": int,
                  "labelLimit": int, "attachMetadata": {"node": bool}, "scrapeProtocols": [str]}},
    ("monitoring.coreos.com/v1", "PrometheusRule"): {
        "metadata!": TOP_META,
        "spec!": {"groups": [{"name!": str, "interval": DURATION, "limit": int, "labels": TEXTS,
                              "query_offset": DURATION, "partial_response_strategy": str, "rules": [RULE]}]}},
}


class Bad(Exception):
    """Says where, and what is wrong there."""


def check_object(value, tree, where):
    if not isinstance(value, dict):
        raise Bad("%s is no object: %r" % (where, value))
    fields = {name.rstrip("!"): kind for name, kind in tree.items()}
    for name in value:
        if name not in fields and "*" not in fields:
            raise Bad("%s has no field %s; there is %s" % (where, name, ", ".join(sorted(fields))))
        check(value[name], fields.get(name, fields.get("*")), "%s.%s" % (where, name))
    for name in tree:
        if name.endswith("!") and name[:-1] not in value:
            raise Bad("%s lacks %s" % (where, name[:-1]))


def check(value, kind, where):
    if isinstance(kind, dict):
        check_object(value, kind, where)
    elif isinstance(kind, list):
        if not isinstance(value, list):
            raise Bad("%s is no list: %r" % (where, value))
        for i, item in enumerate(value):
            check(item, kind[0], "%s[%d]" % (where, i))
    elif isinstance(kind, tuple):
        if not any(is_a(value, one, where) for one in kind):
            raise Bad("%s cannot be %r" % (where, value))
    elif isinstance(kind, set):
        if value not in kind:
            raise Bad("%s is %r and not one of %s" % (where, value, ", ".join(sorted(kind))))
    elif isinstance(kind, re.Pattern):
        if not isinstance(value, (str, int)) or isinstance(value, bool) or not kind.match(str(value)):
            raise Bad("%s cannot be %r" % (where, value))
    elif type(value) is not kind:
        raise Bad("%s is %r and no %s" % (where, value, kind.__name__))


def is_a(value, kind, where):
    try:
        check(value, kind, where)
        return True
    except Bad:
        return False


def check_labels(labels, where):
    for name, value in labels.items():
        if not LABEL.match(name) or (value and not LABEL.match(value)) or len(value) > 63:
            raise Bad("%s cannot be %s: %s" % (where, name, value))


def check_pod(template, selector, where):
    """What the fields do not say: names that must be defined where they are used."""
    labels, pod = template["metadata"]["labels"], template["spec"]
    volumes = {volume["name"] for volume in pod.get("volumes", [])}
    check_labels(labels, where)
    if not selector.items() <= labels.items():
        raise Bad("%s: the selector %s does not select its own pods" % (where, selector))
    for container in pod["containers"]:
        ports = {port.get("name") for port in container.get("ports", [])}
        for mount in container.get("volumeMounts", []):
            if mount["name"] not in volumes:
                raise Bad("%s: there is no volume %s" % (where, mount["name"]))
        for probe in ("livenessProbe", "readinessProbe", "startupProbe"):
            port = container.get(probe, {}).get("httpGet", {}).get("port")
            if isinstance(port, str) and port not in ports:
                raise Bad("%s: there is no port %s" % (where, port))


def check_manifest(manifest):
    kind = (manifest.get("apiVersion"), manifest.get("kind"))
    if kind not in KINDS:
        raise Bad("%s %s is not known" % kind)
    where = manifest["kind"]
    check_object(manifest, dict(KINDS[kind], **{"apiVersion!": str, "kind!": str}), where)
    check_labels(manifest["metadata"].get("labels", {}), where)
    if where == "DaemonSet":
        check_pod(manifest["spec"]["template"], manifest["spec"]["selector"]["matchLabels"], where)
