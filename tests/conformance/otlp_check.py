"""Checks an OTLP/HTTP JSON trace request from standard input against the published messages (opentelemetry-proto).

Says "ok: N spans", or what is wrong with exit status 1: first what OTLP's JSON form asks beyond plain ProtoJSON."""

import base64
import json
import string
import sys

from google.protobuf import json_format
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

IDS = {"traceId": 32, "spanId": 16, "parentSpanId": 16}
ENUMS = {"kind": range(6), "code": range(3)}
LONGS = {"startTimeUnixNano", "endTimeUnixNano", "timeUnixNano", "intValue"}


def plain(value, path, faults):
    """The value with ids in base64, as ProtoJSON has bytes; what breaks OTLP's own rules goes to faults."""
    if isinstance(value, list):
        return [plain(each, f"{path}[{number}]", faults) for number, each in enumerate(value)]
    if not isinstance(value, dict):
        return value
    made = {}
    for name, each in value.items():
        place = f"{path}.{name}"
        if "_" in name:
            faults.append(f"{place}: key is not lowerCamelCase")
        if name in IDS:
            sound = len(each or "") == IDS[name] and set(each) <= set(string.hexdigits) and each.strip("0")
            if sound:
                each = base64.b64encode(bytes.fromhex(each)).decode()
            else:
                faults.append(f"{place}: {each!r} is not a non-zero {IDS[name]}-digit hex id")
        elif name in ENUMS and not (isinstance(each, int) and each in ENUMS[name]):
            faults.append(f"{place}: enum must be an integer, got {each!r}")
        elif name in LONGS and not (isinstance(each, str) and each.lstrip("-").isdigit()):
            faults.append(f"{place}: 64-bit integer must be a decimal string, got {each!r}")
        elif name == "attributes" and len({attribute.get("key") for attribute in each}) != len(each):
            faults.append(f"{place}: attribute keys repeat")
        made[name] = plain(each, place, faults)
    return made


def main():
    faults = []
    value = plain(json.loads(sys.stdin.read()), "$", faults)
    request = ExportTraceServiceRequest()
    try:
        json_format.ParseDict(value, request, ignore_unknown_fields=False)
    except json_format.ParseError as fault:
        faults.append(str(fault))
    spans = []
    for resource in request.resource_spans:
        if not any(attribute.key == "service.name" for attribute in resource.resource.attributes):
            faults.append("resource has no service.name")
        spans += [span for scope in resource.scope_spans for span in scope.spans]
    for span in spans:
        if not span.name or not 0 < span.start_time_unix_nano <= span.end_time_unix_nano:
            faults.append(f"span {span.name!r}: name or times")
    print("\n".join(faults) or f"ok: {len(spans)} spans")
    sys.exit(bool(faults))


main()
