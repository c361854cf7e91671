#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>

#include "base/data_file.h"
#include "base/yaml.h"
#include "ingest/text/dialect.h"
#include "ingest/text/json_scan.h"
#include "ingest/text/yaml_source.h"

namespace mcpscan::ingest {
namespace {

constexpr std::size_t kFewestSamples = 3;
constexpr std::size_t kLeastAnywhere = 12;

template <typename Enum>
std::vector<std::string_view> words_of(std::size_t count) {
  std::vector<std::string_view> words;
  for (std::size_t i = 0; i < count; ++i) words.push_back(word_of(static_cast<Enum>(i)));
  return words;
}

Field field_named(std::string_view name, bool& known) {
  for (std::size_t i = 0; i < kFields; ++i) {
    if (name_of(static_cast<Field>(i)) == name) return known = true, static_cast<Field>(i);
  }
  known = false;
  return Field::ignore;
}

// Reads one dialect file; a member function for each kind of entry.
class DialectReader {
 public:
  DialectReader(std::string_view yaml, std::string_view path, Proof proof) : source_(yaml, path), yaml_(yaml), proof_(proof) { dialect_.path = path; }

  Result<Dialect> run() {
    const YamlText text = read_yaml(yaml_);
    if (text.error.empty()) read_document(text.root);
    else source_.fail(text.error_place, "not YAML: " + text.error);
    if (!source_.ok()) return source_.error();
    return std::move(dialect_);
  }

 private:
  using Node = YamlNode;
  using Key = YamlSource::Key;

  Key text_key(std::string_view name, std::string& to) {
    return {name, [this, name, &to](const Node& node) { to = source_.scalar(node, name); }};
  }

  void read_document(const Node& document) {
    source_.each_key(document, "a dialect", {
        text_key("name", dialect_.name),
        text_key("title", dialect_.title),
        text_key("reference", dialect_.reference),
        text_key("enable", dialect_.enable),
        {"vantage", [this](const Node& node) { read_vantage(node); }},
        {"prefixes", [this](const Node& node) { source_.each_item(node, "prefixes", [this](const Node& item) { read_prefix(item); }); }},
        {"messages", [this](const Node& node) { source_.each_item(node, "messages", [this](const Node& item) { read_message(item); }); }},
        {"json", [this](const Node& node) { source_.each_item(node, "json", [this](const Node& item) { read_json(item); }); }},
        {"samples", [this](const Node& node) { source_.each_item(node, "samples", [this](const Node& item) { read_sample(item); }); }},
        {"not_samples", [this](const Node& node) { source_.each_item(node, "not_samples", [this](const Node& item) { read_not_sample(item); }); }},
    });
    if (source_.ok()) check_whole(document);
  }

  void check_whole(const Node& document) {
    const Dialect& d = dialect_;
    for (const auto& [key, value] : {std::pair{"name", &d.name}, {"title", &d.title}, {"reference", &d.reference}, {"vantage", &d.vantage_word}}) {
      if (value->empty()) return source_.fail(document, fmt::format("the dialect has no {}", key));
    }
    if (d.prefixes.empty() && d.messages.empty() && d.json.empty()) return source_.fail(document, "the dialect has no prefixes, messages or json");
    if (proof_ == Proof::given) return;
    if (d.samples.size() < kFewestSamples) {
      return source_.fail(document, fmt::format("the dialect has {} samples, it needs {}", d.samples.size(), kFewestSamples),
                          "samples show what each rule is for, and prove it");
    }
    if (d.not_samples.empty()) source_.fail(document, "the dialect has no not_samples", "give one line that looks alike and is not meant");
  }

  void read_vantage(const Node& node) {
    static const std::vector<std::string_view> kWords{"unknown", "client", "client-wire", "gateway", "server-wire", "server"};
    dialect_.vantage = static_cast<model::Vantage>(source_.choice(node, "vantage", kWords));
    dialect_.vantage_word = source_.scalar(node, "vantage");
  }

