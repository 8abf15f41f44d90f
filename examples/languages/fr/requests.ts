/** French texts: requests, headers, bodies, rows and keys. */
export const requests: Readonly<Record<string, string>> = {
  "The body is larger than {maximum} bytes. A compressed body must not expand to more than {ratio} times its size.":
    "Le corps dépasse {maximum} octets. Un corps compressé ne doit pas dépasser {ratio} fois sa taille une fois décompressé.",
  'The body looks like JSON, but Content-Type says "{type}".': 'Le corps ressemble à du JSON, mais Content-Type indique "{type}".',
  'The document says that it is encoded in "{encoding}"; send UTF-8.': 'Le document indique l’encodage "{encoding}" ; envoyez de l’UTF-8.',
  "The document is encoded in UTF-16; send UTF-8.": "Le document est encodé en UTF-16 ; envoyez de l’UTF-8.",
  "A body parser of this server has parsed the XML before restwright. Mount restwright before body parsers.":
    "Un analyseur de corps de ce serveur a lu le XML avant restwright. Montez restwright avant les analyseurs de corps.",
  "There is nothing at this path.": "Il n’y a rien à ce chemin.",
  'There is no "{id}" in "{collection}".': "« {id} » n’existe pas dans « {collection} ».",
  "{method} is not allowed here; allowed: {methods}.": "{method} n’est pas autorisé ici ; autorisés : {methods}.",
  "A POST cannot be run as {method} here; send {other} itself.": "Un POST ne peut pas être exécuté comme {method} ici ; envoyez {other} directement.",
  'The path segment "{segment}" is not valid percent-encoded UTF-8.':
    "Le segment de chemin « {segment} » n’est pas de l’UTF-8 encodé en pourcentage.",
  "The request target is longer than {maximum} bytes.": "La cible de la requête dépasse {maximum} octets.",
  '"X-API-Version" names "{version}"; supported: {names}.': '"X-API-Version" indique « {version} » ; pris en charge : {names}.',
  '"Accept" names {version}, but "X-API-Version" names {other}; send one of them, or the same in both.':
    '"Accept" indique {version}, mais "X-API-Version" indique {other} ; envoyez l’un des deux, ou la même version dans les deux.',
  'The request asks for {version}, so its body must be {names}; got "{type}". Name the version in "X-API-Version" or "Accept".':
    'La requête demande {version}, son corps doit donc être {names} ; reçu : « {type} ». Indiquez la version dans "X-API-Version" ou "Accept".',
  'The transfer coding "{coding}" is not supported; allowed: chunked.':
    "Le codage de transfert « {coding} » n’est pas pris en charge ; autorisé : chunked.",
  'The header "{header}" must be "*" or a list of entity tags such as "x" or W/"x", with their quotes.':
    'L’en-tête « {header} » doit être "*" ou une liste d’étiquettes d’entité comme "x" ou W/"x", avec leurs guillemets.',
  'The header "{header}" must be a version such as 2.3.0.': "L’en-tête « {header} » doit être une version comme 2.3.0.",
  "The header {header} has more than {maximum} {*unit}.": "L’en-tête {header} a plus de {maximum} {unit}.",
  elements: "éléments",
  "Nothing that the header {header} accepts can be sent; supported: {supported}.":
    "Rien de ce que l’en-tête {header} accepte ne peut être envoyé ; pris en charge : {supported}.",
  'The header "{header}" was sent more than once; it is allowed once in a request.':
    "L’en-tête « {header} » a été envoyé plusieurs fois ; il est autorisé une fois par requête.",
  'The header "{header}" was sent more than once; it is allowed once in a part.':
    "L’en-tête « {header} » a été envoyé plusieurs fois ; il est autorisé une fois par partie.",
  'The header "{header}" must name one method of {methods}.': "L’en-tête « {header} » doit nommer une des méthodes {methods}.",
  '"{name}" must name one method of {methods}.': "« {name} » doit nommer une des méthodes {methods}.",
  "The request asks for two methods: {&methods}.": "La requête demande deux méthodes : {methods}.",
  "This version of the client is no longer served; update it to {minimum} or later.":
    "Cette version du client n’est plus servie ; mettez-la à jour vers {minimum} ou plus récent.",
  "The tenant must be 1 to {maximum} visible ASCII characters.": "Le locataire doit avoir de 1 à {maximum} caractères ASCII visibles.",
  "Not allowed to act for this tenant.": "Vous ne pouvez pas agir pour ce locataire.",
  "A page of another origin sent this request. Add the origin to cors(), or send JSON.":
    "Une page d’une autre origine a envoyé cette requête. Ajoutez l’origine à cors(), ou envoyez du JSON.",
  "The request has credentials of two kinds; send only one of them.": "La requête contient deux sortes d’identifiants ; n’en envoyez qu’une.",
  "Valid credentials are needed.": "Des identifiants valides sont nécessaires.",
  "The token lacks the scope {&scopes}.": "Il manque au jeton la portée {scopes}.",
  "The keys that verify tokens cannot be loaded now.": "Les clés qui vérifient les jetons ne peuvent pas être chargées pour l’instant.",
  'A body that is signed in chunks (aws-chunked) is not supported; send the SHA-256 of the whole body in "x-amz-content-sha256".':
    'Un corps signé par morceaux (aws-chunked) n’est pas pris en charge ; envoyez le SHA-256 du corps entier dans "x-amz-content-sha256".',
  'Not allowed to {*action} "{collection}".': "Vous ne pouvez pas {action} « {collection} ».",
  "read from": "lire",
  "create in": "ajouter d’éléments à",
  "replace in": "remplacer d’éléments dans",
  "update in": "modifier",
  "delete from": "supprimer d’éléments dans",
  'Not allowed to read "{field}".': "Vous ne pouvez pas lire « {field} ».",
  'Not allowed to write "{field}".': "Vous ne pouvez pas écrire « {field} ».",
  'The limit "{name}", {limit} in {seconds} seconds, is used up; try again in {wait} seconds.':
    "La limite « {name} », {limit} en {seconds} secondes, est épuisée ; réessayez dans {wait} secondes.",
  "The rate limit is used up; try again in {wait} seconds.": "La limite de débit est épuisée ; réessayez dans {wait} secondes.",
  "The body is larger than {maximum} bytes.": "Le corps dépasse {maximum} octets.",
  "No bytes of the body arrived for {seconds} s.": "Aucun octet du corps n’est arrivé pendant {seconds} s.",
  "The body arrives slower than {bytes} bytes a second.": "Le corps arrive à moins de {bytes} octets par seconde.",
  "The client disconnected before the body was read.": "Le client s’est déconnecté avant la lecture du corps.",
  "The client disconnected before its request was read.": "Le client s’est déconnecté avant la lecture de sa requête.",
  "The client went away.": "Le client s’est déconnecté.",
  "The client read nothing for {ms} ms.": "Le client n’a rien lu pendant {ms} ms.",
  'The body must come without a content coding; got "{coding}".': "Le corps doit être envoyé sans codage de contenu ; reçu : « {coding} ».",
  'The body must come in {&codings}, or without a content coding; got "{coding}".':
    "Le corps doit être envoyé en {codings}, ou sans codage de contenu ; reçu : « {coding} ».",
  'The body must have no content coding; got "{coding}".': "Le corps ne doit pas avoir de codage de contenu ; reçu : « {coding} ».",
  "The body must be {&types} in UTF-8; {*got}.": "Le corps doit être {types} en UTF-8 ; {got}.",
  "The body must be {type}; {*got}.": "Le corps doit être {type} ; {got}.",
  "The body is empty; it must be JSON.": "Le corps est vide ; il doit être du JSON.",
  "The body is not valid UTF-8.": "Le corps n’est pas de l’UTF-8 valide.",
  'The body is compressed with gzip, which its Content-Encoding does not say. Send it uncompressed, or with "Content-Encoding: gzip" if this service decodes it.':
    "Le corps est compressé avec gzip, ce que son Content-Encoding ne dit pas. Envoyez-le sans compression, ou avec « Content-Encoding: gzip » si ce service le décode.",
  "The body is not JSON: {*what} at line {line}, column {column}.": "Le corps n’est pas du JSON : {what} à la ligne {line}, colonne {column}.",
  "The file is not JSON: {*what} at line {line}, column {column}.": "Le fichier n’est pas du JSON : {what} à la ligne {line}, colonne {column}.",
  "The row is not JSON: {*what} at column {column}.": "La ligne n’est pas du JSON : {what} à la colonne {column}.",
  "it ends too early": "il se termine trop tôt",
  "unexpected {character}": "inattendu : {character}",
  "There are more than {maximum} values.": "Il y a plus de {maximum} valeurs.",
  "A number is outside the range of binary64.": "Un nombre dépasse la plage de binary64.",
  "An object has {count} members; at most {maximum} are allowed.": "Un objet a {count} membres ; au plus {maximum} sont autorisés.",
  "An object has more than {maximum} members.": "Un objet a plus de {maximum} membres.",
  'The member "{name}" could change the prototype of an object and is not allowed.':
    "Le membre « {name} » pourrait changer le prototype d’un objet et n’est pas autorisé.",
  "Text must not contain NUL (U+0000).": "Un texte ne doit pas contenir NUL (U+0000).",
  "Text must not contain half of a surrogate pair.": "Un texte ne doit pas contenir la moitié d’une paire de substitution.",
  "Arrays and objects are nested deeper than {maximum} levels.": "Les tableaux et objets sont imbriqués sur plus de {maximum} niveaux.",
  "{*sentence} Byte {position} opens one more.": "{sentence} L’octet {position} en ouvre un de plus.",
  "The body must be a JSON object.": "Le corps doit être un objet JSON.",
  'Unknown member "{name}".': "Membre inconnu « {name} ».",
  '"{field}" names the resource and cannot be changed.': "« {field} » nomme la ressource et ne peut pas être modifié.",
  '"{field}" is set by the server and cannot be changed.': "« {field} » est fixé par le serveur et ne peut pas être modifié.",
  '"{field}" names the resource.': "« {field} » nomme la ressource.",
  '"{field}" is set by the server.': "« {field} » est fixé par le serveur.",
  "The integer would be rounded, because numbers are binary64; send it as text if a text may stand here.":
    "L’entier serait arrondi, car les nombres sont en binary64 ; envoyez-le comme texte si un texte peut se trouver ici.",
  '"{field}" cannot be removed.': "« {field} » ne peut pas être supprimé.",
  '"{field}" differs from the id in the path.': "« {field} » diffère de l’identifiant du chemin.",
  '"{field}" must be {value}, as the path says.': "« {field} » doit être {value}, comme l’indique le chemin.",
  '"collection" must name a collection; {*got}.': '"collection" doit nommer une collection ; {got}.',
  'there is no "{name}"': "« {name} » n’existe pas",
  "The value of {&fields} is taken.": "La valeur de {fields} est déjà prise.",
  "Not allowed to change this row.": "Vous n’avez pas le droit de modifier cette ligne.",
  "The row would be outside of what you may write.": "La ligne serait hors de ce que vous avez le droit d’écrire.",
  "Other rows refer to this one; delete or change them first.": "D’autres lignes font référence à celle-ci ; supprimez-les ou modifiez-les d’abord.",
  "The resource changed {count} times while the request was processed; try again.":
    "La ressource a changé {count} fois pendant le traitement ; réessayez.",
  "The resource already exists.": "La ressource existe déjà.",
  "The resource does not exist, and the request requires one.": "La ressource n’existe pas, et la requête l’exige.",
  "The resource is not in the state that the request requires.": "La ressource n’est pas dans l’état exigé par la requête.",
  "The list is not in the state that the request requires.": "La liste n’est pas dans l’état exigé par la requête.",
  "The job is not in the state that the request requires.": "La tâche n’est pas dans l’état exigé par la requête.",
  "The file is not in the state that the request requires.": "Le fichier n’est pas dans l’état exigé par la requête.",
  "The webhook is not in the state that the request requires.": "Le webhook n’est pas dans l’état exigé par la requête.",
  '{method} in "{collection}" needs If-Match with the ETag of the resource.':
    "{method} dans « {collection} » exige If-Match avec l’ETag de la ressource.",
  "More than {maximum} other rows would go with this one; delete those first.":
    "Plus de {maximum} autres lignes disparaîtraient avec celle-ci ; supprimez-les d’abord.",
  'The header "range" asks for bytes after the end of the file; it has {size} bytes.':
    'L’en-tête "range" demande des octets après la fin du fichier ; il a {size} octets.',
  "The signature of this address is not valid: it was changed, or its secret is no longer in use.":
    "La signature de cette adresse n’est pas valide : elle a été modifiée, ou son secret n’est plus utilisé.",
  "The signature of this address is not valid.": "La signature de cette adresse n’est pas valide.",
  "This address was valid until {time}. Request a new one from its issuer.":
    "Cette adresse était valable jusqu’à {time}. Demandez-en une nouvelle à son émetteur.",
  "An Idempotency-Key must be {minimum} to {maximum} visible ASCII characters without comma and double quote, e.g. a UUID; got {length} characters.":
    "Une Idempotency-Key doit avoir de {minimum} à {maximum} caractères ASCII visibles sans virgule ni guillemet double, p. ex. un UUID ; reçu : {length} caractères.",
  "This operation needs an Idempotency-Key.": "Cette opération exige une Idempotency-Key.",
  "Callers without credentials may not use an Idempotency-Key.": "Les appelants sans identifiants ne peuvent pas utiliser d’Idempotency-Key.",
  "This Idempotency-Key was used for another request; a new operation needs a new key.":
    "Cette Idempotency-Key a servi à une autre requête ; une nouvelle opération exige une nouvelle clé.",
  "The first request with this Idempotency-Key is still being processed.": "La première requête avec cette Idempotency-Key est encore en cours.",
  "The storage of this service keeps no records of Idempotency-Keys. Send the request without one; a repetition is then done again.":
    "Le stockage de ce service ne conserve pas les Idempotency-Keys. Envoyez la requête sans clé ; une répétition sera alors exécutée à nouveau.",
  "The store of idempotency keys is not available now.": "Le stockage des clés d’idempotence n’est pas disponible pour l’instant.",
  "The begin of an operation arrived after its deadline. Send the request again.":
    "Le début d’une opération est arrivé après son échéance. Renvoyez la requête.",
  'The stored response was sent to a caller with the scope "{scope}".':
    "La réponse conservée a été envoyée à un appelant avec la portée « {scope} ».",
  "The stored response was sent to a caller who could read more than you may now. The operation itself is done.":
    "La réponse conservée a été envoyée à un appelant qui pouvait lire plus que vous maintenant. L’opération elle-même est faite.",
  "The operation failed.": "L’opération a échoué.",
  "The storage cannot answer now.": "Le stockage ne peut pas répondre pour l’instant.",
  "The storage broke off during the write, which may have been done. Check before you repeat the request; with its Idempotency-Key it can be repeated as it is.":
    "Le stockage s’est interrompu pendant l’écriture, qui a peut-être eu lieu. Vérifiez avant de répéter la requête ; avec son Idempotency-Key, elle peut être répétée telle quelle.",
  "The query took too long. Narrow it, or try again later.": "La requête a pris trop de temps. Restreignez-la, ou réessayez plus tard.",
  "The storage cannot keep the row: a value is too long for an index, or the row as a whole for a page of the database. Shorten its texts.":
    "Le stockage ne peut pas conserver la ligne : une valeur est trop longue pour un index, ou la ligne entière pour une page de la base. Raccourcissez ses textes.",
  "Something went wrong here.": "Une erreur s’est produite ici.",
  "The service is shutting down.": "Le service s’arrête.",
  "The service is not ready: {reason}.": "Le service n’est pas prêt : {reason}.",
  'The Content-Type of a multipart body needs a "boundary" parameter.': 'Le Content-Type d’un corps multipart exige un paramètre "boundary".',
  'The parameter "boundary" is allowed once in a Content-Type.': 'Le paramètre "boundary" est autorisé une fois dans un Content-Type.',
  "A boundary must have 1 to 70 characters of letters, digits, space and '()+_,-./:=? and does not end in a space.":
    "Une limite a de 1 à 70 caractères parmi lettres, chiffres, espace et '()+_,-./:=? et ne se termine pas par une espace.",
  "A header is folded over two lines; each must be on one line.": "Un en-tête est plié sur deux lignes ; chacun doit tenir sur une ligne.",
  'The header line "{line}" is not "Name: value".': 'La ligne d’en-tête « {line} » n’est pas "Name: value".',
};
