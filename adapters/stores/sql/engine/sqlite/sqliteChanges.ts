import { quoteIdentifier, quoteText } from "../../schema/identifier.js";
import type { OwnTable } from "../../schema/table.js";
import { type Capture, type ChangesDialect, captureName, type LogPlace } from "../changesDialect.js";

/** There is one writer, so that changes commit in the order of their numbers. */
export const sqliteChanges: ChangesDialect = {
  order: [{ name: "number", type: "integer", definition: "integer primary key autoincrement" }],
  key: undefined,
  imageType: "TEXT",
  head: (log, dropped) => `cast(coalesce((select max("number") from ${log}), (select max("number") from ${dropped}), 0) as text)`,
  place: placeAt,
  images({ rowColumns, model }, inner) {
    const reals = new Set(model.columns.filter(({ kind }) => kind === "number").map(({ name, storedAs = name }) => quoteIdentifier(storedAs)));
    const values = rowColumns.flatMap(({ stored }) => {
      if (stored === undefined) return [];
      const value = `json_extract("_before", ${quoteText(`$.${stored}`)})`;
      return [`${reals.has(stored) ? `cast(${value} as real)` : value} as ${stored}`];
    });
    return `(select *, ${values.join(", ")} from ${inner})`;
  },
  capture,
  drop: (_table, name) => events.map((event) => `drop trigger if exists ${quoteIdentifier(`${name}:${event}`)}`),
  triggers: () => ({ text: `select name, tbl_name as "table" from sqlite_master where type = 'trigger'`, values: [] }),
};

function placeAt(position: string): LogPlace | undefined {
  if (!/^\d{1,15}$/.test(position)) return undefined;
  return {
    after: (bindings) => `"number" > cast(${bindings.bind(position)} as integer)`,
    isDropped: (bindings) => `"number" > cast(${bindings.bind(position)} as integer)`,
    next: (head, last) => (last === undefined ? { text: head, hasMore: false } : { text: String(last["_0"]), hasMore: true }),
  };
}

const events = ["insert", "update", "delete"] as const;

function capture({ name: table, quoted, id, model, dialect: { now, place } }: OwnTable, columns: ReadonlyMap<string, string>): Capture {
  const image = imageOf(columns);
  const entry = (row: string, kind: string, before: string) =>
    `insert into ${place.own.changes} ("collection", "tenant", "id", "kind", "created", "before") values (${quoteText(model.name)}, ${row}."_tenant", cast(${row}.${id.quoted} as text), '${kind}', ${now}, ${before})`;
  const bodies = { insert: entry("new", "create", "null"), update: entry("new", "update", image), delete: entry("old", "remove", image) };
  const name = captureName(table, bodies);
  const create = (event: (typeof events)[number]) =>
    `create trigger if not exists ${quoteIdentifier(`${name}:${event}`)} after ${event} on ${quoted} begin ${bodies[event]}; end`;
  return { name, statements: events.map(create) };
}

/** Types of columns that have no other numbers than integers. */
const isExact: ReadonlySet<string> = new Set(["text", "integer"]);

/** Numbers that are no integers are written with 17 digits, as the engine's own JSON has only 15 of them. */
function imageOf(columns: ReadonlyMap<string, string>): string {
  const members = [...columns].map(([column, type]) => {
    const value = `old.${quoteIdentifier(column)}`;
    return `${quoteText(column)}, ${isExact.has(type) ? value : `iif(typeof(${value}) = 'real', printf('%!.17g', ${value}), ${value})`}`;
  });
  const parts: string[] = [];
  for (let start = 0; start < members.length; start += maxMembers) parts.push(`json_object(${members.slice(start, start + maxMembers).join(", ")})`);
  return parts.reduce((whole, part) => `json_patch(${whole}, ${part})`);
}

/** A function of SQLite takes at most 100 arguments: a name and a value for each member. */
const maxMembers = 50;
