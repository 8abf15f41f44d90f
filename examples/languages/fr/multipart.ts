/** French texts: multipart batches and forms. */
export const multipart: Readonly<Record<string, string>> = {
  'The part must begin with a request line like "GET /path HTTP/1.1"; got "{line}".':
    'La partie doit commencer par une ligne de requête comme "GET /path HTTP/1.1" ; reçu : « {line} ».',
  "A request inside a part must not have Transfer-Encoding: the boundary ends it.":
    "Une requête dans une partie ne doit pas avoir de Transfer-Encoding : la limite la termine.",
  "A request inside a part must not have a Content-Encoding; compress the batch.":
    "Une requête dans une partie ne doit pas avoir de Content-Encoding ; compressez le lot.",
  "The Content-Length of a request inside a part is not a whole number.":
    "Le Content-Length d’une requête dans une partie n’est pas un nombre entier.",
  "The Content-Length of a request inside a part is {length}, but its body has {size} bytes.":
    "Le Content-Length d’une requête dans une partie est {length}, mais son corps a {size} octets.",
  "The body of a request inside a part must be JSON in UTF-8, with a Content-Type of application/json or application/*+json; {*got}.":
    "Le corps d’une requête dans une partie doit être du JSON en UTF-8, avec un Content-Type application/json ou application/*+json ; {got}.",
  'A multipart batch is "multipart/mixed" or "multipart/form-data".': 'Un lot multipart est "multipart/mixed" ou "multipart/form-data".',
  "A part must not be multipart itself; put each request into a part of its own.":
    "Une partie ne doit pas être elle-même multipart ; mettez chaque requête dans sa propre partie.",
  'A part must have the Content-Type "application/http".': 'Une partie doit avoir le Content-Type "application/http".',
  "A part must contain a request.": "Une partie doit contenir une requête.",
  'The Content-Transfer-Encoding "{encoding}" is not supported; allowed: {names}.':
    "Le Content-Transfer-Encoding « {encoding} » n’est pas pris en charge ; autorisés : {names}.",
  "The name of a part (Content-ID or form field) is 1 to 255 printable ASCII characters without < and >.":
    "Le nom d’une partie (Content-ID ou champ de formulaire) a de 1 à 255 caractères ASCII imprimables sans < ni >.",
  "A header line contains a control character; lines end in CRLF.":
    "Une ligne d’en-tête contient un caractère de contrôle ; les lignes se terminent par CRLF.",
  "The boundary of the Content-Type does not begin any line of the body.": "La limite du Content-Type ne commence aucune ligne du corps.",
  "The part that begins at byte {position} does not end: the closing boundary is missing.":
    "La partie qui commence à l’octet {position} ne se termine pas : la limite finale manque.",
  "The multipart body has no parts.": "Le corps multipart n’a pas de parties.",
  "The line at byte {position} begins with the boundary but continues; no line of a part may begin with it.":
    "La ligne à l’octet {position} commence par la limite mais continue ; aucune ligne d’une partie ne peut commencer ainsi.",
  "The field {name} cannot be decoded; send UTF-8.": "Le champ {name} ne peut pas être décodé ; envoyez de l’UTF-8.",
  "The form has no parts, but text before its closing boundary.": "Le formulaire n’a pas de parties, mais du texte avant la limite finale.",
};
