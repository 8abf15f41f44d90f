/** French texts: files of imports. */
export const transfers: Readonly<Record<string, string>> = {
  "The client did not read the export within {ms} ms.": "Le client n’a pas lu l’export en {ms} ms.",
  '"mode={mode}" needs "key" with the field by which existing rows are found.':
    '"mode={mode}" exige "key" avec le champ par lequel les lignes existantes sont trouvées.',
  '"key" needs "mode=upsert" or "mode=update".': '"key" exige "mode=upsert" ou "mode=update".',
  '"collection" must name a collection that accepts imports; {*got}.':
    '"collection" doit nommer une collection qui accepte les importations ; {got}.',
  '"mode={mode}" is not possible: "{collection}" has no create.': '"mode={mode}" n’est pas possible : « {collection} » n’a pas de create.',
  '"mode={mode}" is not possible: "{collection}" has no update.': '"mode={mode}" n’est pas possible : « {collection} » n’a pas de update.',
  '"mode={mode}" is not possible: "{collection}" has no create and no update.':
    '"mode={mode}" n’est pas possible : « {collection} » n’a ni create ni update.',
  'Creating in "{collection}" has effects that cannot be rolled back, so that "onError=stop" is not possible. Send "onError=continue".':
    'Une création dans « {collection} » a des effets irréversibles ; "onError=stop" n’est donc pas possible. Envoyez "onError=continue".',
  'The storage has no transactions: "onError=stop" is not possible. Send "onError=continue".':
    'Le stockage n’a pas de transactions : "onError=stop" n’est pas possible. Envoyez "onError=continue".',
  'The storage has no transactions: a dry run is not possible. Remove "dryRun".':
    'Le stockage n’a pas de transactions : un essai à blanc n’est pas possible. Retirez "dryRun".',
  'The file has {*what}, too many to import within the request. Send it to {path}, or with "Prefer: respond-async".':
    'Le fichier a {what}, trop pour une importation dans la requête. Envoyez-le à {path}, ou avec "Prefer: respond-async".',
  "more than {maximum} bytes": "plus de {maximum} octets",
  "{rows} rows, more than {maximum}": "{rows} lignes, plus de {maximum}",
  "The file is larger than {maximum} bytes.": "Le fichier dépasse {maximum} octets.",
  'The file has {rows} rows; "onError=stop" allows at most {maximum}. Send "onError=continue" to import more.':
    'Le fichier a {rows} lignes ; "onError=stop" en autorise au plus {maximum}. Envoyez "onError=continue" pour en importer plus.',
  "The file is empty; it must be an array of objects.": "Le fichier est vide ; il doit être un tableau d’objets.",
  "The file is empty; a CSV file must begin with a header.": "Le fichier est vide ; un fichier CSV doit commencer par un en-tête.",
  "The file is empty; it must begin with a header.": "Le fichier est vide ; il doit commencer par un en-tête.",
  "The file has no rows.": "Le fichier n’a pas de lignes.",
  "The file is not a JSON array. Send an array of objects, or one object per line as application/x-ndjson.":
    "Le fichier n’est pas un tableau JSON. Envoyez un tableau d’objets, ou un objet par ligne en application/x-ndjson.",
  "The file is not gzip, is damaged, or is incomplete: {cause}.": "Le fichier n’est pas du gzip, est endommagé ou incomplet ({cause}).",
  "The file expands to more than {maximum} bytes.": "Le fichier décompressé dépasse {maximum} octets.",
  "A JSON array is held in memory and may have {maximum} bytes; send the rows as JSON Lines (application/x-ndjson) instead.":
    "Un tableau JSON est gardé en mémoire et peut avoir {maximum} octets ; envoyez plutôt les lignes en JSON Lines (application/x-ndjson).",
  "The row is {?kind}; it must be an object.": "La ligne est {kind} ; elle doit être un objet.",
  "The row is not a JSON object.": "La ligne n’est pas un objet JSON.",
  "The row is longer than {maximum} bytes.": "La ligne dépasse {maximum} octets.",
  "Line {line}, after {byte} bytes: {*detail}": "Ligne {line}, après {byte} octets : {detail}",
  "Header, line {line}: {*detail}": "En-tête, ligne {line} : {detail}",
  "Row {row}, line {line}: {*detail}": "Enregistrement {row}, ligne {line} : {detail}",
  "column {column} begins with a quote that is never closed.": "la colonne {column} commence par un guillemet jamais fermé.",
  "column {column} has a quote in an invalid position. Put the cell in quotes and write the quote twice.":
    "la colonne {column} a un guillemet mal placé. Mettez la cellule entre guillemets et doublez le guillemet.",
  "the row is longer than {maximum} bytes. A quote in line {line} is not closed.":
    "la ligne dépasse {maximum} octets. Un guillemet de la ligne {line} n’est pas fermé.",
  "the row is longer than {maximum} bytes.": "la ligne dépasse {maximum} octets.",
  "the file ends in the middle of a UTF-16 character.": "le fichier se termine au milieu d’un caractère UTF-16.",
  "U+{unit} is half of a surrogate pair without the other half.": "U+{unit} est la moitié d’une paire de substitution sans l’autre.",
  'the file is compressed with gzip, which was not said. Send it with "Content-Encoding: gzip", or uncompressed.':
    "le fichier est compressé avec gzip, ce qui n’a pas été indiqué. Envoyez-le avec « Content-Encoding: gzip », ou sans compression.",
  "the byte 0x{byte} is not UTF-8. Send UTF-8, or UTF-16 with a byte-order mark.":
    "l’octet 0x{byte} n’est pas de l’UTF-8. Envoyez de l’UTF-8, ou de l’UTF-16 avec une marque d’ordre des octets.",
  "the file begins with the byte-order mark of {mark}, but was sent as {charset}.":
    "le fichier commence par la marque d’ordre des octets de {mark}, mais a été envoyé comme {charset}.",
  "a file in utf-16 must begin with a byte-order mark; use the charset utf-16le or utf-16be for a file without one.":
    "un fichier en utf-16 doit commencer par une marque d’ordre des octets ; utilisez utf-16le ou utf-16be pour un fichier qui n’en a pas.",
  "The header has {count} columns; at most {maximum} are allowed.": "L’en-tête a {count} colonnes ; au plus {maximum} sont autorisées.",
  'The required column "{name}" is missing.': "La colonne obligatoire « {name} » manque.",
  "Column {column} has no name.": "La colonne {column} n’a pas de nom.",
  "Remove the line {name} before the header.": "Supprimez la ligne {name} avant l’en-tête.",
  "Unknown column {name} (column {column}).": "Colonne inconnue {name} (colonne {column}).",
  "The column {name} is mapped to {field}, which is not a field.": "La colonne {name} est associée à {field}, qui n’est pas un champ.",
  "The columns {first} and {second} set the same field.": "Les colonnes {first} et {second} fixent le même champ.",
  'The column {name} of "map" is missing in the file.': 'La colonne {name} de "map" manque dans le fichier.',
  'The column {name} is set by the server; remove it, or send "unknownColumns=ignore".':
    'La colonne {name} est fixée par le serveur ; retirez-la, ou envoyez "unknownColumns=ignore".',
  "Two members of the row set {name}.": "Deux membres de la ligne fixent {name}.",
  "The row has {count} cells; the header has {columns}.": "La ligne a {count} cellules ; l’en-tête en a {columns}.",
  'The row has no "{name}", by which existing rows are found.': "La ligne n’a pas de « {name} », par lequel les lignes existantes sont trouvées.",
  "A constraint of the store refused the row.": "Une contrainte du stockage a refusé la ligne.",
  "An earlier row with the same key could not be imported.": "Une ligne précédente avec la même clé n’a pas pu être importée.",
  "A row of an import changed while it was imported.": "Une ligne a changé pendant son importation.",
  "Row {row} cannot be imported.": "La ligne {row} ne peut pas être importée.",
  "The import broke off at row {row}. The rows before it are done, and it may have been.":
    "L’import s’est interrompu à la ligne {row}. Les lignes précédentes sont importées, et celle-ci l’est peut-être.",
  "More than {maximum} rows failed; the import ended after row {row}.":
    "Plus de {maximum} lignes ont échoué ; l’importation s’est arrêtée après la ligne {row}.",
  'Row {row} (line {line}, column "{column}"): {*why}. Nothing was imported.':
    "Enregistrement {row} (ligne {line}, colonne « {column} ») : {why}. Rien n’a été importé.",
  "Row {row} (line {line}): {*why}. Nothing was imported.": "Enregistrement {row} (ligne {line}) : {why}. Rien n’a été importé.",
  "{maximum} exports of yours are read already, which is as many as may. Read them to their ends first, or export as a job.":
    "Vous lisez déjà {maximum} exports, ce qui est le maximum. Lisez-les d’abord jusqu’au bout, ou exportez par une tâche.",
};
