/** German texts: files of imports. */
export const transfers: Readonly<Record<string, string>> = {
  "The client did not read the export within {ms} ms.": "Der Client hat den Export nicht innerhalb von {ms} ms gelesen.",
  '"mode={mode}" needs "key" with the field by which existing rows are found.':
    '"mode={mode}" braucht "key" mit dem Feld, nach dem vorhandene Einträge gefunden werden.',
  '"key" needs "mode=upsert" or "mode=update".': '"key" braucht "mode=upsert" oder "mode=update".',
  '"collection" must name a collection that accepts imports; {*got}.': '"collection" muss eine Sammlung nennen, die Importe annimmt; {got}.',
  '"mode={mode}" is not possible: "{collection}" has no create.': '"mode={mode}" ist nicht möglich: „{collection}“ hat kein create.',
  '"mode={mode}" is not possible: "{collection}" has no update.': '"mode={mode}" ist nicht möglich: „{collection}“ hat kein update.',
  '"mode={mode}" is not possible: "{collection}" has no create and no update.':
    '"mode={mode}" ist nicht möglich: „{collection}“ hat weder create noch update.',
  'Creating in "{collection}" has effects that cannot be rolled back, so that "onError=stop" is not possible. Send "onError=continue".':
    'Das Anlegen in „{collection}“ hat Wirkungen, die nicht zurückgenommen werden können, deshalb ist "onError=stop" nicht möglich. Senden Sie "onError=continue".',
  'The storage has no transactions: "onError=stop" is not possible. Send "onError=continue".':
    'Der Speicher hat keine Transaktionen: "onError=stop" ist nicht möglich. Senden Sie "onError=continue".',
  'The storage has no transactions: a dry run is not possible. Remove "dryRun".':
    'Der Speicher hat keine Transaktionen: ein Probelauf ist nicht möglich. Entfernen Sie "dryRun".',
  'The file has {*what}, too many to import within the request. Send it to {path}, or with "Prefer: respond-async".':
    'Die Datei hat {what}, zu viel für einen Import innerhalb der Anfrage. Senden Sie sie an {path}, oder mit "Prefer: respond-async".',
  "more than {maximum} bytes": "mehr als {maximum} Byte",
  "{rows} rows, more than {maximum}": "{rows} Zeilen, mehr als {maximum}",
  "The file is larger than {maximum} bytes.": "Die Datei ist größer als {maximum} Byte.",
  'The file has {rows} rows; "onError=stop" allows at most {maximum}. Send "onError=continue" to import more.':
    'Die Datei hat {rows} Zeilen; "onError=stop" erlaubt höchstens {maximum}. Senden Sie "onError=continue", um mehr zu importieren.',
  "The file is empty; it must be an array of objects.": "Die Datei ist leer; sie muss ein Array von Objekten sein.",
  "The file is empty; a CSV file must begin with a header.": "Die Datei ist leer; eine CSV-Datei muss mit einer Kopfzeile beginnen.",
  "The file is empty; it must begin with a header.": "Die Datei ist leer; sie muss mit einer Kopfzeile beginnen.",
  "The file has no rows.": "Die Datei hat keine Zeilen.",
  "The file is not a JSON array. Send an array of objects, or one object per line as application/x-ndjson.":
    "Die Datei ist kein JSON-Array. Senden Sie ein Array von Objekten, oder ein Objekt je Zeile als application/x-ndjson.",
  "The file is not gzip, is damaged, or is incomplete: {cause}.": "Die Datei ist kein gzip, beschädigt oder unvollständig ({cause}).",
  "The file expands to more than {maximum} bytes.": "Die Datei wird entpackt größer als {maximum} Byte.",
  "A JSON array is held in memory and may have {maximum} bytes; send the rows as JSON Lines (application/x-ndjson) instead.":
    "Ein JSON-Array wird im Arbeitsspeicher gehalten und darf {maximum} Byte haben; senden Sie die Zeilen als JSON Lines (application/x-ndjson).",
  "The row is {?kind}; it must be an object.": "Die Zeile ist {kind}; sie muss ein Objekt sein.",
  "The row is not a JSON object.": "Die Zeile ist kein JSON-Objekt.",
  "The row is longer than {maximum} bytes.": "Die Zeile ist länger als {maximum} Byte.",
  "Line {line}, after {byte} bytes: {*detail}": "Zeile {line}, nach {byte} Byte: {detail}",
  "Header, line {line}: {*detail}": "Kopfzeile, Zeile {line}: {detail}",
  "Row {row}, line {line}: {*detail}": "Datensatz {row}, Zeile {line}: {detail}",
  "column {column} begins with a quote that is never closed.": "Spalte {column} beginnt mit einem Anführungszeichen, das nicht geschlossen wird.",
  "column {column} has a quote in an invalid position. Put the cell in quotes and write the quote twice.":
    "Spalte {column} hat ein Anführungszeichen an ungültiger Stelle. Setzen Sie die Zelle in Anführungszeichen, und verdoppeln Sie das Zeichen.",
  "the row is longer than {maximum} bytes. A quote in line {line} is not closed.":
    "die Zeile ist länger als {maximum} Byte. Ein Anführungszeichen in Zeile {line} ist nicht geschlossen.",
  "the row is longer than {maximum} bytes.": "die Zeile ist länger als {maximum} Byte.",
  "the file ends in the middle of a UTF-16 character.": "die Datei endet mitten in einem UTF-16-Zeichen.",
  "U+{unit} is half of a surrogate pair without the other half.": "U+{unit} ist ein halbes Surrogatpaar ohne die andere Hälfte.",
  'the file is compressed with gzip, which was not said. Send it with "Content-Encoding: gzip", or uncompressed.':
    "die Datei ist mit gzip komprimiert, was nicht angegeben wurde. Senden Sie sie mit „Content-Encoding: gzip“, oder unkomprimiert.",
  "the byte 0x{byte} is not UTF-8. Send UTF-8, or UTF-16 with a byte-order mark.":
    "das Byte 0x{byte} ist kein UTF-8. Senden Sie UTF-8, oder UTF-16 mit einer Byte-Reihenfolge-Marke.",
  "the file begins with the byte-order mark of {mark}, but was sent as {charset}.":
    "die Datei beginnt mit der Byte-Reihenfolge-Marke von {mark}, wurde aber als {charset} gesendet.",
  "a file in utf-16 must begin with a byte-order mark; use the charset utf-16le or utf-16be for a file without one.":
    "eine Datei in utf-16 muss mit einer Byte-Reihenfolge-Marke beginnen; verwenden Sie utf-16le oder utf-16be für eine Datei ohne.",
  "The header has {count} columns; at most {maximum} are allowed.": "Die Kopfzeile hat {count} Spalten; erlaubt sind höchstens {maximum}.",
  'The required column "{name}" is missing.': "Die erforderliche Spalte „{name}“ fehlt.",
  "Column {column} has no name.": "Spalte {column} hat keinen Namen.",
  "Remove the line {name} before the header.": "Entfernen Sie die Zeile {name} vor der Kopfzeile.",
  "Unknown column {name} (column {column}).": "Unbekannte Spalte {name} (Spalte {column}).",
  "The column {name} is mapped to {field}, which is not a field.": "Die Spalte {name} ist {field} zugeordnet, das kein Feld ist.",
  "The columns {first} and {second} set the same field.": "Die Spalten {first} und {second} setzen dasselbe Feld.",
  'The column {name} of "map" is missing in the file.': 'Die Spalte {name} von "map" fehlt in der Datei.',
  'The column {name} is set by the server; remove it, or send "unknownColumns=ignore".':
    'Die Spalte {name} wird vom Server gesetzt; entfernen Sie sie, oder senden Sie "unknownColumns=ignore".',
  "Two members of the row set {name}.": "Zwei Felder der Zeile setzen {name}.",
  "The row has {count} cells; the header has {columns}.": "Die Zeile hat {count} Zellen; die Kopfzeile hat {columns}.",
  'The row has no "{name}", by which existing rows are found.': "Die Zeile hat kein „{name}“, nach dem vorhandene Einträge gefunden werden.",
  "A constraint of the store refused the row.": "Eine Regel des Speichers hat die Zeile abgelehnt.",
  "An earlier row with the same key could not be imported.": "Eine frühere Zeile mit demselben Schlüssel konnte nicht importiert werden.",
  "A row of an import changed while it was imported.": "Ein Eintrag eines Imports hat sich während des Imports geändert.",
  "Row {row} cannot be imported.": "Zeile {row} kann nicht importiert werden.",
  "The import broke off at row {row}. The rows before it are done, and it may have been.":
    "Der Import ist bei Zeile {row} abgebrochen. Die Zeilen davor sind importiert, und diese vielleicht auch.",
  "More than {maximum} rows failed; the import ended after row {row}.":
    "Mehr als {maximum} Zeilen sind fehlgeschlagen; der Import endete nach Zeile {row}.",
  'Row {row} (line {line}, column "{column}"): {*why}. Nothing was imported.':
    "Datensatz {row} (Zeile {line}, Spalte „{column}“): {why}. Nichts wurde importiert.",
  "Row {row} (line {line}): {*why}. Nothing was imported.": "Datensatz {row} (Zeile {line}): {why}. Nichts wurde importiert.",
  "{maximum} exports of yours are read already, which is as many as may. Read them to their ends first, or export as a job.":
    "Sie lesen bereits {maximum} Exporte, mehr sind nicht erlaubt. Lesen Sie diese erst zu Ende, oder exportieren Sie als Auftrag.",
};
