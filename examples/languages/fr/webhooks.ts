/** French texts: webhooks. */
export const webhooks: Readonly<Record<string, string>> = {
  '"url" must be a text: an https address.': '"url" doit être un texte : une adresse https.',
  '"apiVersion" must be a version in which events are sent: {versions}.':
    '"apiVersion" doit être une version dans laquelle les événements sont envoyés : {versions}.',
  '"{name}" is required.': "« {name} » est obligatoire.",
  "There are {maximum} webhooks, which is the maximum; delete one.": "Il y a {maximum} webhooks, ce qui est le maximum ; supprimez-en un.",
  '"{name}" is changed by POST {path}, so that deliveries in progress stay valid.':
    "« {name} » se change par POST {path}, pour que les livraisons en cours restent valides.",
  "a list of one or more of {values}": "une liste d’une ou plusieurs valeurs parmi {values}",
  "a list of 1 to {maximum} event types or patterns": "une liste de 1 à {maximum} types d’événement ou motifs",
  "a list of {values}": "une liste de {values}",
  "the type of an event": "le type d’un événement",
  'later than "since"': 'postérieur à "since"',
  '"since" must lie within the last 14 days.': '"since" doit se situer dans les 14 derniers jours.',
  "The storage keeps no jobs; replay deliveries one by one.": "Le stockage ne conserve pas de tâches ; rejouez les livraisons une par une.",
  'The webhook is not active, so nothing is sent; PATCH it with {"active": true} first.':
    'Le webhook n’est pas actif, rien n’est envoyé ; faites d’abord un PATCH avec {"active": true}.',
  "The webhook is no longer active; nothing else is sent.": "Le webhook n’est plus actif ; rien d’autre n’est envoyé.",
  'The URL begins with "{scheme}"; allowed: https:': "L’URL commence par « {scheme} » ; autorisé : https:",
  "The URL contains a user name or a password; leave them out.": "L’URL contient un nom d’utilisateur ou un mot de passe ; retirez-les.",
  "The URL has a fragment; leave out # and what follows.": "L’URL a un fragment ; retirez # et ce qui suit.",
  "The host {host} is denied.": "L’hôte {host} est refusé.",
  "The URL has {count} characters; at most {maximum} are allowed.": "L’URL a {count} caractères ; au plus {maximum} sont autorisés.",
  "The URL contains a control character.": "L’URL contient un caractère de contrôle.",
  "The URL begins or ends with white space.": "L’URL commence ou se termine par un blanc.",
  "The text is not an absolute URL; write one such as {example}.": "Le texte n’est pas une URL absolue ; écrivez-en une comme {example}.",
  "The port {port} is not allowed; allowed: {ports}, 1024 to 65535.": "Le port {port} n’est pas autorisé ; autorisés : {ports}, 1024 à 65535.",
  "The port {port} is not allowed; allowed: {ports}.": "Le port {port} n’est pas autorisé ; autorisés : {ports}.",
  "The URL names an IP address; name a host.": "L’URL nomme une adresse IP ; nommez un hôte.",
  "The URL names an address that is not on the public internet.": "L’URL nomme une adresse qui n’est pas sur l’internet public.",
  "The host is not an internet host name: labels of 1 to 63 letters, digits and inner hyphens, joined by dots.":
    "L’hôte n’est pas un nom d’hôte internet : des étiquettes de 1 à 63 lettres, chiffres et traits d’union intérieurs, séparées par des points.",
  "The host is a name of a private network; name one that is public.": "L’hôte est un nom de réseau privé ; nommez-en un public.",
  'The event "{type}" has {count} bytes; allowed: {maximum}.': "L’événement « {type} » a {count} octets ; autorisé : {maximum}.",
  '"filter" must be an object of conditions.': '"filter" doit être un objet de conditions.',
  "A key of the filter is a path of 1 to {depth} names with dots between them, at most {maximum} characters.":
    "Une clé du filtre est un chemin de 1 à {depth} noms séparés par des points, d’au plus {maximum} caractères.",
  '"{name}" cannot be named in a filter.': "« {name} » ne peut pas être nommé dans un filtre.",
  "The owner of the webhook may not read the row of this event.": "Le propriétaire du webhook n’a pas le droit de lire la ligne de cet événement.",
  "The owner of the webhook no longer exists.": "Le propriétaire du webhook n’existe plus.",
  "The owner of the webhook is not known.": "Le propriétaire du webhook n’est pas connu.",
  '"{key}" has no operator. Allowed: {operators}.': "« {key} » n’a pas d’opérateur. Autorisés : {operators}.",
  "a pattern: a text of 1 to {maximum} bytes": "un motif : un texte de 1 à {maximum} octets",
  "a number, or a text of at most {maximum} bytes": "un nombre, ou un texte d’au plus {maximum} octets",
  "a text of at most {bytes} bytes, a number, true, false or null, or a list of 1 to {maximum} of these":
    "un texte d’au plus {bytes} octets, un nombre, true, false ou null, ou une liste de 1 à {maximum} de ceux-ci",
  "a pattern; {*what}: {count}, allowed: {maximum}": "un motif ; {what} : {count}, autorisé : {maximum}",
  wildcards: "jokers",
  'A pattern is segments of letters, digits and "_" with dots between them, any of which may be "*"; at most {maximum} characters.':
    'Un motif est fait de segments de lettres, chiffres et "_" séparés par des points, chacun pouvant être "*" ; au plus {maximum} caractères.',
  'No event matches "{pattern}"; known: {events}.': "Aucun événement ne correspond à « {pattern} » ; connus : {events}.",
  "A webhook may be tested {maximum} times a minute; try again in {seconds} seconds.":
    "Un webhook peut être testé {maximum} fois par minute ; réessayez dans {seconds} secondes.",
  "The webhooks of a tenant may be tested {maximum} times a minute; try again in {seconds} seconds.":
    "Les webhooks d’un locataire peuvent être testés {maximum} fois par minute ; réessayez dans {seconds} secondes.",
  "The service is shutting down; the test was cut off.": "Le service s’arrête ; le test a été interrompu.",
  '"secret" must be {minimum} to {maximum} printable ASCII characters, or "whsec_" and base64.':
    '"secret" doit avoir de {minimum} à {maximum} caractères ASCII imprimables, ou "whsec_" et du base64.',
  '"secret" starts with "whsec_", so the rest of it must be canonical base64.':
    '"secret" commence par "whsec_" ; le reste doit être du base64 canonique.',
  '"secret" starts with "whsec_", so it must contain {minimum} to {maximum} bytes; got {count}.':
    '"secret" commence par "whsec_" et doit contenir de {minimum} à {maximum} octets ; il en a {count}.',
  'A sealed text needs a secret that is missing in "secrets".': 'Un texte scellé exige un secret qui manque dans "secrets".',
};
