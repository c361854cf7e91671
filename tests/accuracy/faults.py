"""Faults and look-alikes seeded into a clean Day: P.. must be found, N.. must stay silent.

Each seeder changes the day (and, through `edit_front`, what the gateway makes of it) and returns what it did. `calls` of a Fault are
(session key, id as requested); `never` are the parties that must not be named for it.
"""
import dataclasses

from traffic import TIMEOUT, TOOLS, ECHOING, Day, Exchange, Part, reply, request, structured, text, word

MODERN = "2026-07-28"


@dataclasses.dataclass
class Fault:
    rules: tuple
    calls: list
    never: tuple = ()
    witnesses: tuple = ("W1", "W2", "G")  # any of these can show it
    ids: tuple = ()                       # further ids that findings about it may carry


@dataclasses.dataclass
class Seeded:
    day: Day
    faults: list = dataclasses.field(default_factory=list)
    edit_front: object = None
    front_skew: float = 0.0
    cut: tuple = None


def pick(day, rng, share=0.05, least=2):
    """Groups of at least `least` concurrent calls that answered without an error, the same for each seeder and seed."""
    for key in sorted(day.groups):
        calls = [c for c in day.groups[key] if not c.result.get("isError")]
        if len(calls) >= least and rng.random() < share * 2:
            yield rng.sample(calls, least)


def key(call):
    return call.session.key, call.rpc_id


def different(pairs):
    return [(a, b) for a, b in pairs if a.tool != b.tool]


def set_result(call, result):
    call.exchange.parts[0].message = reply(call.rpc_id, result)


def make_tool(call, tool, rng):
    argument = word(rng)
    call.tool, call.arguments = tool, {TOOLS[tool][0]: argument}
    call.result = TOOLS[tool][1](argument, rng)
    call.exchange.request = request(call.rpc_id, "tools/call", {"name": tool, "arguments": call.arguments})
    set_result(call, call.result)


def p01_swap_of_different_tools(day, rng):
    seeded = Seeded(day)
    for a, b in different(pick(day, rng)):
        set_result(a, b.result), set_result(b, a.result)
        a.shown, b.shown = b.result, a.result
        seeded.faults.append(Fault(("reply-mismatch",), [key(a), key(b)], ("client",)))
    return seeded


def p02_swap_of_one_tool(day, rng):
    seeded = Seeded(day)
    for a, b in pick(day, rng):
        tool = rng.choice(ECHOING)
        make_tool(a, tool, rng), make_tool(b, tool, rng)
        set_result(a, b.result), set_result(b, a.result)
        a.shown, b.shown = b.result, a.result
        seeded.faults.append(Fault(("reply-mismatch",), [key(a), key(b)], ("client",)))
    return seeded


def p03_ids_swapped_on_the_wire(day, rng):
    seeded = Seeded(day)
    for a, b in different(pick(day, rng)):
        a.exchange.parts[0].message, b.exchange.parts[0].message = reply(b.rpc_id, a.result), reply(a.rpc_id, b.result)
        a.shown, b.shown = b.result, a.result
        seeded.faults.append(Fault(("wrong-channel-reply", "reply-mismatch"), [key(a), key(b)], ("client",)))
    return seeded


def p04_channels_swapped(day, rng):
    seeded = Seeded(day)
    for a, b in different(pick(day, rng)):
        a.exchange.parts[0].message, b.exchange.parts[0].message = reply(b.rpc_id, b.result), reply(a.rpc_id, a.result)
        seeded.faults.append(Fault(("wrong-channel-reply",), [key(a), key(b)], ("client",), ("W1", "W2")))
    return seeded


def p05_one_id_in_flight_twice(day, rng):
    """The newest stream gets the first that finishes; the other call hangs until the client gives up."""
    seeded = Seeded(day)
    for a, b in different(pick(day, rng)):
        a, b = sorted((a, b), key=lambda c: c.exchange.at)
        b.rpc_id = a.rpc_id
        b.exchange.request = request(b.rpc_id, "tools/call", {"name": b.tool, "arguments": b.arguments})
        first = min((a, b), key=lambda c: c.answered)
        b.exchange.parts = []
        b.exchange.answer(first.answered, reply(a.rpc_id, first.result))
        a.exchange.parts, a.exchange.end, a.exchange.end_at = [], "client", a.exchange.at + TIMEOUT
        b.shown, b.answered = first.result, first.answered
        a.shown, a.shown_at = None, a.exchange.at + TIMEOUT
        seeded.faults.append(Fault(("duplicate-request-id",), [key(a), key(b)], ("server", "gateway")))
    return seeded


