#!/usr/bin/python3
"""Writes samples/gateway.log: one made-up day of an MCP gateway built on the Python SDK.

    /usr/bin/python3 samples/gateway.log.py > samples/gateway.log

A discrete-event simulation with a fixed seed, standard library only. The server below keeps one reply stream per JSON-RPC id, as the
SDK (1.8 to 2.0) does; what gets lost and what the log says about it follows from that rule, nothing is written by hand:
  - a POST puts its stream under str(id), whatever was there before;
  - a reply goes to the stream that is there now, which then leaves; with none there, the three-line record is logged;
  - a client that hangs up takes the entry of its id away, also when it has become another request's.
"""
import datetime
import heapq
import itertools
import json
import random
import sys

SEED = 20261128
DAY = datetime.datetime(2026, 11, 28)
PROBER, PLANNER = "10.44.0.2", "10.44.3.17"
CLIENT_TIMEOUT = 60.0
# Waves of concurrent calls with id 1, a burst a line: session, time of day, calls per wave. One call of each wave is answered.
BURSTS = [("plan-a", "08:13:22", (5, 6)), ("plan-a", "08:41:07", (8,)), ("plan-a", "09:26:50", (6, 8)),
          ("plan-b", "10:58:31", (4, 6)), ("plan-b", "11:34:12", (5, 7)), ("plan-b", "12:20:44", (7,)),
          ("plan-c", "13:47:03", (12,)), ("plan-c", "14:39:28", (11,))]
# Under the lock: seconds after the first call at which each call arrives, and how long the tool needs.
QUEUES = [("20:22:10", ((0, 75.0), (8, 11.2), (21, 14.1), (33, 3.0), (47, 0.8))),
          ("21:05:36", ((0, 88.0), (6, 9.0), (17, 16.3), (24, 12.4), (31, 4.2), (52, 1.1))),
          ("21:48:19", ((0, 2.4), (0.2, 1.7), (0.3, 0.9), (0.5, 1.2))),
          ("22:31:54", ((0, 0.7), (0.1, 2.2), (0.4, 0.6)))]
TOOLS = {"render_chart": ("series", "figure", "points"), "summarize_page": ("page", "summary", "sentences"),
         "find_invoice": ("customer", "invoice", "cents"), "fetch_rates": ("pair", "desk", "basis_points"),
         "translate_text": ("phrase", "translation", "words"), "count_stock": ("shelf", "unit", "pieces"),
         "export_ledger": ("quarter", "sheet", "rows"), "draft_reply": ("ticket", "draft", "tone_score")}
WORDS = ("anvil bramble copper dune elm flint gravel hazel inlet juniper kiln loam marsh nettle oar pebble quarry reed "
         "slate thicket umber vale wharf yarrow Ada's").split()


def clock(text):
    hours, minutes, seconds = text.split(":")
    return int(hours) * 3600 + int(minutes) * 60 + float(seconds)


class Log:
    """Runs what is scheduled in time order; each line gets the time at which it was written."""

    def __init__(self):
        self.now, self.queue, self.order, self.lines = 0.0, [], itertools.count(), []

    def at(self, when, action, *arguments):
        heapq.heappush(self.queue, (round(when, 3), next(self.order), action, arguments))

    def after(self, delay, action, *arguments):
        self.at(self.now + delay, action, *arguments)

    def write(self, logger, level, message):
        stamp = (DAY + datetime.timedelta(seconds=self.now)).strftime("%Y-%m-%d %H:%M:%S")
        self.lines.append(f"{stamp},{round(self.now * 1000) % 1000:03d} - {logger} - {level} - {message}")

    def run(self):
        while self.queue:
            self.now, _, action, arguments = heapq.heappop(self.queue)
            action(*arguments)


class Call:
    def __init__(self, session, rpc_id, method, params, seconds, patience=CLIENT_TIMEOUT):
        self.session, self.rpc_id, self.method, self.params = session, rpc_id, method, params
        self.seconds, self.patience = seconds, patience
        self.port = session.gateway.port()
        self.done = self.cancelled = False
        self.fetches = None
        self.finished = lambda: None

    def body(self):
        message = {"jsonrpc": "2.0", "id": self.rpc_id, "method": self.method}
        return {**message, "params": self.params} if self.params else message


