/** German texts: multipart batches and forms. */
export const multipart: Readonly<Record<string, string>> = {
  'The part must begin with a request line like "GET /path HTTP/1.1"; got "{line}".':
    'Der Teil muss mit einer Anfragezeile wie "GET /path HTTP/1.1" beginnen; gesendet wurde „{line}“.',
  "A request inside a part must not have Transfer-Encoding: the boundary ends it.":
    "Eine Anfrage in einem Teil darf kein Transfer-Encoding haben: die Trennlinie beendet sie.",
  "A request inside a part must not have a Content-Encoding; compress the batch.":
    "Eine Anfrage in einem Teil darf kein Content-Encoding haben; komprimieren Sie den Batch.",
  "The Content-Length of a request inside a part is not a whole number.": "Die Content-Length einer Anfrage in einem Teil ist keine ganze Zahl.",
  "The Content-Length of a request inside a part is {length}, but its body has {size} bytes.":
    "Die Content-Length einer Anfrage in einem Teil ist {length}, aber ihr Body hat {size} Byte.",
  "The body of a request inside a part must be JSON in UTF-8, with a Content-Type of application/json or application/*+json; {*got}.":
    "Der Body einer Anfrage in einem Teil muss JSON in UTF-8 sein, mit dem Content-Type application/json oder application/*+json; {got}.",
  'A multipart batch is "multipart/mixed" or "multipart/form-data".': 'Ein mehrteiliger Batch ist "multipart/mixed" oder "multipart/form-data".',
  "A part must not be multipart itself; put each request into a part of its own.":
    "Ein Teil darf nicht selbst mehrteilig sein; geben Sie jeder Anfrage einen eigenen Teil.",
  'A part must have the Content-Type "application/http".': 'Ein Teil muss den Content-Type "application/http" haben.',
  "A part must contain a request.": "Ein Teil muss eine Anfrage enthalten.",
  'The Content-Transfer-Encoding "{encoding}" is not supported; allowed: {names}.':
    "Das Content-Transfer-Encoding „{encoding}“ wird nicht unterstützt; erlaubt: {names}.",
  "The name of a part (Content-ID or form field) is 1 to 255 printable ASCII characters without < and >.":
    "Der Name eines Teils (Content-ID oder Formularfeld) besteht aus 1 bis 255 druckbaren ASCII-Zeichen ohne < und >.",
  "A header line contains a control character; lines end in CRLF.": "Eine Headerzeile enthält ein Steuerzeichen; Zeilen enden mit CRLF.",
  "The boundary of the Content-Type does not begin any line of the body.": "Die Trennlinie des Content-Type beginnt keine Zeile des Bodys.",
  "The part that begins at byte {position} does not end: the closing boundary is missing.":
    "Der Teil, der bei Byte {position} beginnt, endet nicht: die letzte Trennlinie fehlt.",
  "The multipart body has no parts.": "Der mehrteilige Body hat keine Teile.",
  "The line at byte {position} begins with the boundary but continues; no line of a part may begin with it.":
    "Die Zeile bei Byte {position} beginnt mit der Trennlinie, geht aber weiter; keine Zeile eines Teils darf damit beginnen.",
  "The field {name} cannot be decoded; send UTF-8.": "Das Feld {name} kann nicht dekodiert werden; senden Sie UTF-8.",
  "The form has no parts, but text before its closing boundary.": "Das Formular hat keine Teile, aber Text vor der letzten Trennlinie.",
};
