/** German texts: webhooks. */
export const webhooks: Readonly<Record<string, string>> = {
  '"url" must be a text: an https address.': '"url" muss ein Text sein: eine https-Adresse.',
  '"apiVersion" must be a version in which events are sent: {versions}.':
    '"apiVersion" muss eine Version sein, in der Ereignisse gesendet werden: {versions}.',
  '"{name}" is required.': "„{name}“ ist erforderlich.",
  "There are {maximum} webhooks, which is the maximum; delete one.": "Es gibt {maximum} Webhooks, das ist die Höchstzahl; löschen Sie einen.",
  '"{name}" is changed by POST {path}, so that deliveries in progress stay valid.':
    "„{name}“ wird durch POST {path} geändert, damit laufende Zustellungen gültig bleiben.",
  "a list of one or more of {values}": "eine Liste aus einem oder mehreren von {values}",
  "a list of 1 to {maximum} event types or patterns": "eine Liste aus 1 bis {maximum} Ereignistypen oder Mustern",
  "a list of {values}": "eine Liste von {values}",
  "the type of an event": "der Typ eines Ereignisses",
  'later than "since"': 'später als "since"',
  '"since" must lie within the last 14 days.': '"since" muss in den letzten 14 Tagen liegen.',
  "The storage keeps no jobs; replay deliveries one by one.": "Der Speicher verwahrt keine Aufträge; wiederholen Sie Zustellungen einzeln.",
  'The webhook is not active, so nothing is sent; PATCH it with {"active": true} first.':
    'Der Webhook ist nicht aktiv, deshalb wird nichts gesendet; setzen Sie ihn zuerst mit PATCH auf {"active": true}.',
  "The webhook is no longer active; nothing else is sent.": "Der Webhook ist nicht mehr aktiv; nichts weiter wird gesendet.",
  'The URL begins with "{scheme}"; allowed: https:': "Die URL beginnt mit „{scheme}“; erlaubt: https:",
  "The URL contains a user name or a password; leave them out.": "Die URL enthält einen Benutzernamen oder ein Passwort; lassen Sie sie weg.",
  "The URL has a fragment; leave out # and what follows.": "Die URL hat ein Fragment; lassen Sie # und alles danach weg.",
  "The host {host} is denied.": "Der Host {host} ist gesperrt.",
  "The URL has {count} characters; at most {maximum} are allowed.": "Die URL hat {count} Zeichen; erlaubt sind höchstens {maximum}.",
  "The URL contains a control character.": "Die URL enthält ein Steuerzeichen.",
  "The URL begins or ends with white space.": "Die URL beginnt oder endet mit Leerraum.",
  "The text is not an absolute URL; write one such as {example}.": "Der Text ist keine absolute URL; schreiben Sie eine wie {example}.",
  "The port {port} is not allowed; allowed: {ports}, 1024 to 65535.": "Der Port {port} ist nicht erlaubt; erlaubt: {ports}, 1024 bis 65535.",
  "The port {port} is not allowed; allowed: {ports}.": "Der Port {port} ist nicht erlaubt; erlaubt: {ports}.",
  "The URL names an IP address; name a host.": "Die URL nennt eine IP-Adresse; nennen Sie einen Host.",
  "The URL names an address that is not on the public internet.": "Die URL nennt eine Adresse, die nicht im öffentlichen Internet liegt.",
  "The host is not an internet host name: labels of 1 to 63 letters, digits and inner hyphens, joined by dots.":
    "Der Host ist kein Hostname des Internets: Teile aus 1 bis 63 Buchstaben, Ziffern und inneren Bindestrichen, durch Punkte verbunden.",
  "The host is a name of a private network; name one that is public.": "Der Host ist ein Name eines privaten Netzes; nennen Sie einen öffentlichen.",
  'The event "{type}" has {count} bytes; allowed: {maximum}.': "Das Ereignis „{type}“ hat {count} Byte; erlaubt: {maximum}.",
  '"filter" must be an object of conditions.': '"filter" muss ein Objekt aus Bedingungen sein.',
  "A key of the filter is a path of 1 to {depth} names with dots between them, at most {maximum} characters.":
    "Ein Schlüssel des Filters ist ein Pfad aus 1 bis {depth} Namen mit Punkten dazwischen, höchstens {maximum} Zeichen.",
  '"{name}" cannot be named in a filter.': "„{name}“ kann in einem Filter nicht genannt werden.",
  "The owner of the webhook may not read the row of this event.": "Der Eigentümer des Webhooks darf die Zeile dieses Ereignisses nicht lesen.",
  "The owner of the webhook no longer exists.": "Der Eigentümer des Webhooks existiert nicht mehr.",
  "The owner of the webhook is not known.": "Der Eigentümer des Webhooks ist nicht bekannt.",
  '"{key}" has no operator. Allowed: {operators}.': "„{key}“ hat keinen Operator. Erlaubt: {operators}.",
  "a pattern: a text of 1 to {maximum} bytes": "ein Muster: ein Text von 1 bis {maximum} Byte",
  "a number, or a text of at most {maximum} bytes": "eine Zahl oder ein Text von höchstens {maximum} Byte",
  "a text of at most {bytes} bytes, a number, true, false or null, or a list of 1 to {maximum} of these":
    "ein Text von höchstens {bytes} Byte, eine Zahl, true, false oder null, oder eine Liste aus 1 bis {maximum} davon",
  "a pattern; {*what}: {count}, allowed: {maximum}": "ein Muster; {what}: {count}, erlaubt: {maximum}",
  wildcards: "Platzhalter",
  'A pattern is segments of letters, digits and "_" with dots between them, any of which may be "*"; at most {maximum} characters.':
    'Ein Muster besteht aus Segmenten aus Buchstaben, Ziffern und "_" mit Punkten dazwischen, von denen jedes "*" sein darf; höchstens {maximum} Zeichen.',
  'No event matches "{pattern}"; known: {events}.': "Kein Ereignis passt zu „{pattern}“; bekannt: {events}.",
  "A webhook may be tested {maximum} times a minute; try again in {seconds} seconds.":
    "Ein Webhook darf {maximum}-mal in der Minute getestet werden; versuchen Sie es in {seconds} Sekunden wieder.",
  "The webhooks of a tenant may be tested {maximum} times a minute; try again in {seconds} seconds.":
    "Die Webhooks eines Mandanten dürfen {maximum}-mal in der Minute getestet werden; versuchen Sie es in {seconds} Sekunden wieder.",
  "The service is shutting down; the test was cut off.": "Der Dienst wird beendet; der Test wurde abgebrochen.",
  '"secret" must be {minimum} to {maximum} printable ASCII characters, or "whsec_" and base64.':
    '"secret" muss aus {minimum} bis {maximum} druckbaren ASCII-Zeichen bestehen, oder aus "whsec_" und Base64.',
  '"secret" starts with "whsec_", so the rest of it must be canonical base64.':
    '"secret" beginnt mit "whsec_", der Rest muss deshalb kanonisches Base64 sein.',
  '"secret" starts with "whsec_", so it must contain {minimum} to {maximum} bytes; got {count}.':
    '"secret" beginnt mit "whsec_" und muss deshalb {minimum} bis {maximum} Byte enthalten; es sind {count}.',
  'A sealed text needs a secret that is missing in "secrets".': 'Ein versiegelter Text braucht ein Geheimnis, das in "secrets" fehlt.',
};