class Gateway:
    def __init__(self, log, rng):
        self.log, self.rng, self.mode = log, rng, "plain"
        self.requests = self.replies = self.lost = 0

    def port(self):
        return self.rng.randrange(40000, 61000)

    def access(self, address, request, status):
        self.log.write("uvicorn.access", "INFO", f'{address} - "{request} HTTP/1.1" {status}')

    def wire(self, call, session_id, body):
        text = json.dumps(body, separators=(",", ":"))
        self.log.write("atrium.wire", "DEBUG", f"--> POST /mcp client={call.session.address}:{call.port} session={session_id} body={text}")

    def post(self, call):
        self.requests += 1
        session = call.session
        self.wire(call, session.id, call.body())
        session.streams[str(call.rpc_id)] = call
        kind = {"tools/list": "ListToolsRequest", "tools/call": "CallToolRequest"}[call.method]
        self.log.after(0.002, self.log.write, "mcp.server.lowlevel.server", "INFO", f"Processing request of type {kind}")
        self.log.after(0.004, self.access, f"{session.address}:{call.port}", "POST /mcp", 200)
        self.log.after(call.seconds, self.answer, call)
        if self.mode != "lock":
            self.log.after(call.patience, self.hang_up, call)

    def answer(self, call):
        if call.cancelled:
            return
        if call.fetches:
            self.log.write("httpx", "INFO", f'HTTP Request: GET {call.fetches} "HTTP/1.1 200 OK"')
        self.log.after(0.001, self.route, call, {"result": result_of(call, self.rng)})

    def route(self, call, outcome):
        waiting = call.session.streams.pop(str(call.rpc_id), None)
        if waiting is None:
            self.lost += 1
            return self.not_found(call.rpc_id)
        self.replies += 1
        payload = json.dumps({"jsonrpc": "2.0", "id": call.rpc_id, **outcome}, separators=(",", ":"))
        chunk = f"event: message\r\ndata: {payload}\r\n\r\n".encode()
        self.log.write("sse_starlette.sse", "DEBUG", f"chunk: {chunk!r}")
        self.log.after(0.001, self.log.write, "mcp.server.streamable_http", "DEBUG", "Closing SSE writer")
        waiting.done = True
        call.finished()

    def not_found(self, key):
        indent = "\n" + " " * 32
        self.log.write("mcp.server.streamable_http", "DEBUG",
                       f"Request stream {key} not found {indent}for message. Still processing message as the client{indent}might reconnect and replay.")

    def hang_up(self, call):
        if call.done:
            return
        call.session.streams.pop(str(call.rpc_id), None)
        self.log.write("sse_starlette.sse", "DEBUG", "Got event: http.disconnect. Stop streaming.")
        self.log.after(0.001, self.log.write, "mcp.server.streamable_http", "DEBUG", "Closing SSE writer")

    def server_start(self, process):
        for logger, message in (("uvicorn.error", f"Started server process [{process}]"), ("uvicorn.error", "Waiting for application startup."),
                                ("mcp.server.streamable_http_manager", "StreamableHTTP session manager started"),
                                ("uvicorn.error", "Application startup complete."),
                                ("uvicorn.error", "Uvicorn running on http://0.0.0.0:8000 (Press CTRL+C to quit)")):
            self.log.write(logger, "INFO", message)

    def server_stop(self, process):
        for logger, message in (("uvicorn.error", "Shutting down"), ("uvicorn.error", "Waiting for application shutdown."),
                                ("mcp.server.streamable_http_manager", "StreamableHTTP session manager shutting down"),
                                ("uvicorn.error", "Application shutdown complete."), ("uvicorn.error", f"Finished server process [{process}]")):
            self.log.write(logger, "INFO", message)

    def switch(self, mode, meaning):
        self.mode = mode
        self.log.write("atrium.idguard", "INFO", f"mode {mode}: {meaning}")

    def unknown_session(self, address, session_id):
        self.log.write("mcp.server.streamable_http_manager", "INFO", f"Rejected request with unknown or expired session ID: {session_id}")
        self.log.after(0.002, self.access, f"{address}:{self.port()}", "POST /mcp", 404)


