/** French texts: batches. */
export const batches: Readonly<Record<string, string>> = {
  "An item of an atomic batch failed.": "Un élément d’un lot atomique a échoué.",
  "An item of the atomic batch failed, so nothing was done.": "Un élément du lot atomique a échoué ; rien n’a été fait.",
  "Another item of the batch failed, so this one was not done.": "Un autre élément du lot a échoué ; celui-ci n’a pas été exécuté.",
  "The batch timed out before this item began.": "Le temps du lot était écoulé avant que cet élément ne commence.",
  "The batch timed out, and nothing was done.": "Le temps du lot est écoulé, et rien n’a été fait.",
  "The batch timed out; nothing was done.": "Le temps du lot est écoulé ; rien n’a été fait.",
  "The storage has no transactions: a batch cannot be atomic.": "Le stockage n’a pas de transactions : un lot ne peut pas être atomique.",
  "Other requests changed the same rows at the same time, and nothing was done; try again.":
    "D’autres requêtes ont modifié les mêmes lignes en même temps, et rien n’a été fait ; réessayez.",
  'Creating in "{collection}" has effects elsewhere: a batch of it cannot be atomic.':
    "Une création dans « {collection} » a des effets ailleurs : un tel lot ne peut pas être atomique.",
  "{operation} has effects elsewhere: a batch with it cannot be atomic.":
    "{operation} a des effets ailleurs : un lot qui le contient ne peut pas être atomique.",
  "{operation} cannot be an operation of a batch; send it by itself.": "{operation} ne peut pas être une opération d’un lot ; envoyez-la seule.",
  "All responses may have {maximum} characters.": "Toutes les réponses ensemble peuvent avoir {maximum} caractères.",
  "The rows of an atomic batch may have {maximum} characters together; choose fewer rows.":
    "Les lignes d’un lot atomique peuvent avoir {maximum} caractères ensemble ; choisissez moins de lignes.",
  "The batch has no items.": "Le lot n’a pas d’éléments.",
  "The batch has more than {maximum} operations.": "Le lot a plus de {maximum} opérations.",
  "The batch has {count} items; at most {maximum} are allowed.": "Le lot a {count} éléments ; au plus {maximum} sont autorisés.",
  "The batch has more than {count} items; at most {maximum} are allowed.": "Le lot a plus de {count} éléments ; au plus {maximum} sont autorisés.",
  '{*sentence} With "Prefer: respond-async" there may be more.': '{sentence} Avec "Prefer: respond-async", il peut y en avoir plus.',
  '{*sentence} Narrow the filter, or confirm with "confirm=true".': '{sentence} Restreignez le filtre, ou confirmez avec "confirm=true".',
  "{*sentence} If the body with the ids was lost on the way, send it to POST {path}.":
    "{sentence} Si le corps avec les identifiants s’est perdu en route, envoyez-le à POST {path}.",
  'An item of "{collection}" needs "ifMatch" with the ETag of its resource.':
    'Un élément de « {collection} » exige "ifMatch" avec l’ETag de sa ressource.',
  "Without a filter this would change every row.": "Sans filtre, cela changerait toutes les lignes.",
  '{count} rows match; "Prefer: max-affected" allows {maximum}.': '{count} lignes correspondent ; "Prefer: max-affected" en autorise {maximum}.',
  '{count} rows match. Repeat the request with "confirm={other}" to delete them.':
    '{count} lignes correspondent. Répétez la requête avec "confirm={other}" pour les supprimer.',
  "{count} rows match, not {other}; nothing was changed.": "{count} lignes correspondent, et non {other} ; rien n’a été modifié.",
  "A body with ids and a query cannot both choose the rows; send one of them.":
    "Un corps avec des identifiants et une requête ne peuvent pas tous deux choisir les lignes ; envoyez l’un des deux.",
  "The patch is empty: it would change nothing.": "Le patch est vide : il ne changerait rien.",
  "The body must be a merge patch, as a JSON object.": "Le corps doit être un merge patch, sous forme d’objet JSON.",
  'The body must be {shape}; it has a member "{name}".': "Le corps doit être {shape} ; il a un membre « {name} ».",
  "The body must be {shape}.": "Le corps doit être {shape}.",
  '"{name}" is empty.': "« {name} » est vide.",
  "This is not an operation.": "Ce n’est pas une opération.",
  "An item must be an object with {members}.": "Un élément doit être un objet avec {members}.",
  'An item has no member "{name}".': "Un élément n’a pas de membre « {name} ».",
  '"ifMatch" must be an entity tag, as in "etag", or "*".': '"ifMatch" doit être une étiquette d’entité, comme dans "etag", ou "*".',
  'An id of "{collection}" must be {*kind}.': "Un identifiant de « {collection} » doit être {kind}.",
  "An operation must be an object.": "Une opération doit être un objet.",
  "An operation has no member {name}.": "Une opération n’a pas de membre {name}.",
  "A GET has no body; QUERY reads with one.": "Un GET n’a pas de corps ; QUERY lit avec un corps.",
  'A name is text that begins with a letter, followed by at most 63 letters, digits, "_" and "-".':
    'Un nom est un texte qui commence par une lettre, suivie d’au plus 63 lettres, chiffres, "_" et "-".',
  "The method must be one of {methods}.": "La méthode doit être l’une de {methods}.",
  "The headers must be an object of names and text.": "Les en-têtes doivent être un objet de noms et de textes.",
  "A header must be text without control characters and beyond U+00FF.":
    "Un en-tête doit être un texte sans caractère de contrôle ni caractère au-delà de U+00FF.",
  "The headers are longer than {maximum} characters.": "Les en-têtes dépassent {maximum} caractères.",
  "The headers are larger than {maximum} bytes.": "Les en-têtes dépassent {maximum} octets.",
  "The url is longer than {maximum} bytes.": "L’URL dépasse {maximum} octets.",
  'The url must be a path of this API that begins with one "/": {*fault}.':
    'L’URL doit être un chemin de cette API qui commence par un seul "/" : {fault}.',
  "it must be text": "elle doit être un texte",
  "it contains a space, a control character or a character beyond ASCII, which must be percent-encoded":
    "elle contient une espace, un caractère de contrôle ou non ASCII, qui doit être encodé en pourcentage",
  "it has a fragment": "elle a un fragment",
  "it has a scheme": "elle a un schéma",
  "it contains a backslash": "elle contient une barre oblique inverse",
  "it names a host": "elle nomme un hôte",
  'it begins without "/"': 'elle ne commence pas par "/"',
  "it has an empty segment": "elle a un segment vide",
  'a reference in braces takes a whole segment, and braces that are none are written "%7B" and "%7D"':
    'une référence entre accolades occupe un segment entier, et les autres accolades s’écrivent "%7B" et "%7D"',
  "it is not percent-encoded UTF-8": "elle n’est pas de l’UTF-8 encodé en pourcentage",
  'it has a segment "." or ".."': 'elle a un segment "." ou ".."',
  "Its record cannot commit with an atomic batch; give the key to the batch.":
    "Son enregistrement ne peut pas être validé avec un lot atomique ; donnez la clé au lot.",
  'The name "{name}" is already used by an earlier operation; names are unique in a batch.':
    "Le nom « {name} » est déjà pris par une opération précédente ; les noms sont uniques dans un lot.",
  "The reference {reference} leads to {*what}; earlier operations with a name: {names}.":
    "La référence {reference} mène à {what} ; opérations précédentes nommées : {names}.",
  "a later operation": "une opération ultérieure",
  "no operation of this batch": "aucune opération de ce lot",
  "its own operation": "sa propre opération",
  "A reference has at most {maximum} characters.": "Une référence a au plus {maximum} caractères.",
  'A reference is the name of an operation and a path into its result, as in "op1.data.id"; got {value}.':
    'Une référence est le nom d’une opération et un chemin dans son résultat, comme "op1.data.id" ; reçu : {value}.',
  "A reference has at most {maximum} steps; {value} has {count}.": "Une référence a au plus {maximum} étapes ; {value} en a {count}.",
  "The reference {value} must continue with one of {parts} after the name.": "La référence {value} doit continuer par l’un de {parts} après le nom.",
  "An operation has at most {maximum} references.": "Une opération a au plus {maximum} références.",
  'An object with "{marker}" is a reference: its one member is text such as "op1.data.id".':
    'Un objet avec « {marker} » est une référence : son seul membre est un texte comme "op1.data.id".',
  "With its references resolved, the url is longer than {maximum} bytes.": "Avec ses références résolues, l’URL dépasse {maximum} octets.",
  "The reads of a batch may answer {maximum} bytes together; send this one by itself, or ask for less.":
    "Les lectures d’un lot peuvent répondre {maximum} octets ensemble ; envoyez celle-ci seule, ou demandez moins.",
  "With its references resolved, the body has more than {maximum} {*unit}.": "Avec ses références résolues, le corps a plus de {maximum} {unit}.",
  values: "valeurs",
  levels: "niveaux",
  'The value of {reference} cannot be a segment of a url; allowed is text, a number or a boolean that is not empty and holds no segment "." or "..".':
    'La valeur de {reference} ne peut pas être un segment d’URL ; est autorisé un texte, un nombre ou un booléen non vide et sans segment "." ou "..".',
  'The operation "{name}" was not run, and this one needs its result.':
    "L’opération « {name} » n’a pas été exécutée, et celle-ci a besoin de son résultat.",
  'The operation "{name}" failed with {status}, and this one needs its result.':
    "L’opération « {name} » a échoué avec {status}, et celle-ci a besoin de son résultat.",
  "The reference {reference} does not exist in that result. The last object found has: {members}.":
    "La référence {reference} n’existe pas dans ce résultat. Le dernier objet trouvé a : {members}.",
  "The reference {reference} does not exist in that result.": "La référence {reference} n’existe pas dans ce résultat.",
};
