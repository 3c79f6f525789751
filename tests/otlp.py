"""OTLP as a receiver sees it: protobuf taken apart by the numbers of fields of opentelemetry-proto, and a server that
answers as it is told."""
import gzip
import http.server
import queue
import ssl
import struct
import subprocess
import threading
import time

from lib import LIMIT

# {number: (name, kind)}; a kind is a word, a dict for a message, or [kind] for a repeated field.
VALUE = {1: ("string", "text")}
PAIR = {1: ("key", "text"), 2: ("value", VALUE)}
NUMBER = {7: ("attributes", [PAIR]), 2: ("start", "fixed64"), 3: ("time", "fixed64"), 4: ("value", "double"),
          6: ("as_int", "fixed64")}
BUCKETS = {1: ("offset", "sint"), 2: ("counts", ["uint"])}
EXPONENTIAL = {1: ("attributes", [PAIR]), 2: ("start", "fixed64"), 3: ("time", "fixed64"), 4: ("count", "fixed64"),
               5: ("sum", "double"), 6: ("scale", "sint"), 7: ("zero_count", "fixed64"), 8: ("positive", BUCKETS),
               9: ("negative", BUCKETS), 14: ("zero_threshold", "double")}
EXPLICIT = {9: ("attributes", [PAIR]), 2: ("start", "fixed64"), 3: ("time", "fixed64"), 4: ("count", "fixed64"),
            5: ("sum", "double"), 6: ("counts", ["fixed64"]), 7: ("bounds", ["double"])}
METRIC = {1: ("name", "text"), 2: ("description", "text"), 3: ("unit", "text"), 5: ("gauge", {1: ("points", [NUMBER])}),
          7: ("sum", {1: ("points", [NUMBER]), 2: ("temporality", "uint"), 3: ("is_monotonic", "uint")}),
          9: ("explicit", {1: ("points", [EXPLICIT]), 2: ("temporality", "uint")}),
          10: ("exponential", {1: ("points", [EXPONENTIAL]), 2: ("temporality", "uint")})}
RESOURCE = {1: ("attributes", [PAIR])}
SCOPE = {1: ("scope", {1: ("name", "text"), 2: ("version", "text")}), 2: ("metrics", [METRIC])}
REQUEST = {1: ("resources", [{1: ("resource", RESOURCE), 2: ("scopes", [SCOPE])}])}

# opentelemetry.proto.collector.profiles.v1development, as of version 1.9; a number that is missing here is an error.
VALUE_TYPE = {1: ("type", "uint"), 2: ("unit", "uint")}
DICTIONARY = {1: ("mappings", [{4: ("file", "uint")}]),
              2: ("locations", [{1: ("mapping", "uint"), 2: ("address", "uint"), 4: ("attributes", ["uint"]),
                                 3: ("lines", [{1: ("function", "uint"), 2: ("line", "uint")}])}]),
              3: ("functions", [{1: ("name", "uint"), 2: ("system_name", "uint"), 3: ("file", "uint")}]),
              4: ("links", [{1: ("trace", "bytes"), 2: ("span", "bytes")}]), 5: ("strings", ["text"]),
              6: ("attributes", [{1: ("key", "uint"), 2: ("value", VALUE), 3: ("unit", "uint")}]),
              7: ("stacks", [{1: ("locations", ["uint"])}])}
PROFILE = {1: ("sample_type", VALUE_TYPE), 3: ("time", "fixed64"), 4: ("duration", "uint"), 5: ("period_type", VALUE_TYPE),
           6: ("period", "uint"), 7: ("id", "bytes"), 2: ("samples", [
               {1: ("stack", "uint"), 2: ("attributes", ["uint"]), 3: ("link", "uint"), 4: ("values", ["uint"])}])}
PROFILES = {2: ("dictionary", DICTIONARY), 1: ("resources", [{1: ("resource", RESOURCE), 2: ("scopes", [
    {1: ("scope", {1: ("name", "text"), 2: ("version", "text")}), 2: ("profiles", [PROFILE])}])}])}