class Session:
    def __init__(self, gateway, address, client, first_ids=(0, 1), listens=False):
        self.gateway, self.address, self.client = gateway, address, client
        self.first_ids, self.listens = first_ids, listens
        self.streams, self.guarded, self.waiting = {}, set(), []
        self.holder = None
        self.id = f"{gateway.rng.getrandbits(128) & ~(0xf << 76) | (4 << 76):032x}"

    def open(self):
        gateway, log, call = self.gateway, self.gateway.log, Call(self, self.first_ids[0], "initialize", None, 0)
        gateway.requests += 1
        gateway.replies += 1
        gateway.wire(call, "-", {"jsonrpc": "2.0", "id": call.rpc_id, "method": "initialize", "params": {
            "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": dict(zip(("name", "version"), self.client))}})
        reply = {"jsonrpc": "2.0", "id": call.rpc_id, "result": {
            "protocolVersion": "2025-06-18", "capabilities": {"tools": {"listChanged": True}}, "serverInfo": {"name": "atrium-gateway", "version": "3.2.0"}}}
        chunk = f"event: message\r\ndata: {json.dumps(reply, separators=(',', ':'))}\r\n\r\n".encode()
        log.after(0.002, log.write, "mcp.server.streamable_http_manager", "INFO", f"Created new transport with session ID: {self.id}")
        log.after(0.004, gateway.access, f"{self.address}:{call.port}", "POST /mcp", 200)
        log.after(0.006, log.write, "sse_starlette.sse", "DEBUG", f"chunk: {chunk!r}")
        log.after(0.007, log.write, "mcp.server.streamable_http", "DEBUG", "Closing SSE writer")
        log.after(0.031, gateway.wire, call, self.id, {"jsonrpc": "2.0", "method": "notifications/initialized"})
        log.after(0.034, gateway.access, f"{self.address}:{call.port}", "POST /mcp", 202)
        if self.listens:
            log.after(0.040, gateway.access, f"{self.address}:{gateway.port()}", "GET /mcp", 200)
        log.after(0.120, gateway.post, Call(self, self.first_ids[1], "tools/list", None, 0.005))

    def close(self):
        self.gateway.log.write("mcp.server.streamable_http", "INFO", f"Terminating session: {self.id}")
        self.gateway.log.after(0.002, self.gateway.access, f"{self.address}:{self.gateway.port()}", "DELETE /mcp", 200)


class IdGuard:
    """The two workarounds, as the gateway's own middleware in front of the SDK: it logs what it does to ids in flight."""

    def __init__(self, gateway):
        self.gateway, self.log = gateway, gateway.log

    def say(self, level, call, text):
        self.log.write("atrium.idguard", level, f"request id {call.original} on session {call.session.id}: {text}")

    def remap(self, call):
        call.original, session = call.rpc_id, call.session
        if call.rpc_id not in session.guarded:
            session.guarded.add(call.rpc_id)
            call.finished = lambda: session.guarded.discard(call.original)
        else:
            call.rpc_id = f"{call.original}_{self.gateway.rng.getrandbits(32):08x}"
            self.say("INFO", call, f'in flight, rewritten to "{call.rpc_id}"')
            call.finished = lambda: self.say("DEBUG", call, f'reply to "{call.rpc_id}" restored')
        self.log.after(0.001, self.gateway.post, call)

    def lock(self, call):
        call.original, session = call.rpc_id, call.session
        call.arrived = self.log.now
        self.log.after(CLIENT_TIMEOUT, self.give_up, call)
        if session.holder is None:
            return self.forward(call)
        session.waiting.append(call)
        self.say("INFO", call, f"in flight, call waits ({len(session.waiting)} waiting)")

    def forward(self, call):
        call.session.holder = call
        call.finished = lambda: self.release(call)
        waited = self.log.now - call.arrived
        if waited > 0:
            self.say("INFO", call, f"lock taken after {waited:.1f} s")
        self.log.after(0.001, self.gateway.post, call)

    def release(self, call):
        session = call.session
        call.done, session.holder = True, None
        if session.waiting:
            self.log.after(0.002, self.forward, session.waiting.pop(0))

    def give_up(self, call):
        if call.done or call.cancelled:
            return
        call.cancelled = True
        self.say("WARNING", call, f"client gave up after {CLIENT_TIMEOUT:.1f} s")
        self.gateway.wire(call, call.session.id, {"jsonrpc": "2.0", "method": "notifications/cancelled",
                                                  "params": {"requestId": call.rpc_id, "reason": "client timed out after 60.0 s"}})
        self.log.after(0.002, self.log.write, "mcp.server.lowlevel.server", "INFO", f"Request {call.rpc_id} cancelled - duplicate response suppressed")
        self.log.after(0.003, self.gateway.route, call, {"error": {"code": 0, "message": "Request cancelled"}})