def p06_late_reply_meets_a_reused_id(day, rng):
    seeded = Seeded(day)
    for (a,) in pick(day, rng, share=0.03, least=1):
        started = a.exchange.at
        a.exchange.parts = []
        a.exchange.answer(started + TIMEOUT + 4, reply(a.rpc_id, a.result))
        a.shown, a.shown_at = None, started + TIMEOUT
        cancel = Exchange(a.session, started + TIMEOUT, {"jsonrpc": "2.0", "method": "notifications/cancelled",
                                                        "params": {"requestId": a.rpc_id, "reason": "Request timed out"}},
                          status=202, end_at=started + TIMEOUT + 0.002)
        again = Exchange(a.session, started + TIMEOUT + 1, a.exchange.request)
        again.answer(started + TIMEOUT + 5, reply(a.rpc_id, a.result))
        day.exchanges += [cancel, again]
        seeded.faults.append(Fault(("late-reply", "duplicate-request-id"), [key(a)], ("server", "gateway")))
    return seeded


def p07_swap_in_the_transcript(day, rng):
    seeded = Seeded(day)
    for a, b in different(pick(day, rng)):
        a, b = sorted((a, b), key=lambda c: c.answered)
        a.shown, b.shown = None, a.result
        a.shown_at = a.answered + 0.010
        seeded.faults.append(Fault(("client-misattribution",), [key(a), key(b)], ("server", "gateway"), ("W1+C",)))
    return seeded


def p08_swap_at_the_gateway(day, rng):
    pairs = different(pick(day, rng))

    def edit(twins):
        for a, b in pairs:
            left, right = twins[id(a.exchange)].parts[0], twins[id(b.exchange)].parts[0]
            left.message, right.message = reply(a.rpc_id, b.result), reply(b.rpc_id, a.result)
    for a, b in pairs:
        a.shown, b.shown = b.result, a.result
    return Seeded(day, [Fault(("reply-mismatch",), [key(a), key(b)], ("client", "server"), ("W1", "G")) for a, b in pairs], edit)


def p09_swap_across_sessions(day, rng):
    seeded, used = Seeded(day), set()
    for session in day.sessions:
        session.token = f"tok{rng.getrandbits(96):024x}"
    calls = sorted((c for c in day.calls if not c.result.get("isError")), key=lambda c: c.exchange.at)
    for a, b in zip(calls, calls[1:]):
        overlap = b.exchange.at < a.answered and a.session is not b.session and a.tool != b.tool
        if overlap and id(a) not in used and rng.random() < 0.2:
            used |= {id(a), id(b)}
            set_result(a, b.result), set_result(b, a.result)
            a.shown, b.shown = b.result, a.result
            seeded.faults.append(Fault(("reply-mismatch", "cross-principal-reply"), [key(a), key(b)], ("client",)))
    return seeded


def p10_wrong_ids(day, rng):
    seeded = Seeded(day)
    for (a,) in pick(day, rng, share=0.04, least=1):
        kind = rng.choice(("off", "string", "precision", "suffix"))
        rules = {"off": ("orphan-reply",), "string": ("id-type-drift",), "precision": ("unsafe-integer-id", "orphan-reply"),
                 "suffix": ("remapped-id", "orphan-reply")}[kind]
        if kind == "precision":
            a.rpc_id = 1781234567890123456 + rng.randrange(1, 40)
            a.exchange.request = request(a.rpc_id, "tools/call", {"name": a.tool, "arguments": a.arguments})
        wrong = {"off": lambda: a.rpc_id + 5000, "string": lambda: str(a.rpc_id), "precision": lambda: 1781234567890123500,
                 "suffix": lambda: f"{a.rpc_id}_{rng.getrandbits(32):08x}"}[kind]()
        a.exchange.parts[0].message = reply(wrong, a.result)
        a.shown, a.shown_at = None, a.exchange.at + TIMEOUT
        seeded.faults.append(Fault(rules, [key(a)], ("client",) if kind in ("off", "string") else (), ids=(wrong,)))
    return seeded


def primed(call, rng, gap=0.4):
    """The call's stream closes after its priming event; what the resumed GET carries is the caller's to fill."""
    name = f"s{rng.getrandbits(40):010x}"
    started = call.exchange.at
    call.exchange.parts, call.exchange.end_at = [Part(started + 0.003, None, f"{name}_0")], started + 0.004
    return Exchange(call.session, started + gap, None, "GET", {"Last-Event-ID": f"{name}_0"}, end_at=started + gap + 0.1), name


