#!/usr/bin/python3
"""Writes samples/reply-in-a-siblings-slot.tar: one made-up incident, seen from four places.

    /usr/bin/python3 samples/reply-in-a-siblings-slot.tar.py > samples/reply-in-a-siblings-slot.tar

    client.jsonl    the client's own transcript: twice a slow call "timed out" and its payload stands under a sibling
    client.pcap     the wire between client and gateway: every reply is right
    server.pcap     the wire between gateway and server, its clock 2.35 s ahead; the gateway rewrites ids (7 becomes "7_" and hex)
    server.log      the server's log of requests and results, with the times of the second wire

Six batches of 3 or 12 concurrent calls, the slow one first, in the middle or last. Fixed seed, standard library only.
"""
import io
import json
import random
import struct
import sys
import tarfile

SEED = 20261129
START = 1795946400.0                     # 2026-11-29T10:00:00Z
SKEW = 2.35
SESSION = "5d0c1f7e-3b52-4a3f-9a54-6f2f60f3b1aa"
CLIENT, GATEWAY, SERVER = ("10.20.0.5", 41000), ("10.20.0.9", 8080), ("10.20.1.4", 9000)
BATCHES = [(3, 0), (3, 1), (12, 5), (12, 0), (12, 11), (3, 2)]   # size, place of the slow call
MISPLACED = {2: 8, 4: 3}                 # batch: the sibling that shows the slow call's payload
TOOLS = ("list_tickets", "find_flights", "lookup_user", "search_docs", "render_chart")
WORDS = "alder birch cedar drift ember fjord grove heath isle jetty knoll lagoon moor north otter pine quay ridge shoal tarn".split()


class Capture:
    """A pcap file (https://ietf-opsawg-wg.github.io/draft-ietf-opsawg-pcap/) of TCP over Ethernet; packets are sorted when it is written."""

    def __init__(self):
        self.packets = []

    def segment(self, at, source, target, seq, ack, flags, data=b""):
        tcp = struct.pack(">HHIIBBHHH", source[1], target[1], seq & 0xFFFFFFFF, ack & 0xFFFFFFFF, 5 << 4, flags, 64240, 0, 0)
        address = [bytes(int(part) for part in end[0].split(".")) for end in (source, target)]
        ip = struct.pack(">BBHHHBBH4s4s", 0x45, 0, 40 + len(data), 0, 0x4000, 64, 6, 0, *address)
        frame = bytes.fromhex("02000000000102000000000208 00".replace(" ", "")) + ip + tcp + data
        self.packets.append((at, len(self.packets), frame))

    def bytes(self):
        out = struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 262144, 1)
        for at, _, frame in sorted(self.packets):
            out += struct.pack("<IIII", int(at), round(at % 1 * 1e6) % 1000000, len(frame), len(frame)) + frame
        return out


class Connection:
    """One exchange after the other on one TCP connection."""
    ACK, PSH_ACK, SYN = 0x10, 0x18, 0x02

    def __init__(self, capture, client, server, at):
        self.capture, self.client, self.server, self.sent, self.got = capture, client, server, 1001, 5001
        capture.segment(at, client, server, 1000, 0, self.SYN)
        capture.segment(at + 0.0001, server, client, 5000, 1001, self.SYN | self.ACK)
        capture.segment(at + 0.0002, client, server, 1001, 5001, self.ACK)

    def request(self, at, data):
        self.capture.segment(at, self.client, self.server, self.sent, self.got, self.PSH_ACK, data)
        self.sent += len(data)

    def response(self, at, data):
        self.capture.segment(at, self.server, self.client, self.got, self.sent, self.PSH_ACK, data)
        self.got += len(data)
        self.capture.segment(at + 0.0001, self.client, self.server, self.sent, self.got, self.ACK)


def post(host, message, session):
    body = json.dumps(message, separators=(",", ":")).encode()
    head = f"POST /mcp HTTP/1.1\r\nHost: {host[0]}:{host[1]}\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\n"
    if session:
        head += f"Mcp-Session-Id: {SESSION}\r\nMCP-Protocol-Version: 2025-06-18\r\n"
    return (head + f"Content-Length: {len(body)}\r\n\r\n").encode() + body


def answer(message):
    if message is None:
        return f"HTTP/1.1 202 Accepted\r\nMcp-Session-Id: {SESSION}\r\nContent-Length: 0\r\n\r\n".encode()
    body = json.dumps(message, separators=(",", ":")).encode()
    return f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nMcp-Session-Id: {SESSION}\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body


