"""Clean MCP traffic of a made-up day: sessions, groups of concurrent tool calls, and the exchanges that carry them.

A Day is made from a seed alone. It knows nothing of files (witness.py) and of faults (faults.py). Times are seconds since 1970, UTC.
The tools answer in different forms, half of them repeat an argument: that is what a reader can recognise a reply by.
"""
import copy
import dataclasses
import json
import random

START = 1767600000.0  # 2026-01-05 08:00:00 UTC
TIMEOUT = 60.0        # how long the client of this day waits, s
REVISION = "2025-06-18"
WORDS = ("amber birch cedar delta ember fjord grove heron island jasper kelp larch meadow north ochre pebble quartz river "
         "slate thorn umber valley willow yarrow zephyr").split()


@dataclasses.dataclass
class Part:
    """One message of a response, at the time it leaves the server."""
    at: float
    message: object
    event_id: str = None


@dataclasses.dataclass
class Exchange:
    """One HTTP request and its response. `end` is closed, open (no end before the day's) or reset."""
    session: "Session"
    at: float
    request: object
    method: str = "POST"
    headers: dict = dataclasses.field(default_factory=dict)
    status: int = 200
    parts: list = dataclasses.field(default_factory=list)
    end_at: float = 0.0
    end: str = "closed"

    def answer(self, at, message):
        self.parts.append(Part(at, message))
        self.end_at = at + 0.0004


@dataclasses.dataclass
class Session:
    number: int
    key: str
    address: str
    sse: bool
    token: str = None
    revision: str = REVISION
    has_header: bool = True


@dataclasses.dataclass
class Call:
    """One tool call as the client means it; `shown` is what its own record says: a result, or None for timed out."""
    session: Session
    rpc_id: object
    tool: str
    arguments: dict
    exchange: Exchange
    result: dict
    answered: float
    group: int
    shown: object = "its own"
    shown_at: float = 0.0


def word(rng):
    return f"{rng.choice(WORDS)}-{rng.choice(WORDS)}-{rng.randrange(1000, 9999)}"


def text(value):
    return {"content": [{"type": "text", "text": value if isinstance(value, str) else json.dumps(value)}]}


def structured(value):
    return {**text(value), "structuredContent": value}


TOOLS = {
    "get_ticket": ("ticket", lambda a, r: text({"ref": a, "status": r.choice(["open", "closed"]), "owner": r.choice(WORDS)})),
    "search_docs": ("query", lambda a, r: text({"hits": [{"title": word(r), "rank": n} for n in range(r.randrange(1, 4))]})),
    "translate_text": ("source", lambda a, r: text({"translation": " ".join(r.choice(WORDS) for _ in range(6)), "language": "de"})),
    "fetch_invoice": ("invoice", lambda a, r: structured({"invoice": a, "total": r.randrange(100, 9000)})),
    "list_events": ("day", lambda a, r: text({"events": [{"at": f"{r.randrange(8, 18)}:00", "room": r.choice(WORDS)} for _ in range(3)]})),
    "run_query": ("sql", lambda a, r: text("id | name\n" + "\n".join(f"{r.randrange(999)} | {r.choice(WORDS)}" for _ in range(4)))),
    "get_weather": ("city", lambda a, r: text(f"Weather in {a}: {r.randrange(-5, 30)} degrees, wind {r.randrange(40)} km/h")),
    "resize_image": ("path", lambda a, r: {"content": [{"type": "text", "text": f"resized {a}"},
                                                       {"type": "image", "data": "iVBORw0KGgo=", "mimeType": "image/png"}]}),
    "read_file": ("path", lambda a, r: text(f"# {r.choice(WORDS)}\n" + "\n".join(word(r) for _ in range(r.randrange(2, 9))))),
    "create_note": ("title", lambda a, r: text({"created": True, "note": r.randrange(10000), "title": a})),
    "count_rows": ("table", lambda a, r: text(str(r.randrange(100000)))),
    "deploy_service": ("service", lambda a, r: text({"service": a, "revision": f"{r.randrange(1 << 28):07x}", "ok": True})),
}
ECHOING = ("get_ticket", "fetch_invoice", "get_weather", "resize_image", "create_note", "deploy_service")