def p11_replay_across_streams(day, rng):
    seeded = Seeded(day)
    for a, b in pick(day, rng):
        name = f"s{rng.getrandbits(40):010x}"
        b.exchange.parts[0].event_id = f"{name}_1"
        resumed, own = primed(a, rng, max(0.4, b.answered - a.exchange.at + 0.2))
        resumed.parts = [Part(resumed.at + 0.01, reply(b.rpc_id, b.result), f"{name}_1"),
                         Part(resumed.at + 0.02, reply(a.rpc_id, a.result), f"{own}_1")]
        a.answered = resumed.at + 0.02
        day.exchanges.append(resumed)
        seeded.faults.append(Fault(("replay-across-streams",), [key(b)], ("client",), ("W1", "W2")))
    return seeded


def n01_http_retry(day, rng):
    for (a,) in pick(day, rng, share=0.05, least=1):
        failed = Exchange(a.session, a.exchange.at - 0.040, a.exchange.request, end="reset", end_at=a.exchange.at - 0.010)
        if rng.random() < 0.5:
            failed.status, failed.end = 503, "closed"
        day.exchanges.append(failed)
    return Seeded(day)


def n02_resumed_with_replay(day, rng):
    for (a,) in pick(day, rng, share=0.05, least=1):
        name, started = f"s{rng.getrandbits(40):010x}", a.exchange.at
        progress = {"jsonrpc": "2.0", "method": "notifications/message", "params": {"level": "info", "data": "working"}}
        a.exchange.parts = [Part(started + 0.005, progress, f"{name}_1")]
        a.exchange.end, a.exchange.end_at = "reset", started + 0.010
        resumed = Exchange(a.session, started + 0.5, None, "GET", {"Last-Event-ID": f"{name}_1"})
        resumed.parts = [Part(started + 0.51, {**progress, "params": {"level": "info", "data": "nearly"}}, f"{name}_2"),
                         Part(started + 0.52, reply(a.rpc_id, a.result), f"{name}_3")]
        resumed.end_at, a.answered = started + 0.53, started + 0.52
        day.exchanges.append(resumed)
    return Seeded(day)


def n03_closed_for_polling(day, rng):
    for (a,) in pick(day, rng, share=0.05, least=1):
        resumed, name = primed(a, rng)
        resumed.parts = [Part(resumed.at + 0.02, reply(a.rpc_id, a.result), f"{name}_1")]
        a.answered = resumed.at + 0.02
        day.exchanges.append(resumed)
    return Seeded(day)


def modern(day):
    """The day as revision 2026-07-28 has it: no sessions, no initialize; each request says its revision and method."""
    kept = []
    for exchange in day.exchanges:
        method = exchange.request.get("method")
        if method in ("initialize", "notifications/initialized"):
            continue
        exchange.session.has_header, exchange.session.revision = False, MODERN
        exchange.headers |= {"MCP-Protocol-Version": MODERN, "Mcp-Method": method}
        parameters = dict(exchange.request.get("params") or {})
        if "name" in parameters:
            exchange.headers["Mcp-Name"] = parameters["name"]
        parameters["_meta"] = {"io.modelcontextprotocol/protocolVersion": MODERN, "io.modelcontextprotocol/clientCapabilities": {}}
        exchange.request = {**exchange.request, "params": parameters}
        for part in exchange.parts:
            part.message["result"] = {"resultType": "complete", **part.message["result"]}
        kept.append(exchange)
    day.exchanges = kept


def n04_ids_used_again_in_turn(day, rng):
    for group in sorted(day.groups):
        for number, call in enumerate(day.groups[group]):
            call.rpc_id = number + 1
            call.exchange.request = request(call.rpc_id, "tools/call", {"name": call.tool, "arguments": call.arguments})
            set_result(call, dict(call.result))
    modern(day)
    return Seeded(day)


def n05_ids_rewritten_and_restored(day, rng):
    """The server's wire has `5_a3b2c1d0` where the client's has 5."""
    original = {}
    for call in day.calls:
        remapped = f"{call.rpc_id}_{rng.getrandbits(32):08x}"
        original[id(call.exchange)] = call.rpc_id
        call.exchange.request = {**call.exchange.request, "id": remapped}
        call.exchange.parts[0].message = reply(remapped, call.result)

    def edit(twins):
        for call in day.calls:
            twin = twins[id(call.exchange)]
            twin.request = {**twin.request, "id": original[id(call.exchange)]}
            twin.parts[0].message = reply(original[id(call.exchange)], call.result)
    return Seeded(day, edit_front=edit)


def n06_batches(day, rng):
    gone = set()
    for session in day.sessions:
        session.revision = "2025-03-26"
    for exchange in day.exchanges:
        if isinstance(exchange.request, dict) and exchange.request.get("method") == "initialize":
            exchange.request["params"]["protocolVersion"] = "2025-03-26"
            exchange.parts[0].message["result"]["protocolVersion"] = "2025-03-26"
    for calls in (day.groups[g] for g in sorted(day.groups)):
        if len(calls) < 2:
            continue
        last = max(c.answered for c in calls)
        head = calls[0].exchange
        head.request = [c.exchange.request for c in calls]
        head.parts = [Part(last, [reply(c.rpc_id, c.result) for c in calls])]
        head.end_at = last + 0.001
        for call in calls:
            call.answered = last
        gone |= {id(c.exchange) for c in calls[1:]}
        for call in calls[1:]:
            call.exchange = head
    day.exchanges = [e for e in day.exchanges if id(e) not in gone]
    return Seeded(day)