class Incident:
    def __init__(self):
        self.random = random.Random(SEED)
        self.outer, self.inner, self.transcript, self.log = Capture(), Capture(), [], []
        self.next_id, self.next_port = 0, CLIENT[1]
        self.record(START, "user", {"role": "user", "content": "Check the tickets and flights, please."})

    def exchange(self, at, took, message, result):
        """One message through the gateway; a notification has no result."""
        self.next_port += 1
        outer = Connection(self.outer, (CLIENT[0], self.next_port), GATEWAY, at - 0.001)
        inner = Connection(self.inner, (GATEWAY[0], self.next_port), SERVER, at + SKEW)
        behind = dict(message)
        if "id" in message:
            behind["id"] = f"{message['id']}_{self.random.getrandbits(32):08x}"
        session = message.get("method") != "initialize"
        outer.request(at, post(GATEWAY, message, session))
        inner.request(at + SKEW + 0.0015, post(SERVER, behind, session))
        self.write(at + SKEW + 0.002, "request", behind)
        reply = None if result is None else {"jsonrpc": "2.0", "id": behind["id"], "result": result}
        if reply:
            self.write(at + SKEW + took - 0.0005, "response", reply)
        inner.response(at + SKEW + took, answer(reply))
        outer.response(at + took + 0.002, answer(reply and dict(reply, id=message["id"])))

    def write(self, at, what, message):
        self.log.append((at, f"{stamp(at)} INFO acme.server session={SESSION.replace('-', '')} {what} {json.dumps(message, separators=(',', ':'))}"))

    def call(self, at, took, tool):
        self.next_id += 1
        word = f"{self.random.choice(WORDS)}-{self.random.choice(WORDS)}-{self.random.randint(1000, 9999)}"
        arguments = {"query": word, "limit": self.random.randint(2, 20)}
        text = f"{tool}: {word} " + " ".join(self.random.choice(WORDS) for _ in range(self.random.randint(3, 9)))
        message = {"jsonrpc": "2.0", "id": self.next_id, "method": "tools/call", "params": {"name": tool, "arguments": arguments}}
        self.exchange(at, took, message, {"content": [{"type": "text", "text": text}]})
        name = f"toolu_{self.random.getrandbits(64):016x}"
        self.record(at - 0.003, "assistant", {"role": "assistant", "content": [{"type": "tool_use", "id": name, "name": f"mcp__desk__{tool}", "input": arguments}]})
        return {"name": name, "text": text, "ends": at + took + 0.004}

    def show(self, at, call, text, gave_up=False):
        content = [{"tool_use_id": call["name"], "type": "tool_result", "content": text if gave_up else [{"type": "text", "text": text}], "is_error": gave_up}]
        self.record(at, "user", {"role": "user", "content": content})

    def record(self, at, kind, message):
        line = {"isSidechain": False, "userType": "external", "cwd": "/home/demo/desk", "sessionId": "0f4c2b1e-9a7d-4c55-8e0f-2f1a5f6f9d21", "version": "2.0.61", "type": kind,
                "message": message, "uuid": f"{self.random.getrandbits(128):032x}", "timestamp": stamp(at)}
        self.transcript.append((at, json.dumps(line, separators=(",", ":"))))

    def play(self):
        self.exchange(START, 0.02, {"jsonrpc": "2.0", "id": 0, "method": "initialize",
                                    "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "desk-client", "version": "1.4.0"}}},
                      {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}, "serverInfo": {"name": "acme-tools", "version": "0.9.2"}})
        self.exchange(START + 0.03, 0.005, {"jsonrpc": "2.0", "method": "notifications/initialized"}, None)
        for number, (size, slow) in enumerate(BATCHES):
            self.batch(number, START + 10 + 20 * number, size, slow)

    def batch(self, number, at, size, slow):
        calls = [self.call(at + 0.001 * i, 6.2 if i == slow else 0.08 + 0.01 * i, self.random.choice(TOOLS)) for i in range(size)]
        sibling = MISPLACED.get(number)
        if sibling is not None:
            calls[sibling]["ends"] = calls[slow]["ends"] + 0.4
        for i, call in enumerate(calls):
            if sibling is not None and i == slow:
                self.show(call["ends"] + 0.3, call, "Tool call timed out waiting for server response.", gave_up=True)
            else:
                self.show(call["ends"], call, calls[slow]["text"] if i == sibling else call["text"])


def stamp(at):
    whole, millis = divmod(round(at * 1000), 1000)
    seconds = whole - int(START) + 10 * 3600
    return f"2026-11-29T{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}.{millis:03}Z"


def in_order(lines):
    return ("\n".join(text for _, text in sorted(lines, key=lambda line: line[0])) + "\n").encode()


def main():
    incident = Incident()
    incident.play()
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        for name, data in (("client.jsonl", in_order(incident.transcript)), ("client.pcap", incident.outer.bytes()), ("server.pcap", incident.inner.bytes()), ("server.log", in_order(incident.log))):
            member = tarfile.TarInfo(name)
            member.size, member.mtime = len(data), int(START)
            archive.addfile(member, io.BytesIO(data))
    sys.stdout.buffer.write(out.getvalue())


main()