# io.prometheus.client.MetricFamily, of /metrics.
SPAN = {1: ("offset", "sint"), 2: ("length", "uint")}
NATIVE = {1: ("count", "uint"), 2: ("sum", "double"), 3: ("bucket", [{}]), 5: ("schema", "sint"),
          6: ("zero_threshold", "double"), 7: ("zero_count", "uint"), 12: ("spans", [SPAN]), 13: ("deltas", ["sint"])}
PLAIN = {1: ("value", "double")}
FAMILY = {1: ("name", "text"), 2: ("help", "text"), 3: ("type", "uint"),
          4: ("metrics", [{1: ("labels", [{1: ("key", "text"), 2: ("value", "text")}]), 2: ("gauge", PLAIN),
                           3: ("counter", PLAIN), 7: ("histogram", NATIVE)}])}


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 0x7f) << shift
        at, shift = at + 1, shift + 7
        if byte < 0x80:
            return value, at


def scalar(kind, wire, data, at):
    """(value, the place behind it)"""
    if wire == 0:
        value, at = varint(data, at)
        return (value >> 1 ^ -(value & 1) if kind == "sint" else value), at
    assert wire == 1, (kind, wire)
    return struct.unpack_from("<d" if kind == "double" else "<Q", data, at)[0], at + 8


def take(kind, wire, data, at):
    """([value], the place behind it); what is packed has many values."""
    if wire != 2:
        value, at = scalar(kind, wire, data, at)
        return [value], at
    size, at = varint(data, at)
    inner, end = data[at:at + size], at + size
    assert len(inner) == size, "a message ends early"
    if isinstance(kind, dict):
        return [decode(inner, kind)], end
    if kind in ("text", "bytes"):
        return [inner.decode("utf-8") if kind == "text" else inner], end
    values, at = [], 0
    while at < size:
        value, at = scalar(kind, 1 if kind in ("double", "fixed64") else 0, inner, at)
        values.append(value)
    return values, end


def decode(data, fields):
    """A message as a dict. A field that the format does not have is an error, if it is known which the format has."""
    found = {name: [] for name, kind in fields.values() if isinstance(kind, list)}
    at = 0
    while at < len(data):
        tag, at = varint(data, at)
        name, kind = fields[tag >> 3] if fields else ("unknown", "uint")
        values, at = take(kind[0] if isinstance(kind, list) else kind, tag & 7, data, at)
        if isinstance(kind, list):
            found[name] += values
        else:
            found[name] = values[-1]
    return found


def delimited(data, fields):
    """Messages, each with its length before it."""
    at = 0
    while at < len(data):
        size, at = varint(data, at)
        yield decode(data[at:at + size], fields)
        at += size


def pairs(attributes):
    return {pair["key"]: pair["value"]["string"] for pair in attributes}


class Push:
    """A request that was received."""

    def __init__(self, path, headers, body):
        self.path, self.headers = path, headers
        message = decode(gzip.decompress(body), REQUEST)
        (resource,) = message["resources"]
        (scope,) = resource["scopes"]
        self.resource, self.scope = pairs(resource["resource"]["attributes"]), scope["scope"]
        self.metrics = {metric["name"]: metric for metric in scope["metrics"]}
        assert len(self.metrics) == len(scope["metrics"]), "a metric is there twice"

    def points(self, name, kind):
        """{labels: point}"""
        points = self.metrics.get(name, {}).get(kind, {}).get("points", [])
        found = {frozenset(pairs(point["attributes"]).items()): point for point in points}
        assert len(found) == len(points), "a series is there twice"
        return found

    def value(self, name, kind="sum", **labels):
        field = "count" if kind == "exponential" else "value"
        return sum(point[field] for key, point in self.points(name, kind).items() if labels.items() <= set(key))