def n07_cancelled_as_the_reply_leaves(day, rng):
    for (a,) in pick(day, rng, share=0.05, least=1):
        day.exchanges.append(Exchange(a.session, a.answered - 0.0005, {"jsonrpc": "2.0", "method": "notifications/cancelled",
                                                                       "params": {"requestId": a.rpc_id}},
                                      status=202, end_at=a.answered + 0.002))
    return Seeded(day)


def n08_many_errors(day, rng):
    for call in day.calls:
        if rng.random() < 0.6:
            call.result = {**text(f"Error: {rng.choice(['upstream unavailable', 'not found', 'quota exceeded', call.tool])}"), "isError": True}
            set_result(call, call.result)
    return Seeded(day)


def n09_input_required_and_retried(day, rng):
    modern(day)
    for (a,) in pick(day, rng, share=0.05, least=1):
        state = f"st{rng.getrandbits(64):016x}"
        again = Exchange(a.session, a.answered + 0.3, {**a.exchange.request, "id": 100000 + a.rpc_id}, headers=dict(a.exchange.headers))
        again.request["params"] = {**a.exchange.request["params"], "requestState": state, "inputResponses": {"who": {"action": "accept"}}}
        again.answer(a.answered + 0.4, reply(100000 + a.rpc_id, {"resultType": "complete", **a.result}))
        a.exchange.parts[0].message = reply(a.rpc_id, {"resultType": "input_required", "requestState": state, "inputRequests": {
            "who": {"method": "elicitation/create", "params": {"message": "Who?", "requestedSchema": {"type": "object", "properties": {}}}}}})
        a.answered += 0.4
        day.exchanges.append(again)
    return Seeded(day)


def n10_identical_payloads(day, rng):
    for call in day.calls:
        if rng.random() < 0.5:
            call.result = text("ok") if rng.random() < 0.7 else text("[]")
            if call.tool == "fetch_invoice":  # it promises a structure
                call.result = structured({"invoice": "none", "total": 0})
            set_result(call, call.result)
    return Seeded(day)


def n11_witness_comes_late_and_leaves_early(day, rng):
    times = sorted(e.at for e in day.exchanges)
    return Seeded(day, cut=(times[len(times) // 5] + 0.01, times[len(times) * 4 // 5] + 0.01))


def n12_clocks_apart(day, rng):
    return Seeded(day, front_skew=rng.choice((-5.0, 5.0)))


def n13_two_clients_behind_one_address(day, rng):
    for session in day.sessions:
        session.has_header, session.address = False, f"10.1.0.{session.number // 2 + 2}"
    return Seeded(day)


def n14_token_renewed(day, rng):
    for session in day.sessions:
        session.token = f"tok{rng.getrandbits(96):024x}"
        calls = [c for c in day.calls if c.session is session]
        renewed = calls[len(calls) // 2]
        later = f"tok{rng.getrandbits(96):024x}"
        for exchange in day.exchanges:
            if exchange.session is session and exchange.at >= renewed.exchange.at:
                exchange.headers["Authorization"] = f"Bearer {later}"
        day.exchanges.append(Exchange(session, renewed.exchange.at - 0.02, renewed.exchange.request, status=401,
                                      end_at=renewed.exchange.at - 0.015))
    return Seeded(day)


def n15_probe_then_initialize(day, rng):
    for session in day.sessions:
        first = next(e for e in day.exchanges if e.session is session)
        probe = Exchange(session, first.at - 0.05, request(0, "server/discover", {"_meta": {
            "io.modelcontextprotocol/protocolVersion": MODERN, "io.modelcontextprotocol/clientCapabilities": {}}}),
            headers={"MCP-Protocol-Version": MODERN, "Mcp-Method": "server/discover"}, status=404, end_at=first.at - 0.045)
        probe.parts = [Part(first.at - 0.046, {"jsonrpc": "2.0", "id": 0, "error": {"code": -32601, "message": "Method not found"}})]
        first.request = {**first.request, "id": "i1"}
        first.parts[0].message = reply("i1", first.parts[0].message["result"])
        day.exchanges.append(probe)
    return Seeded(day)


SEEDERS = {name[:3].upper(): seeder for name, seeder in sorted(globals().items()) if name[:1] in "pn" and name[1:3].isdigit()}
