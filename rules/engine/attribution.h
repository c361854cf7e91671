// Whose fault a misrouted reply is: what each vantage point of the path shows, in; the party, how sure, and what would settle it, out.
// The path is client, client's wire, gateway, server's wire, server. The hop between the last right and the first wrong record did it; where
// two hops lie between, it is undetermined which, and the missing vantage point is named. A table with a row for each picture of the
// protocol notes C.2; it looks at no traffic itself.
// Source: protocol notes C.1 to C.3. Threads: pure functions.
#pragma once

#include <cstdint>
#include <string_view>

#include "model/finding.h"

namespace mcpscan::engine {

// What one wire shows of two calls, A whose reply is missing or elsewhere, and B that shows A's payload.
enum class Sight : std::uint8_t {
  unseen,
  right,            // each reply under its own id, on its own stream, with its own payload
  right_but_late,   // as right, but A's reply came after the client had given A up
  crossed_stream,   // A's reply, id A, on the stream of B
  crossed_payload,  // ids and streams are right, the payload of B's reply is A's
  shared_id,        // both requests had one id in flight; B's stream has A's payload, A's has none
  other,            // wrong in some other way: lost, twice, an unknown id
};

enum class ServerRecord : std::uint8_t {
  unseen,
  answered,         // the server's log says that it answered A in time
  right,            // its log has each payload under its own call
  crossed,          // its log has A's payload as the result of B
};

struct MisroutePicture {
  Sight client_wire = Sight::unseen, server_wire = Sight::unseen;
  ServerRecord server = ServerRecord::unseen;
  bool shown = false;                // the client's own record: A timed out, A's payload under B
  bool reissued = false;             // A's id was used for B before A's reply came
  bool ids_collide_behind = false;   // ids that differ at the client's wire are one at the server's
  bool rewrites_ids = false;         // this client is known to give a reply on B's stream the id of B
  bool payload_attributed = false;   // echo in both directions, a log or the client's digest says whose the payload is
  bool complete = true;              // no gap at these calls, clocks aligned, whole payloads: what `proven` needs
};

// What tells a call of which its server waits for an answer of its client from other lost ones (FindingDraft::discriminator).
constexpr std::string_view kWaitsForClient = "waits for its client";

// Row by row of C.2. `reason` says what was seen, and what would settle it where that is open.
model::Fault attribute(const MisroutePicture& picture);

// The same for any fault that is wrong at `wrong` and right at `right`, which lies behind it (nearer to the server).
model::Fault between(model::Vantage wrong, model::Vantage right);
// ... and for one that was wrong already at the innermost point that saw it.
model::Fault behind(model::Vantage wrong);

}  // namespace mcpscan::engine
