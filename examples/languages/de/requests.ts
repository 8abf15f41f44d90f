/** German texts: requests, headers, bodies, rows and keys. */
export const requests: Readonly<Record<string, string>> = {
  "The body is larger than {maximum} bytes. A compressed body must not expand to more than {ratio} times its size.":
    "Der Body ist größer als {maximum} Bytes. Ein komprimierter Body darf sich höchstens auf das {ratio}-Fache seiner Größe ausdehnen.",
  'The body looks like JSON, but Content-Type says "{type}".': 'Der Body sieht nach JSON aus, aber der Content-Type nennt "{type}".',
  'The document says that it is encoded in "{encoding}"; send UTF-8.': 'Das Dokument gibt die Kodierung "{encoding}" an; senden Sie UTF-8.',
  "The document is encoded in UTF-16; send UTF-8.": "Das Dokument ist in UTF-16 kodiert; senden Sie UTF-8.",
  "A body parser of this server has parsed the XML before restwright. Mount restwright before body parsers.":
    "Ein Body-Parser dieses Servers hat das XML vor restwright gelesen. Binden Sie restwright vor Body-Parsern ein.",
  "There is nothing at this path.": "Unter diesem Pfad gibt es nichts.",
  'There is no "{id}" in "{collection}".': "„{id}“ gibt es in „{collection}“ nicht.",
  "{method} is not allowed here; allowed: {methods}.": "{method} ist hier nicht erlaubt; erlaubt sind: {methods}.",
  "A POST cannot be run as {method} here; send {other} itself.":
    "Ein POST kann hier nicht als {method} ausgeführt werden; senden Sie {other} selbst.",
  'The path segment "{segment}" is not valid percent-encoded UTF-8.': "Das Pfadsegment „{segment}“ ist kein prozentkodiertes UTF-8.",
  "The request target is longer than {maximum} bytes.": "Das Ziel der Anfrage ist länger als {maximum} Byte.",
  '"X-API-Version" names "{version}"; supported: {names}.': '"X-API-Version" nennt „{version}“; unterstützt: {names}.',
  '"Accept" names {version}, but "X-API-Version" names {other}; send one of them, or the same in both.':
    '"Accept" nennt {version}, "X-API-Version" aber {other}; senden Sie eines von beiden oder in beiden dasselbe.',
  'The request asks for {version}, so its body must be {names}; got "{type}". Name the version in "X-API-Version" or "Accept".':
    'Die Anfrage verlangt {version}, ihr Inhalt muss also {names} sein; erhalten: „{type}“. Nennen Sie die Version in "X-API-Version" oder "Accept".',
  'The transfer coding "{coding}" is not supported; allowed: chunked.':
    "Die Übertragungskodierung „{coding}“ wird nicht unterstützt; erlaubt ist chunked.",
  'The header "{header}" must be "*" or a list of entity tags such as "x" or W/"x", with their quotes.':
    'Der Header „{header}“ muss "*" oder eine Liste von Entity-Tags wie "x" oder W/"x" sein, mit den Anführungszeichen.',
  'The header "{header}" must be a version such as 2.3.0.': "Der Header „{header}“ muss eine Version wie 2.3.0 sein.",
  "The header {header} has more than {maximum} {*unit}.": "Der Header {header} hat mehr als {maximum} {unit}.",
  elements: "Elemente",
  "Nothing that the header {header} accepts can be sent; supported: {supported}.":
    "Nichts von dem, was der Header {header} annimmt, kann gesendet werden; unterstützt werden: {supported}.",
  'The header "{header}" was sent more than once; it is allowed once in a request.':
    "Der Header „{header}“ wurde mehrmals gesendet; in einer Anfrage ist er einmal erlaubt.",
  'The header "{header}" was sent more than once; it is allowed once in a part.':
    "Der Header „{header}“ wurde mehrmals gesendet; in einem Teil ist er einmal erlaubt.",
  'The header "{header}" must name one method of {methods}.': "Der Header „{header}“ muss eine der Methoden {methods} nennen.",
  '"{name}" must name one method of {methods}.': "„{name}“ muss eine der Methoden {methods} nennen.",
  "The request asks for two methods: {&methods}.": "Die Anfrage verlangt zwei Methoden: {methods}.",
  "This version of the client is no longer served; update it to {minimum} or later.":
    "Diese Version des Clients wird nicht mehr bedient; aktualisieren Sie auf {minimum} oder neuer.",
  "The tenant must be 1 to {maximum} visible ASCII characters.": "Der Mandant muss aus 1 bis {maximum} sichtbaren ASCII-Zeichen bestehen.",
  "Not allowed to act for this tenant.": "Für diesen Mandanten dürfen Sie nicht handeln.",
  "A page of another origin sent this request. Add the origin to cors(), or send JSON.":
    "Eine Seite eines anderen Ursprungs hat diese Anfrage gesendet. Erlauben Sie den Ursprung mit cors(), oder senden Sie JSON.",
  "The request has credentials of two kinds; send only one of them.": "Die Anfrage enthält zwei Arten von Anmeldedaten; senden Sie nur eine.",
  "Valid credentials are needed.": "Gültige Anmeldedaten sind erforderlich.",
  "The token lacks the scope {&scopes}.": "Dem Token fehlt die Berechtigung {scopes}.",
  "The keys that verify tokens cannot be loaded now.": "Die Schlüssel zur Prüfung von Tokens können zurzeit nicht geladen werden.",
  'A body that is signed in chunks (aws-chunked) is not supported; send the SHA-256 of the whole body in "x-amz-content-sha256".':
    'Stückweise signierte Bodys (aws-chunked) werden nicht unterstützt; senden Sie den SHA-256 des ganzen Bodys in "x-amz-content-sha256".',
  'Not allowed to {*action} "{collection}".': "Sie dürfen „{collection}“ nicht {action}.",
  "read from": "lesen",
  "create in": "um Einträge ergänzen",
  "replace in": "ersetzen",
  "update in": "ändern",
  "delete from": "löschen",
  'Not allowed to read "{field}".': "Sie dürfen „{field}“ nicht lesen.",
  'Not allowed to write "{field}".': "Sie dürfen „{field}“ nicht schreiben.",
  'The limit "{name}", {limit} in {seconds} seconds, is used up; try again in {wait} seconds.':
    "Das Kontingent „{name}“, {limit} in {seconds} Sekunden, ist aufgebraucht; versuchen Sie es in {wait} Sekunden wieder.",
  "The rate limit is used up; try again in {wait} seconds.": "Das Kontingent ist aufgebraucht; versuchen Sie es in {wait} Sekunden wieder.",
  "The body is larger than {maximum} bytes.": "Der Body ist größer als {maximum} Byte.",
  "No bytes of the body arrived for {seconds} s.": "{seconds} s lang kam kein Byte des Bodys an.",
  "The body arrives slower than {bytes} bytes a second.": "Der Body kommt langsamer als {bytes} Byte in der Sekunde an.",
  "The client disconnected before the body was read.": "Der Client hat die Verbindung getrennt, bevor der Body gelesen war.",
  "The client disconnected before its request was read.": "Der Client hat die Verbindung getrennt, bevor die Anfrage gelesen war.",
  "The client went away.": "Der Client hat die Verbindung getrennt.",
  "The client read nothing for {ms} ms.": "Der Client hat {ms} ms lang nichts gelesen.",
  'The body must come without a content coding; got "{coding}".': "Der Body muss ohne Inhaltskodierung gesendet werden; gesendet wurde „{coding}“.",
  'The body must come in {&codings}, or without a content coding; got "{coding}".':
    "Der Body muss in {codings} oder ohne Inhaltskodierung gesendet werden; gesendet wurde „{coding}“.",
  'The body must have no content coding; got "{coding}".': "Der Body darf keine Inhaltskodierung haben; gesendet wurde „{coding}“.",
  "The body must be {&types} in UTF-8; {*got}.": "Der Body muss {types} in UTF-8 sein; {got}.",
  "The body must be {type}; {*got}.": "Der Body muss {type} sein; {got}.",
  "The body is empty; it must be JSON.": "Der Body ist leer; er muss JSON sein.",
  "The body is not valid UTF-8.": "Der Body ist kein gültiges UTF-8.",
  'The body is compressed with gzip, which its Content-Encoding does not say. Send it uncompressed, or with "Content-Encoding: gzip" if this service decodes it.':
    "Der Body ist mit gzip komprimiert, was sein Content-Encoding nicht sagt. Senden Sie ihn unkomprimiert, oder mit „Content-Encoding: gzip“, falls dieser Dienst das dekodiert.",
  "The body is not JSON: {*what} at line {line}, column {column}.": "Der Body ist kein JSON: {what} in Zeile {line}, Spalte {column}.",
  "The file is not JSON: {*what} at line {line}, column {column}.": "Die Datei ist kein JSON: {what} in Zeile {line}, Spalte {column}.",
  "The row is not JSON: {*what} at column {column}.": "Die Zeile ist kein JSON: {what} in Spalte {column}.",
  "it ends too early": "es endet zu früh",
  "unexpected {character}": "unerwartet: {character}",
  "There are more than {maximum} values.": "Es sind mehr als {maximum} Werte.",
  "A number is outside the range of binary64.": "Eine Zahl liegt außerhalb des Bereichs von binary64.",
  "An object has {count} members; at most {maximum} are allowed.": "Ein Objekt hat {count} Felder; erlaubt sind höchstens {maximum}.",
  "An object has more than {maximum} members.": "Ein Objekt hat mehr als {maximum} Felder.",
  'The member "{name}" could change the prototype of an object and is not allowed.':
    "Das Feld „{name}“ könnte den Prototyp eines Objekts ändern und ist nicht erlaubt.",
  "Text must not contain NUL (U+0000).": "Text darf kein NUL (U+0000) enthalten.",
  "Text must not contain half of a surrogate pair.": "Text darf kein halbes Surrogatpaar enthalten.",
  "Arrays and objects are nested deeper than {maximum} levels.": "Arrays und Objekte sind tiefer als {maximum} Ebenen geschachtelt.",
  "{*sentence} Byte {position} opens one more.": "{sentence} Byte {position} öffnet noch eine.",
  "The body must be a JSON object.": "Der Body muss ein JSON-Objekt sein.",
  'Unknown member "{name}".': "Unbekanntes Feld „{name}“.",
  '"{field}" names the resource and cannot be changed.': "„{field}“ benennt die Ressource und kann nicht geändert werden.",
  '"{field}" is set by the server and cannot be changed.': "„{field}“ wird vom Server gesetzt und kann nicht geändert werden.",
  '"{field}" names the resource.': "„{field}“ benennt die Ressource.",
  '"{field}" is set by the server.': "„{field}“ wird vom Server gesetzt.",
  "The integer would be rounded, because numbers are binary64; send it as text if a text may stand here.":
    "Die ganze Zahl würde gerundet, denn Zahlen sind binary64; senden Sie sie als Text, wenn hier ein Text stehen darf.",
  '"{field}" cannot be removed.': "„{field}“ kann nicht entfernt werden.",
  '"{field}" differs from the id in the path.': "„{field}“ stimmt nicht mit der Id im Pfad überein.",
  '"{field}" must be {value}, as the path says.': "„{field}“ muss {value} sein, wie es der Pfad sagt.",
  '"collection" must name a collection; {*got}.': '"collection" muss eine Sammlung nennen; {got}.',
  'there is no "{name}"': "„{name}“ gibt es nicht",
  "The value of {&fields} is taken.": "Der Wert von {fields} ist vergeben.",
  "Not allowed to change this row.": "Diesen Eintrag dürfen Sie nicht ändern.",
  "The row would be outside of what you may write.": "Der Eintrag läge außerhalb dessen, was Sie schreiben dürfen.",
  "Other rows refer to this one; delete or change them first.": "Andere Einträge verweisen auf diesen; löschen oder ändern Sie diese zuerst.",
  "The resource changed {count} times while the request was processed; try again.":
    "Die Ressource hat sich während der Bearbeitung {count}-mal geändert; versuchen Sie es erneut.",
  "The resource already exists.": "Die Ressource gibt es bereits.",
  "The resource does not exist, and the request requires one.": "Die Ressource gibt es nicht, und die Anfrage setzt sie voraus.",
  "The resource is not in the state that the request requires.": "Die Ressource ist nicht in dem Zustand, den die Anfrage voraussetzt.",
  "The list is not in the state that the request requires.": "Die Liste ist nicht in dem Zustand, den die Anfrage voraussetzt.",
  "The job is not in the state that the request requires.": "Der Auftrag ist nicht in dem Zustand, den die Anfrage voraussetzt.",
  "The file is not in the state that the request requires.": "Die Datei ist nicht in dem Zustand, den die Anfrage voraussetzt.",
  "The webhook is not in the state that the request requires.": "Der Webhook ist nicht in dem Zustand, den die Anfrage voraussetzt.",
  '{method} in "{collection}" needs If-Match with the ETag of the resource.':
    "{method} in „{collection}“ braucht If-Match mit dem ETag der Ressource.",
  "More than {maximum} other rows would go with this one; delete those first.":
    "Mehr als {maximum} andere Einträge würden mitgelöscht; löschen Sie diese zuerst.",
  'The header "range" asks for bytes after the end of the file; it has {size} bytes.':
    'Der Header "range" verlangt Bytes nach dem Ende der Datei; sie hat {size} Byte.',
  "The signature of this address is not valid: it was changed, or its secret is no longer in use.":
    "Die Signatur dieser Adresse ist ungültig: sie wurde geändert, oder ihr Geheimnis wird nicht mehr verwendet.",
  "The signature of this address is not valid.": "Die Signatur dieser Adresse ist ungültig.",
  "This address was valid until {time}. Request a new one from its issuer.":
    "Diese Adresse war bis {time} gültig. Fordern Sie beim Aussteller eine neue an.",
  "An Idempotency-Key must be {minimum} to {maximum} visible ASCII characters without comma and double quote, e.g. a UUID; got {length} characters.":
    "Ein Idempotency-Key muss aus {minimum} bis {maximum} sichtbaren ASCII-Zeichen ohne Komma und doppeltes Anführungszeichen bestehen, z. B. einer UUID; gesendet wurden {length} Zeichen.",
  "This operation needs an Idempotency-Key.": "Diese Operation braucht einen Idempotency-Key.",
  "Callers without credentials may not use an Idempotency-Key.": "Ohne Anmeldedaten darf kein Idempotency-Key verwendet werden.",
  "This Idempotency-Key was used for another request; a new operation needs a new key.":
    "Dieser Idempotency-Key wurde für eine andere Anfrage verwendet; eine neue Operation braucht einen neuen.",
  "The first request with this Idempotency-Key is still being processed.": "Die erste Anfrage mit diesem Idempotency-Key wird noch bearbeitet.",
  "The storage of this service keeps no records of Idempotency-Keys. Send the request without one; a repetition is then done again.":
    "Der Speicher dieses Dienstes verwahrt keine Idempotency-Keys. Senden Sie die Anfrage ohne; eine Wiederholung wird dann erneut ausgeführt.",
  "The store of idempotency keys is not available now.": "Der Speicher der Idempotency-Keys ist zurzeit nicht verfügbar.",
  "The begin of an operation arrived after its deadline. Send the request again.":
    "Der Beginn einer Operation kam nach seiner Frist an. Senden Sie die Anfrage erneut.",
  'The stored response was sent to a caller with the scope "{scope}".':
    "Die gespeicherte Antwort ging an einen Aufrufer mit der Berechtigung „{scope}“.",
  "The stored response was sent to a caller who could read more than you may now. The operation itself is done.":
    "Die gespeicherte Antwort ging an einen Aufrufer, der mehr lesen durfte als Sie jetzt. Die Operation selbst ist ausgeführt.",
  "The operation failed.": "Die Operation ist fehlgeschlagen.",
  "The storage cannot answer now.": "Der Speicher kann zurzeit nicht antworten.",
  "The storage broke off during the write, which may have been done. Check before you repeat the request; with its Idempotency-Key it can be repeated as it is.":
    "Der Speicher ist während des Schreibens ausgefallen; vielleicht wurde geschrieben. Sehen Sie nach, bevor Sie die Anfrage wiederholen; mit ihrem Idempotency-Key lässt sie sich unverändert wiederholen.",
  "The query took too long. Narrow it, or try again later.":
    "Die Abfrage hat zu lange gedauert. Grenzen Sie sie ein, oder versuchen Sie es später erneut.",
  "The storage cannot keep the row: a value is too long for an index, or the row as a whole for a page of the database. Shorten its texts.":
    "Der Speicher kann den Eintrag nicht aufnehmen: ein Wert ist zu lang für einen Index, oder der ganze Eintrag für eine Seite der Datenbank. Kürzen Sie die Texte.",
  "Something went wrong here.": "Hier ist ein Fehler aufgetreten.",
  "The service is shutting down.": "Der Dienst wird beendet.",
  "The service is not ready: {reason}.": "Der Dienst ist nicht bereit: {reason}.",
  'The Content-Type of a multipart body needs a "boundary" parameter.': 'Der Content-Type eines mehrteiligen Bodys braucht den Parameter "boundary".',
  'The parameter "boundary" is allowed once in a Content-Type.': 'Der Parameter "boundary" ist im Content-Type einmal erlaubt.',
  "A boundary must have 1 to 70 characters of letters, digits, space and '()+_,-./:=? and does not end in a space.":
    "Eine Trennlinie hat 1 bis 70 Zeichen aus Buchstaben, Ziffern, Leerzeichen und '()+_,-./:=? und endet nicht mit einem Leerzeichen.",
  "A header is folded over two lines; each must be on one line.": "Ein Header steht auf zwei Zeilen; jeder muss auf einer stehen.",
  'The header line "{line}" is not "Name: value".': 'Die Headerzeile „{line}“ hat nicht die Form "Name: value".',
};