def request(rpc_id, method, params=None):
    message = {"jsonrpc": "2.0", "id": rpc_id, "method": method}
    return {**message, "params": params} if params is not None else message


def reply(rpc_id, result):
    return {"jsonrpc": "2.0", "id": rpc_id, "result": result}


class Day:
    """`calls` of it in sessions of 50; `exchanges` is what the server's wire sees, in the order it was made."""

    def __init__(self, seed, calls=2000, revision=REVISION):
        self.rng = random.Random(seed)
        self.revision = revision
        self.sessions, self.exchanges, self.calls = [], [], []
        self.groups = {}
        self.end = START
        for number in range(max(1, calls // 50)):
            self._session(number, 50)
        self.end = max([self.end] + [e.end_at for e in self.exchanges]) + 3 * TIMEOUT

    def _session(self, number, size):
        rng = self.rng
        session = Session(number, f"{rng.getrandbits(128):032x}", f"10.1.{number // 200}.{number % 200 + 2}", rng.random() < 0.6,
                          revision=self.revision)
        self.sessions.append(session)
        at = START + number * 7.0 + rng.random()
        first = Exchange(session, at, request(0, "initialize", {"protocolVersion": self.revision, "capabilities": {},
                                                               "clientInfo": {"name": "notebook-host", "version": "1.0.1"}}))
        first.answer(at + 0.004, reply(0, {"protocolVersion": self.revision, "capabilities": {"tools": {}},
                                           "serverInfo": {"name": "desk-tools", "version": "0.9.2"}}))
        ready = Exchange(session, at + 0.01, {"jsonrpc": "2.0", "method": "notifications/initialized"}, status=202, end_at=at + 0.012)
        listing = Exchange(session, at + 0.02, request(1, "tools/list", {}))
        listing.answer(at + 0.024, reply(1, {"tools": [self._definition(name) for name in TOOLS]}))
        self.exchanges += [first, ready, listing]
        at, next_id, made, group = at + 0.1, 2, 0, 0
        while made < size:
            width = min(size - made, rng.choice((1, 1, 2, 2, 3, 4, 6)))
            latest = at
            for position in range(width):
                call = self._call(session, next_id, at + position * 0.002, (number, group))
                latest = max(latest, call.answered)
                next_id += 1
            made, group = made + width, group + 1
            at = latest + 0.05 + rng.expovariate(1.0)
        self.end = max(self.end, at)

    @staticmethod
    def _definition(name):
        definition = {"name": name, "inputSchema": {"type": "object", "properties": {TOOLS[name][0]: {"type": "string"}}}}
        if name == "fetch_invoice":
            definition["outputSchema"] = {"type": "object", "required": ["invoice", "total"],
                                          "properties": {"invoice": {"type": "string"}, "total": {"type": "integer"}}}
        return definition

    def _call(self, session, rpc_id, at, group):
        rng = self.rng
        tool = rng.choice(list(TOOLS))
        argument = word(rng)
        arguments = {TOOLS[tool][0]: argument}
        result = TOOLS[tool][1](argument, rng)
        if rng.random() < 0.04:
            result = {**text(f"Error: {rng.choice(['upstream unavailable', 'not found', 'quota exceeded'])}"), "isError": True}
        exchange = Exchange(session, at, request(rpc_id, "tools/call", {"name": tool, "arguments": arguments}))
        answered = at + 0.02 + rng.expovariate(5.0)
        exchange.answer(answered, reply(rpc_id, result))
        call = Call(session, rpc_id, tool, arguments, exchange, result, answered, group)
        self.exchanges.append(exchange)
        self.calls.append(call)
        self.groups.setdefault(group, []).append(call)
        return call

    def front(self, delay=0.001):
        """The client's side of a gateway that changes nothing: the same exchanges, a little earlier out and later back."""
        twins = {}
        for exchange in self.exchanges:
            twin = copy.copy(exchange)
            twin.headers = dict(exchange.headers)
            twin.at -= delay
            twin.parts = [Part(p.at + delay, copy.deepcopy(p.message), p.event_id) for p in exchange.parts]
            twin.end_at += delay
            twins[id(exchange)] = twin
        return twins