def phrase(rng, least, most):
    return " ".join(rng.choice(WORDS) for _ in range(rng.randint(least, most)))


def result_of(call, rng):
    if call.method == "tools/list":
        return {"tools": [{"name": name, "inputSchema": {"type": "object", "properties": {keys[0]: {"type": "string"}}}} for name, keys in TOOLS.items()]}
    asked, text, number = TOOLS[call.params["name"]]
    answer = {asked: call.params["arguments"][asked], text: phrase(rng, 3, 12), number: rng.randrange(4, 9000)}
    return {"content": [{"type": "text", "text": json.dumps(answer)}], "isError": False}


def tool_call(session, rpc_id, rng, seconds, **more):
    tool = rng.choice(sorted(TOOLS))
    params = {"name": tool, "arguments": {TOOLS[tool][0]: f"{rng.choice(WORDS[:-1])}-{rng.randrange(100, 9999)}"}}
    call = Call(session, rpc_id, "tools/call", params, round(seconds, 3), **more)
    if tool == "fetch_rates":
        call.fetches = f"http://rates.internal/v2/{params['arguments']['pair']}"
    return call


def plan_bursts(log, gateway, rng, sessions):
    for name, start, waves in BURSTS:
        when = clock(start) + rng.random()
        for calls in waves:
            spread = sorted(rng.uniform(0.9, 6.5) for _ in range(calls))
            rng.shuffle(spread)
            arrivals = [0.0] + sorted(rng.uniform(0.002, 0.24) for _ in range(calls - 1))
            for arrival, seconds in zip(arrivals, spread):
                log.at(when + arrival, gateway.post, tool_call(sessions[name], 1, rng, seconds))
            when += max(a + s for a, s in zip(arrivals, spread)) + rng.uniform(0.4, 1.8)


def plan_workarounds(log, guard, rng, sessions):
    for start, calls in (("16:12:40", 8), ("16:50:02", 6), ("17:31:18", 1), ("17:44:09", 10), ("18:20:55", 1), ("18:33:10", 4)):
        for arrival in [0.0] + sorted(rng.uniform(0.004, 0.2) for _ in range(calls - 1)):
            log.at(clock(start) + 0.381 + arrival, guard.remap, tool_call(sessions["plan-remap"], 1, rng, rng.uniform(0.8, 7.0)))
    for start, calls in QUEUES:
        for arrival, seconds in calls:
            log.at(clock(start) + arrival + rng.uniform(0, 0.4), guard.lock, tool_call(sessions["plan-lock"], 1, rng, seconds))


def plan_healthy(log, gateway, rng, session, opened, closed, calls, abandons=None):
    """Calls with an id of their own, some in parallel; `abandons` is the id of one call whose client hangs up."""
    rpc_id, batches = 2, []
    while calls:
        size = min(calls, rng.choice((1, 1, 1, 2, 3, 4)))
        calls -= size
        batches.append(size)
    moments = sorted(rng.uniform(opened + 30, closed - 120) for _ in batches)
    for when, size in zip(moments, batches):
        for _ in range(size):
            call = tool_call(session, rpc_id, rng, rng.uniform(0.12, 4.8))
            if rpc_id == abandons:
                call.seconds, call.patience = 13.5, 5.0
            log.at(when + rng.uniform(0, 0.08), gateway.post, call)
            rpc_id += 1


