// Every bound of the program: unit, default, reason. Each has a test and a row in docs/limits.md; reaching one is an
// Anomaly that names it. Never zero for "unlimited".
#pragma once

#include <cstddef>
#include <cstdint>

namespace mcpscan {

struct Limits {
  // --- reading ---
  std::size_t block_bytes = 512u << 10;         // bytes a worker takes at a time; what they come to fits a core's second cache
  std::size_t line_bytes = 16u << 20;           // longest line kept; base64 images make lines of 10 MB; the rest is skipped
  std::size_t record_bytes = 32u << 20;         // longest record of several lines
  std::size_t record_lines = 2000;              // lines of one record (tracebacks, pretty JSON)
  std::size_t open_records = 64;                // records of several processes open at a time in one log (docker streams, pods)
  std::size_t newest_first_bytes = 256u << 20;  // a log whose newest record comes first, held to be turned round; cloud exports stay far below
  std::size_t framing_depth = 4;                // framings stacked on one line (CRI in Fluent Bit in GCP ...)
  std::size_t archive_members = 100000;         // members read of one archive
  std::size_t input_files = 100000;             // files read in one run; 200 bytes each
  std::size_t repeated_ahead_files = 16;        // files whose beginnings are looked for in one that is read before them; half a KiB each
  std::size_t folder_depth = 64;                // folders inside folders
  std::uint64_t expansion_ratio = 2000;         // decompressed bytes a compressed byte may become (logs reach 200)
  std::uint64_t expansion_floor_bytes = 64u << 20;  // below this size no ratio is judged
  // --- JSON ---
  std::size_t json_depth = 256;                 // nesting of a message; deeper is an anomaly, the head fields are kept
  std::size_t id_bytes = 1024;                  // longest id kept; longer ones are compared by digest
  std::size_t batch_messages = 1000;            // messages of one batch
  // --- traces ---
  std::size_t otlp_spans = 65536;               // beginnings and ends of spans put into the order of time; exporters write a span as it ends. 1 KiB each
  std::size_t otlp_services = 64;               // services of one export, each side of one a source of its own
  // --- network ---
  std::size_t flows = 65536;                    // TCP connections open at a time
  std::size_t flow_buffer_bytes = 1u << 20;     // out-of-order bytes kept a direction
  std::size_t total_buffer_bytes = 48u << 20;   // out-of-order bytes kept in all
  std::size_t flow_segments = 4096;             // out-of-order segments kept a direction
  std::int64_t flow_idle_us = 3600ll * 1000000; // a connection silent for this long is over
  std::size_t fragments = 1024;                 // IP datagrams being put together
  std::size_t fragment_bytes = 4u << 20;        // bytes kept for all of them; a datagram has at most 64 KiB
  std::int64_t fragment_age_us = 60ll * 1000000;  // a datagram's last piece comes within a minute (RFC 8200 section 4.5) or never
  std::size_t packet_bytes = 1u << 20;          // one captured packet; libpcap writes 256 KiB at most
  std::size_t capture_block_bytes = 16u << 20;  // one pcapng block; secrets and name tables are the largest
  std::size_t capture_interfaces = 4096;        // interfaces of one pcapng section
  std::size_t capture_resync_bytes = 16u << 20; // bytes searched for the next record after an impossible one
  std::size_t secrets_bytes = 4u << 20;         // key log text taken from pcapng secrets blocks
  std::int64_t reorder_us = 200ll * 1000;       // a capture shows a packet at most this much after its acknowledgement
  std::int64_t hole_age_us = 120ll * 1000000;   // no sender repeats a segment after two minutes
  std::int64_t flow_linger_us = 240ll * 1000000;  // a finished connection is remembered for two segment lifetimes (RFC 9293)
  std::uint64_t sequence_jump_bytes = 64u << 20;  // a step of sequence numbers beyond this must be confirmed by a second packet
  std::size_t header_bytes = 256u << 10;        // one HTTP header section
  std::size_t body_bytes = 32u << 20;           // one HTTP body or SSE event kept for parsing
  std::size_t http2_streams = 4096;             // HTTP/2 streams open on a connection
  std::size_t tls_key_log_secrets = 65536;      // connections a key log may hold secrets for; 350 bytes each, 23 MB
  std::size_t tls_wait_bytes = 64u << 10;       // records held a direction until the other side's hello was read (early data reaches 16 KiB)
  std::size_t tls_handshake_bytes = 64u << 10;  // longest handshake message kept; hellos with post-quantum key shares reach 3 KiB
  std::size_t tls_resync_records = 1024;        // records that may have been lost in one gap; the next sequence number is searched that far ahead
  std::size_t tls_resync_bytes = 64u << 20;     // bytes a direction may decrypt in vain beyond those it opened; about 50 ms
  // --- HTTP ---
  std::size_t sniff_bytes = 64u << 10;          // bytes of a connection caught in the middle searched for a first message head
  std::size_t early_response_bytes = 256u << 10;  // response bytes kept until the request they answer is read (packets out of order)
  std::size_t http_buffer_bytes = 64u << 20;    // bodies, events and early responses kept in all; the longest ones are cut
  std::size_t pipelined_requests = 256;         // requests of a connection waiting for a response; more in one-sided captures
  std::size_t content_decoders = 256;           // compressed bodies being decoded at a time; each may hold a window of 16 MiB
  std::size_t mcp_endpoints = 4096;             // URLs remembered as MCP's, and sessions of the legacy transport by URL
  std::size_t foreign_events = 32;              // events of a stream of unknown nature looked at before it counts as foreign
  std::size_t hpack_table_bytes = 1u << 20;     // largest HPACK table followed; peers ask for 4 to 64 KiB
  // --- HAR ---
  std::size_t har_entry_bytes = 64u << 20;      // one entry's JSON; a base64 body of body_bytes takes 43 MiB
  std::size_t har_reorder_entries = 1024;       // entries put into the order of their starts; proxies write them as they end
  std::size_t har_pending_entries = 8192;       // exchanges whose end is still to come; 400 bytes each and their bodies
  std::size_t har_pending_bytes = 24u << 20;    // bodies kept until the time at which they were complete
  // --- transcripts ---
  std::size_t transcript_calls = 16384;         // tool calls of client transcripts remembered, to pair results and tell repeated lines; 200 bytes each
  std::size_t transcript_text_bytes = 1024;     // head kept of a call's arguments and of the text shown; what echo and quotes look at
  // --- access lines ---
  std::size_t waiting_records = 16384;          // records of a log waiting for requests that came before them and are written later; 1 KB each
  std::size_t waiting_record_bytes = 32u << 20; // the same in bytes, bodies included
  // --- session ---
  std::size_t sessions = 20000;                 // sessions followed at a time; older ones fold into their counters
  std::size_t calls_in_flight = 65536;          // calls waiting for a reply, over all sessions
  std::size_t exchanges = 65536;                // HTTP exchanges open at a time
  std::int64_t call_age_us = 24ll * 3600 * 1000000;  // a call waiting for this long is closed as unanswered
  std::size_t id_intervals = 256;               // runs of used integer ids remembered a session
  std::size_t id_hashes = 4096;                 // used string ids remembered a session
  std::size_t finished_calls = 16384;           // closed calls remembered, over all sessions, to tell late, duplicate and replayed replies
  std::size_t same_id_calls = 1024;             // open calls of one id looked at when a record names the id only
  std::size_t tools = 10000;                    // tools counted by name; 600 bytes each
  std::size_t event_ids = 65536;                // SSE event ids remembered, to tell what a resumed stream resumes
  std::size_t session_addresses = 64;           // client addresses and principals remembered a session
  // --- extract ---
  std::size_t extract_places = 4000000;         // records an extract keeps, counted before they are told apart; 8 bytes each
  std::size_t share_values = 1000000;           // different words and names replaced in one shared bundle; 200 bytes each
  // --- report ---
  std::size_t report_sessions = 10000;          // rows of the session table
  std::size_t activity_sessions = 1000;         // sessions whose activity is counted by time, the others together; 3 KB each
  std::size_t report_calls = 100;               // calls listed a finding
  std::size_t report_evidence = 100;            // places listed a finding
  std::size_t report_places = 20000;            // calls and places listed in all findings, 400 bytes each; beyond it a finding lists three
  std::size_t evidence_text_bytes = 240;        // head of a record quoted as evidence
  std::size_t report_text_bytes = 4096;         // bytes of one free text (story, tool name, quote) a report shows; a screen holds 8,000
  std::size_t terminal_text_bytes = 1024;       // the same on a terminal: thirteen lines of 80 columns, the longest story has eight
  std::size_t terminal_rows = 12;               // rows of a list on a terminal; an incident and its lists fit a screen
  std::size_t verify_calls = 200000;            // answered calls that verify notes as places for a fault, 300 bytes each; more are left out and counted
  std::size_t verify_reply_bytes = 1 << 20;     // a longer reply is not exchanged for another: copies of 40 at a time are held
  std::size_t findings = 20000;                 // findings kept; more are counted
};

}  // namespace mcpscan