  void add_forms(const Node& node, std::vector<Template>& forms) {
    for (const std::string& form : expand_leading_options(source_.scalar(node, "match"))) {
      Result<Template> compiled = Template::compile(form);
      if (!compiled) return source_.fail(node, compiled.error().what, compiled.error().hint);
      if (compiled->specificity() == 0) return source_.fail(node, "the pattern matches everything");
      forms.push_back(compiled.take());
    }
  }

  Key keying_key(model::SessionKeying& to) {
    return {"keying", [this, &to](const Node& node) {
              to = static_cast<model::SessionKeying>(source_.choice(node, "keying", words_of<model::SessionKeying>(7)));
            }};
  }

  void read_prefix(const Node& node) {
    PrefixRule rule;
    rule.name = dialect_.name;
    if (node.is_text()) {
      add_forms(node, rule.forms);
    } else {
      source_.each_key(node, "a prefix", {
          {"match", [&](const Node& value) { add_forms(value, rule.forms); }},
          text_key("name", rule.name),
          keying_key(rule.keying),
          {"logger_behind", [&](const Node& value) { rule.logger_behind = source_.boolean(value, "logger_behind"); }},
      });
    }
    if (!source_.ok()) return;
    for (const Template& form : rule.forms) {
      if (!form.has(Field::message)) return source_.fail(node, "a prefix has no {message}", "it stands where the message begins");
    }
    dialect_.prefixes.push_back(std::move(rule));
  }

  std::vector<Key> meaning_keys(Meaning& meaning) {
    return {
        {"is", [this, &meaning](const Node& node) { meaning.is = static_cast<RecordKind>(source_.choice(node, "is", words_of<RecordKind>(7))); }},
        {"notice", [this, &meaning](const Node& node) {
           meaning.notice = static_cast<model::NoticeKind>(source_.choice(node, "notice", words_of<model::NoticeKind>(model::kNoticeKinds)));
           meaning.has_notice = true;
         }},
        {"direction", [this, &meaning](const Node& node) {
           meaning.direction = static_cast<model::Direction>(source_.choice(node, "direction", words_of<model::Direction>(3)));
         }},
        {"stream", [this, &meaning](const Node& node) {
           meaning.stream = static_cast<model::StreamKind>(source_.choice(node, "stream", words_of<model::StreamKind>(7)));
         }},
        keying_key(meaning.keying),
        {"outcome", [this, &meaning](const Node& node) {
           meaning.outcome = static_cast<OutcomeWord>(source_.choice(node, "outcome", words_of<OutcomeWord>(7)));
         }},
        {"codec", [this, &meaning](const Node& node) {
           static const std::vector<std::string_view> kCodecs{"auto", "json", "json-string", "python-repr", "python-bytes", "sse", "python-bytes-sse", "base64"};
           meaning.codec = kCodecs[source_.choice(node, "codec", kCodecs)];
         }},
        {"lenient", [this, &meaning](const Node& node) { meaning.lenient = source_.boolean(node, "lenient"); }},
        {"tells_all", [this, &meaning](const Node& node) { meaning.tells_all = source_.boolean(node, "tells_all"); }},
        {"time_is", [this, &meaning](const Node& node) { meaning.ends_exchange = source_.choice(node, "time_is", {"start", "end"}) == 1; }},
        text_key("reason", meaning.reason),
        text_key("rpc_method", meaning.rpc_method),
    };
  }

  void check_meaning(const Node& node, const Meaning& meaning, bool has_body) {
    if (meaning.is == RecordKind::notice && !meaning.has_notice) return source_.fail(node, "a notice names no notice", "add notice: and one of the notice words");
    if (meaning.is == RecordKind::noise && meaning.reason.empty()) return source_.fail(node, "noise gives no reason", "add reason: and a stable word, such as startup");
    if ((meaning.is == RecordKind::outcome) != (meaning.outcome != OutcomeWord::none)) {
      return source_.fail(node, "an outcome and its word go together", "is: outcome, and outcome: started, shown, failed, timed-out, no-answer or not-sent");
    }
    if (meaning.is == RecordKind::message && !has_body && meaning.rpc_method.empty()) source_.fail(node, "a message has no {body}, {key}, {mcp_method} or rpc_method");
  }