def main():
    rng = random.Random(SEED)
    log = Log()
    gateway = Gateway(log, rng)
    guard = IdGuard(gateway)
    planner = ("route-planner", "0.9.3")
    # name: address, client, open, close, calls of a healthy session, id of the call given up
    day = {"plan-a": (PLANNER, planner, "08:02:11", "10:31:40", 0, None), "plan-b": (PLANNER, planner, "10:44:05", "12:58:19", 0, None),
           "plan-c": (PLANNER, planner, "13:31:27", "15:20:02", 0, None), "plan-remap": (PLANNER, planner, "15:52:14", "19:10:33", 0, None),
           "plan-lock": (PLANNER, planner, "20:03:48", "23:10:06", 0, None),
           "desk-1": ("10.44.5.31", ("desk-assistant", "4.1.0"), "06:48:20", "15:11:09", 72, 23),
           "desk-2": ("10.44.5.38", ("desk-assistant", "4.1.0"), "07:30:55", "14:52:41", 64, None),
           "notes": ("10.44.6.12", ("notebook-bridge", "1.0.4"), "09:05:02", "13:02:30", 41, None),
           "nightly": ("10.44.9.3", ("nightly-report", "2.7.1"), "01:15:00", "03:40:12", 48, None),
           "support": ("10.44.5.77", ("support-console", "11.2.0"), "15:46:37", "19:24:50", 58, 41),
           "desk-3": ("10.44.5.31", ("desk-assistant", "4.1.0"), "15:49:12", "19:20:33", 34, None),
           "late-shift": ("10.44.5.77", ("support-console", "11.2.0"), "19:58:25", "23:31:57", 25, None)}
    sessions = {}
    for name, (address, client, opened, closed, calls, abandons) in day.items():
        sessions[name] = Session(gateway, address, client, ("init", "tools") if client is planner else (0, 1), listens=name in ("desk-2", "notes"))
        log.at(clock(opened) + rng.random(), sessions[name].open)
        log.at(clock(closed) + rng.random(), sessions[name].close)
        plan_healthy(log, gateway, rng, sessions[name], clock(opened), clock(closed), calls, abandons)
    plan_bursts(log, gateway, rng, sessions)
    plan_workarounds(log, guard, rng, sessions)
    for minute in range(9, 24 * 60, 10):
        log.at(minute * 60 + 58, gateway.access, f"{PROBER}:{gateway.port()}", "GET /health", 200)
    for when in ("02:20:31", "07:55:12", "09:40:00.25", "11:15:43.5", "12:02:19", "14:10:08.125", "16:31:50", "18:02:27.75", "21:20:13"):
        log.at(clock(when) + 0.417, gateway.not_found, "_GET_stream")
    stale = [f"{rng.getrandbits(128):032x}" for _ in range(2)]
    for when, address, session_id in (("07:02:14.2", "10.44.5.38", stale[0]), ("07:02:16.9", "10.44.5.38", stale[0]),
                                      ("09:01:33.6", "10.44.6.12", stale[1]), ("09:01:38.1", "10.44.6.12", stale[1])):
        log.at(clock(when), gateway.unknown_session, address, session_id)
    log.at(clock("00:00:01"), gateway.server_start, 2214)
    for when, process, mode, meaning in (("15:31:00", 2215, "remap", "a request id in flight is rewritten"),
                                         ("19:40:00", 2377, "lock", "one call at a time for each request id")):
        log.at(clock(when), gateway.server_stop, process - 1)
        log.at(clock(when) + 2.6, gateway.server_start, process)
        log.at(clock(when) + 2.7, gateway.switch, mode, meaning)
    log.run()
    print("\n".join(log.lines))
    print(f"{gateway.requests} requests, {gateway.replies} replies, {gateway.lost} undeliverable", file=sys.stderr)


if __name__ == "__main__":
    main()
