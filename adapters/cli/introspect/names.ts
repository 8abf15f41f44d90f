/** Words of the query language: a field with such a name has another one in queries. */
export const queryWords: ReadonlySet<string> = new Set(
  "page perPage cursor count sort fields exclude include expand q search has _method confirm dryRun".split(" "),
);

/** Names that the calls of a service need for themselves. */
export const callWords: ReadonlySet<string> = new Set(["then", "toJSON", "of", "as", "asSystem", "transaction", "emit", "sql", "afterCommit"]);

/** Words that cannot name a constant of a module, and names that the module imports. */
const takenWords: ReadonlySet<string> = new Set(
  (
    "await break case catch class const continue debugger default delete do else enum export extends false finally for function if implements import in " +
    "instanceof interface let new null package private protected public return static super switch this throw true try typeof var void while with yield " +
    "arguments eval undefined NaN Infinity belongsTo bytes date decimal defineResource resources z"
  ).split(" "),
);

/** Names in JavaScript, of letters and digits only, as words in camel case: `first_name`, `FirstName` and `first name` become `firstName`. */
export function camelCase(name: string): string {
  const words = name.match(/\p{Lu}+(?!\p{Ll})|\p{Lu}?\p{Ll}+\p{N}*|\p{Lu}\p{N}*|[\p{Lo}\p{N}]+/gu) ?? [];
  const [first = "field", ...rest] = words.map((word) => word.toLowerCase());
  const joined = first + rest.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join("");
  return /^\p{N}/u.test(joined) ? `n${joined}` : joined;
}

/** The field of a column: its own name if that is one of a field, such as `firstName`, otherwise in camel case. No field may be called like a member of every object. */
export function fieldName(column: string): string {
  const name = /^[a-z][A-Za-z0-9]*$/.test(column) ? column : camelCase(column);
  return isOfObjects(name) ? `${name}Field` : name;
}

/** Whether every object has a member of this name, which no field may have. */
function isOfObjects(name: string): boolean {
  return name in Object.prototype || name === "prototype";
}

/** The collection of a table: a segment of a path. */
export function collectionName(table: string): string {
  const plain = table.normalize("NFD").replaceAll(/[^\x20-\x7e]/g, "");
  const name = /[A-Za-z]/.test(plain) ? camelCase(plain) : "table";
  return callWords.has(name) ? `${name}Rows` : name;
}

/** A name of a constant. */
export function constantName(collection: string): string {
  return takenWords.has(collection) ? `${collection}Resource` : collection;
}

/** The first of `name`, `name2`, `name3` … that is free, which it takes. */
export function freeName(name: string, taken: Set<string>): string {
  let free = name;
  for (let number = 2; taken.has(free); number++) free = `${name}${number}`;
  taken.add(free);
  return free;
}