  void read_message(const Node& node) {
    MessageRule rule;
    std::string regex;
    std::vector<Key> keys = meaning_keys(rule.meaning);
    keys.push_back({"match", [&](const Node& value) { add_forms(value, rule.forms); }});
    keys.push_back(text_key("regex", regex));
    keys.push_back(text_key("literal", rule.literal));
    keys.push_back({"logger_told", [&](const Node& value) { rule.logger_told = source_.boolean(value, "logger_told"); }});
    keys.push_back({"anywhere", [&](const Node& value) { rule.anywhere = rule.meaning.anywhere = source_.boolean(value, "anywhere"); }});
    keys.push_back({"logger", [&](const Node& value) { rule.loggers = source_.scalars(value, "logger"); }});
    keys.push_back({"fields", [&](const Node& value) { read_fields(value, rule.fields); }});
    source_.each_key(node, "a message", keys);
    if (!source_.ok()) return;
    if (rule.forms.empty() == regex.empty()) return source_.fail(node, "a message has either match or regex");
    if (!regex.empty()) compile_regex(node, regex, rule);
    if (!source_.ok()) return;
    bool has_body = std::any_of(rule.groups.begin(), rule.groups.end(), [](const auto& group) { return group.second == Field::body; });
    for (const Template& form : rule.forms) has_body = has_body || form.has(Field::body) || form.has(Field::key) || form.has(Field::mcp_method);
    has_body = has_body || tells_message(rule.fields);
    const bool has_pairs = std::any_of(rule.forms.begin(), rule.forms.end(), [](const Template& form) { return form.has(Field::pairs); });
    if (has_pairs == rule.fields.empty()) return source_.fail(node, "{pairs} and fields go together", "fields: says which keys of the pairs fill which fields");
    check_meaning(node, rule.meaning, has_body);
    if (rule.anywhere && !rule.forms.empty()) {
      rule.literal = trim_literal(rule.forms[0].lead());
      if (rule.literal.size() < kLeastAnywhere) return source_.fail(node, "a rule found anywhere must begin with at least 12 bytes of literal text");
    }
    dialect_.messages.push_back(std::move(rule));
  }

  static std::string trim_literal(std::string_view literal) {
    while (!literal.empty() && literal.front() == ' ') literal.remove_prefix(1);
    while (!literal.empty() && literal.back() == ' ') literal.remove_suffix(1);
    return std::string(literal);
  }

  void compile_regex(const Node& node, const std::string& text, MessageRule& rule) {
    if (rule.literal.size() < 3) {
      return source_.fail(node, "a regex needs a literal of at least 3 bytes that every match holds", "it keeps the regex from running on every line");
    }
    RE2::Options options;
    options.set_log_errors(false);
    options.set_max_mem(8 << 20);
    auto regex = std::make_shared<RE2>(text, options);
    if (!regex->ok()) return source_.fail(node["regex"], "bad regex: " + regex->error());
    for (const auto& [group, index] : regex->NamedCapturingGroups()) {
      bool known = false;
      const Field field = field_named(group, known);
      if (!known) return source_.fail(node["regex"], fmt::format("unknown field '{}' as a group", group));
      rule.groups.emplace_back(index, field);
    }
    rule.regex = std::move(regex);
  }

  void read_json(const Node& node) {
    JsonRule rule;
    std::vector<Key> keys = meaning_keys(rule.meaning);
    keys.push_back({"require", [&](const Node& value) { read_require(value, rule); }});
    keys.push_back({"loose", [&](const Node& value) { rule.loose = source_.boolean(value, "loose"); }});
    keys.push_back({"where", [&](const Node& value) {
      for (const YamlEntry& entry : value.entries()) rule.where.emplace_back(source_.scalar(entry.key, "where"), source_.scalar(entry.value, "where"));
    }});
    keys.push_back({"fields", [&](const Node& value) {
      read_fields(value, rule.fields);
    }});
    source_.each_key(node, "a json rule", keys);
    rule.is_log = !node["is"].is_defined();
    if (!source_.ok()) return;
    if (rule.require.empty() && rule.require_one.empty()) {
      return source_.fail(node, "a json rule requires nothing", "require: names the keys that tell this form from others");
    }
    if (rule.loose && rule.meaning.is != RecordKind::exchange) return source_.fail(node, "a loose json rule is no exchange", "loose: is for access lines of names that anybody chose");
    for (const std::string& path : rule.require) rule.names |= name_bits(path);
    for (const auto& [path, text] : rule.where) rule.names |= text.empty() ? 0 : name_bits(path);
    const bool has_body = std::any_of(rule.fields.begin(), rule.fields.end(), [](const JsonField& field) { return field.field == Field::body; });
    if (!rule.is_log) check_meaning(node, rule.meaning, has_body || tells_message(rule.fields));
    dialect_.json.push_back(std::move(rule));
  }

