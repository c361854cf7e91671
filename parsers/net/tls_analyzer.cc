#include "net/tls_analyzer.h"

#include <fmt/format.h>

#include <array>
#include <optional>

#include "net/tls_alert.h"
#include "net/tls_decryptor.h"
#include "net/tls_handshake.h"
#include "net/tls_key_schedule.h"
#include "net/tls_record.h"
#include "net/tls_wire.h"

namespace mcpscan::net {
namespace {

using model::Side;
using model::Stamp;

constexpr Side other(Side side) { return side == Side::client ? Side::server : Side::client; }
constexpr const char* side_name(Side side) { return side == Side::client ? "client" : "server"; }

enum class Verdict { used, not_a_record, wait };

struct Direction {
  Direction(Side whose, const Limits& limits) : side(whose), handshake(limits.tls_handshake_bytes), decryptor(limits) {}

  Side side;
  RecordReader records;
  HandshakeReader handshake;
  Decryptor decryptor;
  std::optional<Stamp> fin;
  bool waiting = false;    // the next record needs the other side's hello
  bool given_up = false;   // only counted from here on
  bool closed = false;     // the next analyzer was told that this side is done
  bool behind_gap = false; // bytes came after the last gap
  bool gap_open = false;   // bytes were lost; whether application data was among them shows with the next record
  bool gap_owed = false;   // given up before the next analyzer had heard of the connection
  bool skipped = false;    // records that no key opens stood before the first that one did: early data
};

class TlsAnalyzer final : public model::StreamAnalyzer {
 public:
  TlsAnalyzer(const Limits& limits, const KeyLog& keys, std::unique_ptr<model::StreamAnalyzer> next, model::AnomalyLog& anomalies,
              std::function<void(const TlsFacts&)> report)
      : limits_(limits), schedule_(keys), next_(std::move(next)), anomalies_(anomalies), report_(std::move(report)),
        client_(Side::client, limits), server_(Side::server, limits) {}

  void feed(Side from, std::string_view bytes, const Stamp& stamp) override;
  void gap(Side from, std::uint64_t length, const Stamp& stamp) override;
  void half_close(Side from, const Stamp& stamp) override;
  void finish(model::EndReason reason, const Stamp& stamp) override;

 private:
  bool saw_hello(const Direction& d) const { return d.side == Side::client ? schedule_.saw_client() : schedule_.saw_server(); }
  Direction& direction(Side side) { return side == Side::client ? client_ : server_; }
  void read_all(Direction& d);
  void read_records(Direction& d);
  void wake_peer(const Direction& d);
  void wait_for_hello(Direction& d, const Stamp& stamp);
  void bad_record(Direction& d);
  Verdict read(Direction& d, const TlsRecord& record);
  Verdict read_clear(Direction& d, const TlsRecord& record);
  Verdict read_sealed(Direction& d, const TlsRecord& record);
  Verdict read_searching(Direction& d, const TlsRecord& record);
  Verdict open(Direction& d, const TlsRecord& record);
  Verdict opened(Direction& d, const TlsRecord& record, bool after_search);
  Verdict unopened(Direction& d, const TlsRecord& record);
  Verdict damaged(Direction& d, const TlsRecord& record);
  void take_content(Direction& d, const Stamp& stamp);
  void take_handshake(Direction& d, std::string_view fragment, const Stamp& stamp);
  void take_message(Direction& d, const HandshakeMessage& message, const Stamp& stamp);
  void take_client_hello(const HandshakeMessage& message, const Stamp& stamp);
  void take_server_hello(const HandshakeMessage& message, const Stamp& stamp);
  void take_encrypted_extensions(const HandshakeMessage& message, const Stamp& stamp);
  void take_alert(Direction& d, std::string_view fragment, const Stamp& stamp);
  void change_cipher(Direction& d, const Stamp& stamp);
  bool prepare_keys(const Stamp& stamp);
  void prepare_tls13(Direction& d, const Stamp& stamp);

