"""What each witness of a Day writes down: captures of the two wires, the gateway's log, the server's log, the client's transcripts.

Only forms that real software writes. Nothing here knows which exchange carries a fault.
"""
import datetime
import hashlib
import heapq
import json
import struct

GATEWAY, SERVER = ("10.2.0.1", 8080), ("10.3.0.1", 9000)
SEGMENT = 1400


def dumps(value):
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


class Connection:
    def __init__(self, near, far):
        self.near, self.far = near, far
        self.sequence = [1000, 5000]
        self.free_at = 0.0


class Capture:
    """A classic pcap of HTTP/1.1 over TCP. `cut` (first, last) is the span the witness was there."""

    def __init__(self, cut=None, skew=0.0):
        self.packets, self.order, self.pools, self.ports = [], 0, {}, {}
        self.cut, self.skew = cut, skew

    def packet(self, at, connection, side, flags, payload=b""):
        near, far = (connection.near, connection.far) if side == 0 else (connection.far, connection.near)
        sequence, acknowledged = connection.sequence[side], connection.sequence[1 - side]
        tcp = struct.pack("!HHIIBBHHH", near[1], far[1], sequence & 0xFFFFFFFF, acknowledged & 0xFFFFFFFF, 5 << 4, flags, 64240, 0, 0)
        address = lambda name: bytes(int(part) for part in name.split("."))
        ip = struct.pack("!BBHHHBBH4s4s", 0x45, 0, 40 + len(payload), self.order & 0xFFFF, 0x4000, 64, 6, 0, address(near[0]), address(far[0]))
        frame = bytes(12) + b"\x08\x00" + ip + tcp + payload
        self.order += 1
        self.packets.append((at, self.order, frame))
        connection.sequence[side] += len(payload) + (1 if flags & 3 else 0)

    def send(self, at, connection, side, data):
        for start in range(0, len(data), SEGMENT):
            self.packet(at + start * 1e-9, connection, side, 0x18, data[start:start + SEGMENT])
        self.packet(at + 0.00005, connection, 1 - side, 0x10)

    def connection(self, at, until, address, server):
        pool = self.pools.setdefault((address, server), [])
        for connection in pool:
            if connection.free_at < at - 0.001:
                break
        else:
            self.ports[address] = self.ports.get(address, 40000) + 1
            connection = Connection((address, self.ports[address]), server)
            pool.append(connection)
            self.packet(at - 0.0005, connection, 0, 0x02)
            self.packet(at - 0.0004, connection, 1, 0x12)
            self.packet(at - 0.0003, connection, 0, 0x10)
        connection.free_at = until
        return connection

    def exchange(self, exchange, address, server, day_end):
        until = exchange.end_at if exchange.end == "closed" else day_end
        link = self.connection(exchange.at, until, address, server)
        self.send(exchange.at, link, 0, request_bytes(exchange, server))
        if exchange.end == "reset" and not exchange.parts:
            self.packet(exchange.end_at, link, 1, 0x14)
            link.free_at = float("inf")
            return
        pieces = list(response_pieces(exchange))
        for at, data in pieces:
            self.send(at, link, 1, data)
        if exchange.end == "reset":
            self.packet(exchange.end_at, link, 1, 0x14)
            link.free_at = float("inf")
        elif exchange.end == "client":
            self.packet(exchange.end_at, link, 0, 0x11)
            self.packet(exchange.end_at + 0.0002, link, 1, 0x11)
            self.packet(exchange.end_at + 0.0003, link, 0, 0x10)
            link.free_at = float("inf")

    def finish(self, path, day_end):
        for pool in self.pools.values():
            for link in pool:
                if link.free_at < day_end:
                    self.packet(day_end, link, 0, 0x11)
                    self.packet(day_end + 0.0002, link, 1, 0x11)
        with open(path, "wb") as out:
            out.write(struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 262144, 1))
            for at, _, frame in sorted(self.packets):
                if self.cut and not self.cut[0] <= at <= self.cut[1]:
                    continue
                at += self.skew
                out.write(struct.pack("<IIII", int(at), int(at % 1 * 1e6), len(frame), len(frame)) + frame)


def opens(exchange):
    """The method of a request that comes before there is a session, or None."""
    method = exchange.request.get("method") if isinstance(exchange.request, dict) else None
    return method if method in ("initialize", "server/discover") else None


def request_bytes(exchange, server):
    body = dumps(exchange.request).encode() if exchange.request is not None else b""
    session = exchange.session
    headers = {"Host": f"{server[0]}:{server[1]}", "Accept": "application/json, text/event-stream"}
    if body:
        headers |= {"Content-Type": "application/json", "Content-Length": str(len(body))}
    if session.has_header and not opens(exchange):
        headers |= {"Mcp-Session-Id": session.key, "MCP-Protocol-Version": session.revision}
    if session.token:
        headers["Authorization"] = f"Bearer {session.token}"
    headers |= exchange.headers
    head = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
    return f"{exchange.method} /mcp HTTP/1.1\r\n{head}\r\n".encode() + body