  // a|b: one of these
  void read_require(const Node& node, JsonRule& rule) {
    for (const std::string& item : source_.scalars(node, "require")) {
      if (item.find('|') == std::string::npos) {
        rule.require.push_back(item);
        continue;
      }
      std::vector<JsonPath>& paths = rule.require_one.emplace_back();
      for (std::size_t at = 0; at <= item.size();) {
        const std::size_t end = std::min(item.find('|', at), item.size());
        const std::string path = item.substr(at, end - at);
        paths.push_back({path, name_bits(path)});
        at = end + 1;
      }
    }
  }

  // A message need not be there whole: its id or its method tell it too.
  static bool tells_message(const std::vector<JsonField>& fields) {
    return std::any_of(fields.begin(), fields.end(), [](const JsonField& field) { return field.field == Field::key || field.field == Field::mcp_method; });
  }

  void read_fields(const Node& node, std::vector<JsonField>& fields) {
    for (const YamlEntry& entry : node.entries()) read_json_field(entry.key, entry.value, fields);
  }

  void read_json_field(const Node& key, const Node& value, std::vector<JsonField>& fields) {
    JsonField field;
    std::string name = source_.scalar(key, "fields");
    for (const auto& [ending, unit] : {std::pair<std::string_view, std::int64_t>{"_ms", kMillisecond}, {"_us", kMicrosecond}, {"_ns", 0}}) {
      if (name.size() <= ending.size() || name.substr(name.size() - 3) != ending) continue;
      field.unit_us = unit;
      name.resize(name.size() - 3);
    }
    bool known = false;
    field.field = field_named(name, known);
    if (!known) {
      std::vector<std::string_view> names;
      for (std::size_t i = 1; i < kFields; ++i) names.push_back(name_of(static_cast<Field>(i)));
      return source_.fail(key, fmt::format("unknown field '{}'", name), did_you_mean(name, names));
    }
    field.paths = source_.scalars(value, "a path");
    fields.push_back(std::move(field));
  }

  void read_sample(const Node& node) {
    Sample sample;
    sample.at_line = node.place().line + 1;
    std::vector<Key> keys{text_key("line", sample.line)};
    for (const std::string_view field : sample_fields()) {
      keys.push_back({field, [this, field, &sample](const Node& value) { sample.fields.emplace_back(field, source_.scalar(value, field)); }});
    }
    source_.each_key(node, "a sample", keys);
    if (!source_.ok()) return;
    if (sample.line.empty()) return source_.fail(node, "a sample has no line");
    if (sample.fields.empty()) return source_.fail(node, "a sample names no field that the line must give");
    dialect_.samples.push_back(std::move(sample));
  }

  void read_not_sample(const Node& node) {
    Sample sample;
    sample.at_line = node.place().line + 1;
    sample.line = source_.scalar(node, "a not_sample");
    dialect_.not_samples.push_back(std::move(sample));
  }

  YamlSource source_;
  std::string_view yaml_;
  Proof proof_;
  Dialect dialect_;
};

}  // namespace

Result<Dialect> load_dialect(std::string_view yaml, std::string_view path, Proof proof) {
  if (proof == Proof::asked) return DialectReader(yaml, path, proof).run();
  return DialectReader(without_keys(yaml, {"samples", "not_samples"}), path, proof).run();
}

}  // namespace mcpscan::ingest