  void hand_on(Direction& d, std::string_view plain, const Stamp& stamp);
  void close(Direction& d, const Stamp& stamp);
  void tell_gap(Direction& d, std::uint64_t length, const Stamp& stamp);
  void tell_early_data_gap(const Stamp& stamp);
  void lost_some(Direction& d, std::uint64_t length, const Stamp& stamp);
  void give_up(Direction& d, std::string why, const Stamp& stamp);
  void give_up_both(const std::string& why, const Stamp& stamp);
  void stop_reading();
  void drop_held();
  void note(const char* kind, std::string text, const Stamp& stamp);
  void tell_search_in_vain(const Direction& d, const Stamp& stamp);
  std::string missing_part() const;

  const Limits& limits_;
  KeySchedule schedule_;
  std::unique_ptr<model::StreamAnalyzer> next_;
  model::AnomalyLog& anomalies_;
  std::function<void(const TlsFacts&)> report_;
  TlsFacts facts_;
  Direction client_, server_;
  OpenedRecord record_;
  std::uint32_t prepared_round_ = 0;  // handshake whose keys were looked up
  bool early_data_accepted_ = false, early_data_told_ = false;
};

void TlsAnalyzer::feed(Side from, std::string_view bytes, const Stamp& stamp) {
  (from == Side::client ? facts_.bytes_from_client : facts_.bytes_from_server) += bytes.size();
  Direction& d = direction(from);
  if (bytes.empty() || d.given_up || d.closed || d.fin) return;
  d.behind_gap = true;
  d.records.append(bytes, stamp);
  read_all(d);
}

void TlsAnalyzer::read_all(Direction& d) {
  read_records(d);
  drop_held();
}

// What one side brings may free records of the other that wait for it; at once, so that the cutting of the bytes changes nothing.
void TlsAnalyzer::wake_peer(const Direction& d) {
  Direction& peer = direction(other(d.side));
  if (peer.waiting && schedule_.ready()) read_records(peer);
}

// Nothing is kept for directions that are over; the plaintext buffer is not kept between calls (there may be thousands of connections).
void TlsAnalyzer::drop_held() {
  for (Direction* d : {&client_, &server_}) {
    if (!d->given_up && !d->closed) continue;
    d->records.clear();
    d->decryptor.forget();
  }
  std::vector<char>().swap(record_.storage);
}

void TlsAnalyzer::read_records(Direction& d) {
  d.waiting = false;
  while (!d.given_up && !d.closed) {
    const std::optional<TlsRecord> record = d.records.next();
    if (!record && !d.records.broken()) break;
    if (!record) {
      bad_record(d);
      continue;
    }
    const Stamp stamp = record->stamp;
    const Verdict verdict = read(d, *record);
    if (verdict == Verdict::wait) return wait_for_hello(d, stamp);
    if (verdict == Verdict::used) d.records.accept();
    else d.records.reject();
    wake_peer(d);
  }
  if (d.fin) close(d, *d.fin);
}

void TlsAnalyzer::wait_for_hello(Direction& d, const Stamp& stamp) {
  d.waiting = true;
  if (d.records.held() <= limits_.tls_wait_bytes) return;
  note("tls-hello-missing", fmt::format("more than {} bytes from the {} wait for a hello (tls_wait_bytes)", limits_.tls_wait_bytes, side_name(d.side)), stamp);
  give_up(d, missing_part(), stamp);
}

void TlsAnalyzer::bad_record(Direction& d) {
  const Stamp stamp = d.records.search_on();
  note("tls-bad-record", fmt::format("bytes from the {} that begin no TLS record", side_name(d.side)), stamp);
  if (!d.decryptor.proven()) return give_up(d, fmt::format("bytes from the {} are no TLS records", side_name(d.side)), stamp);
  d.handshake.reset();
  d.decryptor.lose(limits_.tls_resync_records);
  tell_gap(d, 0, stamp);
}

Verdict TlsAnalyzer::read(Direction& d, const TlsRecord& record) {
  if (d.decryptor.searching()) return read_searching(d, record);
  if (d.decryptor.active()) return read_sealed(d, record);
  return read_clear(d, record);
}

Verdict TlsAnalyzer::read_clear(Direction& d, const TlsRecord& record) {
  switch (record.type()) {
    case ContentType::handshake: take_handshake(d, record.fragment, record.stamp); return Verdict::used;
    case ContentType::alert: take_alert(d, record.fragment, record.stamp); return Verdict::used;
    default: break;
  }
  // Only TLS 1.3 asks for another hello, and its change of cipher means nothing.
  if (schedule_.retry_requested() && record.type() == ContentType::change_cipher_spec) return Verdict::used;
  if (!saw_hello(d)) {
    give_up_both("joined midway: the handshake was not captured", record.stamp);
    return Verdict::used;
  }
  if (!schedule_.ready()) return Verdict::wait;
  if (!prepare_keys(record.stamp) || d.given_up) return Verdict::used;
  if (schedule_.tls13()) return read(d, record);
  if (record.type() == ContentType::change_cipher_spec) change_cipher(d, record.stamp);
  else give_up(d, fmt::format("application data from the {} before its keys were agreed", side_name(d.side)), record.stamp);
  return Verdict::used;
}

Verdict TlsAnalyzer::read_sealed(Direction& d, const TlsRecord& record) {
  if (!schedule_.tls13()) {
    const bool needs_keys = record.type() == ContentType::change_cipher_spec;
    if (needs_keys && !schedule_.ready()) return Verdict::wait;
    if (needs_keys && !prepare_keys(record.stamp)) return Verdict::used;
    return open(d, record);
  }
  switch (record.type()) {
    case ContentType::application_data: return open(d, record);
    case ContentType::alert: take_alert(d, record.fragment, record.stamp); break;
    case ContentType::handshake:
      if (!d.decryptor.proven()) take_handshake(d, record.fragment, record.stamp);
      break;
    case ContentType::change_cipher_spec: break;  // for middleboxes (RFC 8446 appendix D.4)
  }
  return Verdict::used;
}

Verdict TlsAnalyzer::read_searching(Direction& d, const TlsRecord& record) {
  if (!schedule_.ready()) return Verdict::wait;
  if (!prepare_keys(record.stamp) || d.given_up) return Verdict::used;
  const bool place_known = d.records.place_known();
  if (schedule_.tls13() && record.type() != ContentType::application_data) return place_known ? Verdict::used : Verdict::not_a_record;
  if (record.header.substr(1, 2) != "\x03\x03") return Verdict::not_a_record;
  const bool change = !d.decryptor.active() && record.type() == ContentType::change_cipher_spec && record.fragment == "\x01";
  if (change) {
    change_cipher(d, record.stamp);
    d.decryptor.settle();
    return Verdict::used;
  }
  return open(d, record);
}

Verdict TlsAnalyzer::open(Direction& d, const TlsRecord& record) {
  const bool searching = d.decryptor.searching();
  if (d.decryptor.open(record, record_)) return opened(d, record, searching);
  if (searching) return unopened(d, record);
  if (!d.decryptor.proven()) {
    note("tls-secret-mismatch", fmt::format("the key log's secret for this connection does not open the {}'s first record", side_name(d.side)), record.stamp);
    give_up(d, fmt::format("the key log's secret does not fit ({} side)", side_name(d.side)), record.stamp);
    return Verdict::used;
  }
  d.decryptor.lose(1);
  return d.decryptor.open(record, record_) ? opened(d, record, true) : damaged(d, record);
}

Verdict TlsAnalyzer::opened(Direction& d, const TlsRecord& record, bool after_search) {
  if (!facts_.decrypted) {
    facts_.decrypted = true;
    schedule_.mark_used();
  }
  if (after_search && d.gap_open) {
    d.gap_open = false;
    const std::uint64_t first = schedule_.tls13() ? 0 : 1;  // TLS 1.2 numbers the Finished first
    if (d.decryptor.application() && d.decryptor.sequence() > first + 1) tell_gap(d, 0, record.stamp);
  }
  take_content(d, record.stamp);
  return Verdict::used;
}

// While the right key or number is searched: another record, or none at all.
Verdict TlsAnalyzer::unopened(Direction& d, const TlsRecord& record) {
  if (d.decryptor.exhausted()) {
    give_up(d, fmt::format("the search for the {}'s next record was given up after {} bytes (tls_resync_bytes)", side_name(d.side), limits_.tls_resync_bytes),
            record.stamp);
    return Verdict::used;
  }
  if (d.records.place_known()) {
    d.skipped = true;
    if (d.decryptor.proven()) ++facts_.records_lost;
    else tell_early_data_gap(record.stamp);
  }
  return Verdict::not_a_record;
}

Verdict TlsAnalyzer::damaged(Direction& d, const TlsRecord& record) {
  ++facts_.records_lost;
  note("tls-record-damaged", fmt::format("a record from the {} with {} bytes does not authenticate", side_name(d.side), record.fragment.size()), record.stamp);
  d.handshake.reset();
  const bool data = record.type() == ContentType::application_data && d.decryptor.cipher() != nullptr;
  lost_some(d, data ? d.decryptor.cipher()->plain_bytes(record.fragment.size()).value_or(0) : 0, record.stamp);
  return Verdict::used;
}

void TlsAnalyzer::take_content(Direction& d, const Stamp& stamp) {
  switch (record_.type) {
    case ContentType::application_data: return hand_on(d, record_.plain, stamp);
    case ContentType::handshake: return take_handshake(d, record_.plain, stamp);
    case ContentType::alert: return take_alert(d, record_.plain, stamp);
    case ContentType::change_cipher_spec: return change_cipher(d, stamp);
  }
  note("tls-unknown-content", fmt::format("a record from the {} of type {}", side_name(d.side), static_cast<int>(record_.type)), stamp);
}

void TlsAnalyzer::take_handshake(Direction& d, std::string_view fragment, const Stamp& stamp) {
  d.handshake.feed(fragment, [&](const HandshakeMessage& message) { take_message(d, message, stamp); });
}

void TlsAnalyzer::take_message(Direction& d, const HandshakeMessage& message, const Stamp& stamp) {
  if (message.too_long) {
    return note("tls-handshake-too-long", fmt::format("a handshake message over {} bytes (tls_handshake_bytes)", limits_.tls_handshake_bytes), stamp);
  }
  const bool sealed13 = schedule_.tls13() && d.decryptor.proven();
  switch (message.type) {
    case HandshakeType::client_hello:
      if (d.side == Side::client && !sealed13) take_client_hello(message, stamp);
      return;
    case HandshakeType::server_hello:
      if (d.side == Side::server && !sealed13) take_server_hello(message, stamp);
      return;
    case HandshakeType::encrypted_extensions:
      if (d.side == Side::server && sealed13) take_encrypted_extensions(message, stamp);
      return;
    case HandshakeType::finished:
      if (sealed13 && !d.decryptor.application()) d.decryptor.advance();
      return;
    case HandshakeType::key_update:
      if (sealed13 && d.decryptor.application()) d.decryptor.advance();
      return;
  }
}

void TlsAnalyzer::take_client_hello(const HandshakeMessage& message, const Stamp& stamp) {
  std::optional<ClientHello> hello = parse_client_hello(message.body);
  if (!hello) return note("tls-bad-handshake", "a client hello whose fields do not fit its length", stamp);
  if (!hello->server_name.empty()) facts_.server_name = hello->server_name;
  if (!hello->alpn.empty()) facts_.alpn_offered = hello->alpn;
  schedule_.take(std::move(*hello));
}

void TlsAnalyzer::take_server_hello(const HandshakeMessage& message, const Stamp& stamp) {
  std::optional<ServerHello> hello = parse_server_hello(message.body);
  if (!hello) return note("tls-bad-handshake", "a server hello whose fields do not fit its length", stamp);
  facts_.version = tls_version_name(hello->version);
  if (!hello->alpn.empty()) facts_.alpn = hello->alpn;
  schedule_.take(std::move(*hello));
}

void TlsAnalyzer::take_encrypted_extensions(const HandshakeMessage& message, const Stamp& stamp) {
  std::optional<EncryptedExtensions> extensions = parse_encrypted_extensions(message.body);
  if (!extensions) return note("tls-bad-handshake", "encrypted extensions whose fields do not fit their length", stamp);
  if (!extensions->alpn.empty()) facts_.alpn = extensions->alpn;
  early_data_accepted_ = extensions->early_data;
  tell_early_data_gap(stamp);
}

void TlsAnalyzer::take_alert(Direction& d, std::string_view fragment, const Stamp& stamp) {
  if (fragment.size() != 2) return;
  const auto level = static_cast<std::uint8_t>(fragment[0]), code = static_cast<std::uint8_t>(fragment[1]);
  if (code == static_cast<std::uint8_t>(AlertCode::close_notify)) return close(d, stamp);
  if (!is_fatal_alert(level, code, schedule_.tls13()) || !facts_.alert.empty()) return;
  facts_.alert = fmt::format("{} from the {}", alert_text(code), side_name(d.side));
}

void TlsAnalyzer::change_cipher(Direction& d, const Stamp& stamp) {
  d.handshake.reset();
  if (!d.decryptor.advance()) note("tls-bad-handshake", fmt::format("the {} changes its cipher without a handshake", side_name(d.side)), stamp);
}

// False: the newest handshake's keys cannot be had; both directions are given up.
bool TlsAnalyzer::prepare_keys(const Stamp& stamp) {
  if (prepared_round_ == schedule_.round()) return true;
  prepared_round_ = schedule_.round();
  if (const std::string why = schedule_.look_up(); !why.empty()) return give_up_both(why, stamp), false;
  if (schedule_.tls13()) {
    prepare_tls13(client_, stamp);
    prepare_tls13(server_, stamp);
    return true;
  }
  TrafficKeys client, server;
  schedule_.keys_of_master(client, server);
  if (!client.cipher || !server.cipher) return give_up_both("libcrypto refuses the cipher suite", stamp), false;
  client_.decryptor.expect(std::move(client));
  server_.decryptor.expect(std::move(server));
  return true;
}

void TlsAnalyzer::prepare_tls13(Direction& d, const Stamp& stamp) {
  TrafficKeys application = schedule_.application_keys(d.side), handshake = schedule_.handshake_keys(d.side);
  if (!application.cipher) return give_up(d, fmt::format("the key log lacks the {}'s application secret", side_name(d.side)), stamp);
  // Without handshake keys, and after early data, records that no key opens stand before the first that one does.
  if (!handshake.cipher) d.decryptor.lose(1);
  else d.decryptor.install(std::move(handshake));
  if (d.side == Side::client && schedule_.early_data_offered()) d.decryptor.lose(0);
  d.decryptor.expect(std::move(application));
}

void TlsAnalyzer::gap(Side from, std::uint64_t length, const Stamp& stamp) {
  Direction& d = direction(from);
  if (d.given_up || d.closed || d.fin) return;
  if (!saw_hello(d)) {
    give_up_both(fmt::format("the handshake was not captured whole: bytes from the {} are missing", side_name(from)), stamp);
    return drop_held();
  }
  const bool searched = d.decryptor.searching();
  RecordLoss loss = d.waiting ? d.records.lose_place() : d.records.lose(length);
  if (loss.records == 0) return;
  d.waiting = d.behind_gap = false;
  d.handshake.reset();
  d.decryptor.lose(loss.records);
  const bool exact = !searched && loss.fragment && loss.type == ContentType::application_data && d.decryptor.cipher() != nullptr;
  lost_some(d, exact ? d.decryptor.cipher()->plain_bytes(*loss.fragment).value_or(0) : 0, stamp);
}

// Application data surely stands in what is lost under application keys; under others it shows with the next record.
void TlsAnalyzer::lost_some(Direction& d, std::uint64_t length, const Stamp& stamp) {
  if (d.decryptor.application() && d.decryptor.proven()) tell_gap(d, length, stamp);
  else d.gap_open = true;
}

void TlsAnalyzer::half_close(Side from, const Stamp& stamp) {
  Direction& d = direction(from);
  if (d.closed || d.fin) return;
  d.fin = stamp;
  if (d.given_up) return close(d, stamp);
  if (!d.waiting && d.records.held() > 0 && d.decryptor.proven() && d.records.place_known()) {
    note("tls-truncated-record", fmt::format("the {} closed inside a record", side_name(from)), stamp);
    tell_gap(d, 0, stamp);
  }
  d.records.end();
  read_all(d);
}

void TlsAnalyzer::finish(model::EndReason reason, const Stamp& stamp) {
  for (Direction* d : {&client_, &server_}) {
    d->records.end();
    if (!d->given_up && !d->closed && !d->waiting && !d->records.place_known()) read_all(*d);
  }
  if (facts_.why_not.empty() && !facts_.decrypted) facts_.why_not = missing_part();
  for (const Direction* d : {&client_, &server_}) tell_search_in_vain(*d, stamp);
  next_->finish(reason, stamp);
  if (report_) report_(facts_);
}

void TlsAnalyzer::tell_search_in_vain(const Direction& d, const Stamp& stamp) {
  if (d.given_up || d.closed || !facts_.decrypted || !d.behind_gap || !(d.decryptor.searching() || d.waiting)) return;
  const std::string why = fmt::format("after missing bytes no record from the {} could be opened", side_name(d.side));
  note("tls-direction-lost", fmt::format("{}; {} lost records are searched across (tls_resync_records)", why, limits_.tls_resync_records), stamp);
  if (facts_.why_not.empty()) facts_.why_not = why;
}

std::string TlsAnalyzer::missing_part() const {
  if (!schedule_.saw_client()) return "the client hello was not captured";
  if (!facts_.alert.empty()) return "the handshake failed: " + facts_.alert;
  if (!schedule_.saw_server()) return "the server hello was not captured";
  if (!schedule_.ready()) return "a handshake was not captured whole";
  KeySchedule asked = schedule_;
  const std::string why = asked.look_up();
  return why.empty() ? "no protected record could be opened" : why;
}

void TlsAnalyzer::hand_on(Direction& d, std::string_view plain, const Stamp& stamp) {
  if (plain.empty()) return;
  for (Direction* owing : {&client_, &server_}) {
    if (std::exchange(owing->gap_owed, false)) tell_gap(*owing, 0, stamp);
  }
  (d.side == Side::client ? facts_.plain_from_client : facts_.plain_from_server) += plain.size();
  next_->feed(d.side, plain, stamp);
  if (!next_->interested()) stop_reading();
}

void TlsAnalyzer::close(Direction& d, const Stamp& stamp) {
  if (std::exchange(d.closed, true) || !facts_.decrypted) return;
  next_->half_close(d.side, stamp);
}

void TlsAnalyzer::tell_gap(Direction& d, std::uint64_t length, const Stamp& stamp) { next_->gap(d.side, length, stamp); }

// Early data that the server took was a part of the request; what the server refused is sent again (RFC 8446 section 4.2.10).
void TlsAnalyzer::tell_early_data_gap(const Stamp& stamp) {
  if (!early_data_accepted_ || !client_.skipped || std::exchange(early_data_told_, true)) return;
  tell_gap(client_, 0, stamp);
}

void TlsAnalyzer::give_up(Direction& d, std::string why, const Stamp& stamp) {
  if (std::exchange(d.given_up, true)) return;
  if (facts_.decrypted) {
    note("tls-direction-lost", fmt::format("the {}'s data cannot be read any further: {}", side_name(d.side), why), stamp);
    tell_gap(d, 0, stamp);
  } else {
    d.gap_owed = true;
  }
  if (facts_.why_not.empty()) facts_.why_not = std::move(why);
}

void TlsAnalyzer::give_up_both(const std::string& why, const Stamp& stamp) {
  give_up(client_, why, stamp);
  give_up(server_, why, stamp);
}

// The next analyzer does not care for this connection: volumes are still counted.
void TlsAnalyzer::stop_reading() { client_.given_up = server_.given_up = true; }

void TlsAnalyzer::note(const char* kind, std::string text, const Stamp& stamp) { anomalies_.add({kind, std::move(text), stamp.source, 1}); }

}  // namespace

std::unique_ptr<model::StreamAnalyzer> make_tls_analyzer(const Limits& limits, const KeyLog& keys, std::unique_ptr<model::StreamAnalyzer> next,
                                                         model::AnomalyLog& anomalies, std::function<void(const TlsFacts&)> report) {
  return std::make_unique<TlsAnalyzer>(limits, keys, std::move(next), anomalies, std::move(report));
}

}  // namespace mcpscan::net