def response_pieces(exchange):
    reasons = {200: "OK", 202: "Accepted", 400: "Bad Request", 401: "Unauthorized", 404: "Not Found", 405: "Method Not Allowed", 503: "Service Unavailable"}
    granted = opens(exchange) == "initialize" and exchange.session.has_header
    extra = f"Mcp-Session-Id: {exchange.session.key}\r\n" if granted else ""
    status = f"HTTP/1.1 {exchange.status} {reasons[exchange.status]}\r\n{extra}"
    if exchange.status != 200:
        body = dumps(exchange.parts[0].message).encode() if exchange.parts else b""
        kind = "Content-Type: application/json\r\n" if body else ""
        yield exchange.end_at - 0.0002, f"{status}{kind}Content-Length: {len(body)}\r\n\r\n".encode() + body
        return
    if exchange.session.sse or exchange.method == "GET" or len(exchange.parts) != 1 or exchange.parts[0].event_id:
        yield exchange.at + 0.002, f"{status}Content-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n".encode()
        for part in exchange.parts:
            yield part.at, chunk(event_bytes(part))
        if exchange.end == "closed":
            yield exchange.end_at, b"0\r\n\r\n"
        return
    body = dumps(exchange.parts[0].message).encode()
    yield exchange.parts[0].at, f"{status}Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body


def event_bytes(part):
    lines = [f"id: {part.event_id}"] if part.event_id else []
    data = "" if part.message is None else dumps(part.message)
    return ("\n".join(["event: message"] * (part.message is not None) + lines + [f"data: {data}"]) + "\n\n").encode()


def chunk(data):
    return f"{len(data):x}\r\n".encode() + data + b"\r\n"


def write_capture(path, exchanges, server, day_end, from_gateway, cut=None, skew=0.0):
    capture = Capture(cut, skew)
    for exchange in sorted(exchanges, key=lambda e: e.at):
        capture.exchange(exchange, GATEWAY[0] if from_gateway else exchange.session.address, server, day_end)
    capture.finish(path, day_end)


def stamp(at, comma=True):
    moment = datetime.datetime.fromtimestamp(round(at, 6), datetime.timezone.utc)
    return moment.strftime("%Y-%m-%d %H:%M:%S") + f"{',' if comma else '.'}{moment.microsecond // 1000:03d}"


def iso(at):
    return datetime.datetime.fromtimestamp(round(at, 6), datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%S.%f")[:-3] + "Z"


def write_gateway_log(path, exchanges, skew=0.0):
    """Bodies at debug level, as a middleware logs them: the session on every line."""
    rows = []
    for exchange in exchanges:
        key = "-" if opens(exchange) or not exchange.session.has_header else exchange.session.key
        if exchange.request is not None:
            heapq.heappush(rows, (exchange.at, len(rows), f"--> {exchange.method} /mcp client={exchange.session.address} session={key} "
                                                         f"body={dumps(exchange.request)}"))
        for part in exchange.parts:
            if part.message is not None:
                key = exchange.session.key if exchange.session.has_header else "-"
                heapq.heappush(rows, (part.at, len(rows), f"<-- {exchange.status} session={key} body={dumps(part.message)}"))
    with open(path, "w") as out:
        while rows:
            at, _, line = heapq.heappop(rows)
            out.write(f"{stamp(at + skew)} - gateway.middleware - DEBUG - {line}\n")


def write_transcripts(folder, day, skew=0.0):
    """One Claude Code session a client: tool_use and tool_result, and what was shown for a call that timed out."""
    folder.mkdir(parents=True, exist_ok=True)
    for session in day.sessions:
        rows = []
        chat = hashlib.md5(session.key.encode()).hexdigest()
        chat = f"{chat[:8]}-{chat[8:12]}-4{chat[13:16]}-a{chat[17:20]}-{chat[20:]}"
        for call in (c for c in day.calls if c.session is session):
            use = "toolu_" + hashlib.md5(f"{session.key}{call.rpc_id}{call.exchange.at}".encode()).hexdigest()[:24]
            common = {"isSidechain": False, "userType": "external", "cwd": "/srv/desk", "sessionId": chat, "version": "2.0.61"}
            rows.append((call.exchange.at - 0.004, {**common, "type": "assistant", "message": {
                "role": "assistant", "content": [{"type": "tool_use", "id": use, "name": f"mcp__desk__{call.tool}", "input": call.arguments}]}}))
            if call.shown is None:
                result = {"type": "tool_result", "tool_use_id": use, "is_error": True,
                          "content": [{"type": "text", "text": "Tool call timed out waiting for server response"}]}
            else:
                shown = call.result if call.shown == "its own" else call.shown
                result = {"type": "tool_result", "tool_use_id": use, "content": shown["content"]}
                if shown.get("isError"):
                    result["is_error"] = True
            rows.append((call.shown_at or call.answered + 0.006, {**common, "type": "user",
                                                                 "message": {"role": "user", "content": [result]}}))
        with open(folder / f"{chat}.jsonl", "w") as out:
            for at, row in sorted(rows, key=lambda r: r[0]):
                out.write(dumps({**row, "timestamp": iso(at + skew)}) + "\n")