class Profiles:
    """A push of profiles that was received: what its tables say is looked up."""

    def __init__(self, headers, body):
        self.headers, message = headers, decode(gzip.decompress(body), PROFILES)
        self.tables = message["dictionary"]
        for table in self.tables.values():
            assert not table[0] or not any(table[0].values()), "the first of each table stands for nothing"
        assert len(set(self.tables["strings"])) == len(self.tables["strings"]), "a text is there twice"
        self.nodes = {}
        for resource in message["resources"]:
            attributes = pairs(resource["resource"]["attributes"])
            (scope,) = resource["scopes"]
            (profile,) = scope["profiles"]
            assert attributes["node"] not in self.nodes
            self.nodes[attributes["node"]] = dict(profile, resource=attributes, scope=scope["scope"])

    def text(self, number):
        return self.tables["strings"][number]

    def type(self, node, which):
        return tuple(self.text(self.nodes[node][which][name]) for name in ("type", "unit"))

    def frame(self, number):
        """(name, file, line, kind)"""
        location = self.tables["locations"][number]
        (line,) = location["lines"]
        function = self.tables["functions"][line["function"]]
        kinds = [self.tables["attributes"][a] for a in location["attributes"]]
        assert all(self.text(kind["key"]) == "profile.frame.type" for kind in kinds)
        return (self.text(function["name"]), self.text(function.get("file", 0)), line.get("line", 0),
                kinds[0]["value"]["string"] if kinds else None)

    def stacks(self, node):
        """{(frames, the root first): ns}"""
        found = {}
        for sample in self.nodes[node]["samples"]:
            frames = self.tables["stacks"][sample["stack"]]["locations"]
            (value,) = sample["values"]
            key = tuple(self.frame(number) for number in reversed(frames))
            assert value > 0 and key not in found, "a stack is there twice"
            found[key] = value
        return found


PROFILES_PATH = "/v1development/profiles"


class Receiver:
    """Takes pushes. `answers` are (status, headers, body) of the next requests, 200 after these; those of profiles have a
    queue of their own, and all that came are in `all_profiles`."""

    def __init__(self, address=("127.0.0.1", 0), context=None):
        self.pushes, self.answers, self.count, self.times = queue.Queue(), queue.Queue(), 0, []
        self.profile_answers, self.all_profiles = queue.Queue(), []
        receiver = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                if self.path == PROFILES_PATH:
                    receiver.all_profiles.append(Profiles(self.headers, body))
                    receiver.reply(self, receiver.profile_answers)
                    return
                receiver.count += 1
                receiver.times.append(time.monotonic())
                receiver.answer(self, Push(self.path, self.headers, body))

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(address, Handler)
        self.server.daemon_threads = True
        if context:
            self.server.socket = context.wrap_socket(self.server.socket, server_side=True)
        self.port = self.server.server_address[1]
        self.url = "http%s://localhost:%d" % ("s" if context else "", self.port)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def reply(self, handler, answers):
        try:
            status, headers, body = answers.get_nowait()
        except queue.Empty:
            status, headers, body = 200, {}, b""
        handler.send_response(status)
        for name, value in dict({"Content-Length": str(len(body))}, **headers).items():
            handler.send_header(name, value)
        handler.end_headers()
        handler.wfile.write(body)
        return status

    def answer(self, handler, push):
        if self.reply(handler, self.answers) == 200:
            self.pushes.put(push)

    def next(self, limit=LIMIT):
        """The next push that was taken."""
        return self.pushes.get(timeout=limit)

    def fresh(self, limit=LIMIT):
        """One that began after now."""
        while not self.pushes.empty():
            self.pushes.get()
        self.next(limit)
        return self.next(limit)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()


def authority(folder):
    """(certificate of an authority, context of a server of "localhost" that it vouches for)"""
    def openssl(*args):
        subprocess.run(["openssl"] + list(args), cwd=folder, check=True, capture_output=True)
    with open(folder + "/san", "w") as san:
        san.write("subjectAltName=DNS:localhost\n")
    openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", "ca.key", "-out", "ca.pem", "-days", "2",
            "-subj", "/CN=test authority")
    openssl("req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", "key.pem", "-out", "request.pem", "-subj", "/CN=localhost")
    openssl("x509", "-req", "-in", "request.pem", "-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-days", "2",
            "-extfile", "san", "-out", "cert.pem")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(folder + "/cert.pem", folder + "/key.pem")
    return folder + "/ca.pem", context
