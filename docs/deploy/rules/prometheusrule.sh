#!/bin/sh
# The PrometheusRule of a file of rules: prometheusrule.sh < erlbpf.rules.yaml
cat <<'HEAD'
# Made from erlbpf.rules.yaml by `make docs`; do not edit.
apiVersion: monitoring.coreos.com/v1
kind: PrometheusRule
metadata:
  name: erlbpf
  labels:
    app.kubernetes.io/name: erlbpf
spec:
HEAD
sed -e '/^#/d' -e 's/^/  /'
