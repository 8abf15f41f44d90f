/** German texts: batches. */
export const batches: Readonly<Record<string, string>> = {
  "An item of an atomic batch failed.": "Ein Element eines unteilbaren Batches ist fehlgeschlagen.",
  "An item of the atomic batch failed, so nothing was done.":
    "Ein Element des unteilbaren Batches ist fehlgeschlagen, deshalb wurde nichts ausgeführt.",
  "Another item of the batch failed, so this one was not done.":
    "Ein anderes Element des Batches ist fehlgeschlagen, deshalb wurde dieses nicht ausgeführt.",
  "The batch timed out before this item began.": "Die Zeit des Batches war um, bevor dieses Element begann.",
  "The batch timed out, and nothing was done.": "Die Zeit des Batches war um, und nichts wurde ausgeführt.",
  "The batch timed out; nothing was done.": "Die Zeit des Batches war um; nichts wurde ausgeführt.",
  "The storage has no transactions: a batch cannot be atomic.": "Der Speicher hat keine Transaktionen: ein Batch kann nicht unteilbar sein.",
  "Other requests changed the same rows at the same time, and nothing was done; try again.":
    "Andere Anfragen haben gleichzeitig dieselben Einträge geändert, und nichts wurde ausgeführt; versuchen Sie es erneut.",
  'Creating in "{collection}" has effects elsewhere: a batch of it cannot be atomic.':
    "Das Anlegen in „{collection}“ wirkt auch anderswo: ein Batch davon kann nicht unteilbar sein.",
  "{operation} has effects elsewhere: a batch with it cannot be atomic.":
    "{operation} wirkt auch anderswo: ein Batch damit kann nicht unteilbar sein.",
  "{operation} cannot be an operation of a batch; send it by itself.":
    "{operation} kann keine Operation eines Batches sein; senden Sie sie für sich.",
  "All responses may have {maximum} characters.": "Alle Antworten dürfen zusammen {maximum} Zeichen haben.",
  "The rows of an atomic batch may have {maximum} characters together; choose fewer rows.":
    "Die Einträge eines unteilbaren Batches dürfen zusammen {maximum} Zeichen haben; wählen Sie weniger Einträge.",
  "The batch has no items.": "Der Batch hat keine Elemente.",
  "The batch has more than {maximum} operations.": "Der Batch hat mehr als {maximum} Operationen.",
  "The batch has {count} items; at most {maximum} are allowed.": "Der Batch hat {count} Elemente; erlaubt sind höchstens {maximum}.",
  "The batch has more than {count} items; at most {maximum} are allowed.":
    "Der Batch hat mehr als {count} Elemente; erlaubt sind höchstens {maximum}.",
  '{*sentence} With "Prefer: respond-async" there may be more.': '{sentence} Mit "Prefer: respond-async" dürfen es mehr sein.',
  '{*sentence} Narrow the filter, or confirm with "confirm=true".': '{sentence} Grenzen Sie den Filter ein, oder bestätigen Sie mit "confirm=true".',
  "{*sentence} If the body with the ids was lost on the way, send it to POST {path}.":
    "{sentence} Falls der Body mit den Ids unterwegs verloren ging, senden Sie ihn an POST {path}.",
  'An item of "{collection}" needs "ifMatch" with the ETag of its resource.':
    'Ein Element von „{collection}“ braucht "ifMatch" mit dem ETag seiner Ressource.',
  "Without a filter this would change every row.": "Ohne Filter würde dies alle Einträge ändern.",
  '{count} rows match; "Prefer: max-affected" allows {maximum}.': '{count} Einträge treffen zu; "Prefer: max-affected" erlaubt {maximum}.',
  '{count} rows match. Repeat the request with "confirm={other}" to delete them.':
    '{count} Einträge treffen zu. Wiederholen Sie die Anfrage mit "confirm={other}", um sie zu löschen.',
  "{count} rows match, not {other}; nothing was changed.": "{count} Einträge treffen zu, nicht {other}; nichts wurde geändert.",
  "A body with ids and a query cannot both choose the rows; send one of them.":
    "Ein Body mit Ids und eine Query können nicht beide die Einträge auswählen; senden Sie eines davon.",
  "The patch is empty: it would change nothing.": "Der Patch ist leer: er würde nichts ändern.",
  "The body must be a merge patch, as a JSON object.": "Der Body muss ein Merge Patch sein, als JSON-Objekt.",
  'The body must be {shape}; it has a member "{name}".': "Der Body muss {shape} sein; er hat ein Feld „{name}“.",
  "The body must be {shape}.": "Der Body muss {shape} sein.",
  '"{name}" is empty.': "„{name}“ ist leer.",
  "This is not an operation.": "Dies ist keine Operation.",
  "An item must be an object with {members}.": "Ein Element muss ein Objekt mit {members} sein.",
  'An item has no member "{name}".': "Ein Element hat kein Feld „{name}“.",
  '"ifMatch" must be an entity tag, as in "etag", or "*".': '"ifMatch" muss ein Entity-Tag wie in "etag" oder "*" sein.',
  'An id of "{collection}" must be {*kind}.': "Eine Id von „{collection}“ muss {kind} sein.",
  "An operation must be an object.": "Eine Operation muss ein Objekt sein.",
  "An operation has no member {name}.": "Eine Operation hat kein Feld {name}.",
  "A GET has no body; QUERY reads with one.": "Ein GET hat keinen Body; QUERY liest mit einem.",
  'A name is text that begins with a letter, followed by at most 63 letters, digits, "_" and "-".':
    'Ein Name ist Text, der mit einem Buchstaben beginnt, gefolgt von höchstens 63 Buchstaben, Ziffern, "_" und "-".',
  "The method must be one of {methods}.": "Die Methode muss eine von {methods} sein.",
  "The headers must be an object of names and text.": "Die Header müssen ein Objekt aus Namen und Text sein.",
  "A header must be text without control characters and beyond U+00FF.":
    "Ein Header muss Text ohne Steuerzeichen und ohne Zeichen jenseits von U+00FF sein.",
  "The headers are longer than {maximum} characters.": "Die Header sind länger als {maximum} Zeichen.",
  "The headers are larger than {maximum} bytes.": "Die Header sind größer als {maximum} Byte.",
  "The url is longer than {maximum} bytes.": "Die URL ist länger als {maximum} Byte.",
  'The url must be a path of this API that begins with one "/": {*fault}.':
    'Die URL muss ein Pfad dieser API sein, der mit einem "/" beginnt: {fault}.',
  "it must be text": "sie muss Text sein",
  "it contains a space, a control character or a character beyond ASCII, which must be percent-encoded":
    "sie enthält ein Leerzeichen, ein Steuerzeichen oder ein Zeichen jenseits von ASCII, das prozentkodiert sein muss",
  "it has a fragment": "sie hat ein Fragment",
  "it has a scheme": "sie hat ein Schema",
  "it contains a backslash": "sie enthält einen Backslash",
  "it names a host": "sie nennt einen Host",
  'it begins without "/"': 'sie beginnt nicht mit "/"',
  "it has an empty segment": "sie hat ein leeres Segment",
  'a reference in braces takes a whole segment, and braces that are none are written "%7B" and "%7D"':
    'eine Referenz in Klammern nimmt ein ganzes Segment ein, und andere Klammern schreibt man "%7B" und "%7D"',
  "it is not percent-encoded UTF-8": "sie ist kein prozentkodiertes UTF-8",
  'it has a segment "." or ".."': 'sie hat ein Segment "." oder ".."',
  "Its record cannot commit with an atomic batch; give the key to the batch.":
    "Sein Eintrag kann nicht mit einem unteilbaren Batch gespeichert werden; geben Sie den Schlüssel dem Batch.",
  'The name "{name}" is already used by an earlier operation; names are unique in a batch.':
    "Den Namen „{name}“ hat bereits eine frühere Operation; Namen sind in einem Batch eindeutig.",
  "The reference {reference} leads to {*what}; earlier operations with a name: {names}.":
    "Die Referenz {reference} führt zu {what}; frühere Operationen mit Namen: {names}.",
  "a later operation": "einer späteren Operation",
  "no operation of this batch": "keiner Operation dieses Batches",
  "its own operation": "ihrer eigenen Operation",
  "A reference has at most {maximum} characters.": "Eine Referenz hat höchstens {maximum} Zeichen.",
  'A reference is the name of an operation and a path into its result, as in "op1.data.id"; got {value}.':
    'Eine Referenz ist der Name einer Operation und ein Pfad in ihr Ergebnis, wie in "op1.data.id"; gesendet wurde {value}.',
  "A reference has at most {maximum} steps; {value} has {count}.": "Eine Referenz hat höchstens {maximum} Schritte; {value} hat {count}.",
  "The reference {value} must continue with one of {parts} after the name.":
    "Die Referenz {value} muss nach dem Namen mit einem von {parts} weitergehen.",
  "An operation has at most {maximum} references.": "Eine Operation hat höchstens {maximum} Referenzen.",
  'An object with "{marker}" is a reference: its one member is text such as "op1.data.id".':
    'Ein Objekt mit „{marker}“ ist eine Referenz: sein einziges Feld ist Text wie "op1.data.id".',
  "With its references resolved, the url is longer than {maximum} bytes.": "Mit aufgelösten Referenzen ist die URL länger als {maximum} Byte.",
  "The reads of a batch may answer {maximum} bytes together; send this one by itself, or ask for less.":
    "Die Lesezugriffe eines Batches dürfen zusammen mit {maximum} Byte antworten; senden Sie diesen für sich, oder fragen Sie nach weniger.",
  "With its references resolved, the body has more than {maximum} {*unit}.": "Mit aufgelösten Referenzen hat der Body mehr als {maximum} {unit}.",
  values: "Werte",
  levels: "Ebenen",
  'The value of {reference} cannot be a segment of a url; allowed is text, a number or a boolean that is not empty and holds no segment "." or "..".':
    'Der Wert von {reference} kann kein Segment einer URL sein; erlaubt ist Text, eine Zahl oder ein Wahrheitswert, nicht leer und ohne Segment "." oder "..".',
  'The operation "{name}" was not run, and this one needs its result.':
    "Die Operation „{name}“ wurde nicht ausgeführt, und diese braucht ihr Ergebnis.",
  'The operation "{name}" failed with {status}, and this one needs its result.':
    "Die Operation „{name}“ ist mit {status} fehlgeschlagen, und diese braucht ihr Ergebnis.",
  "The reference {reference} does not exist in that result. The last object found has: {members}.":
    "Die Referenz {reference} gibt es in diesem Ergebnis nicht. Das letzte gefundene Objekt hat: {members}.",
  "The reference {reference} does not exist in that result.": "Die Referenz {reference} gibt es in diesem Ergebnis nicht.",
};
