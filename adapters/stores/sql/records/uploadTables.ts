import type { Dialect } from "../engine/dialect.js";
import { quoteIdentifier } from "../schema/identifier.js";
import { ownIndex } from "../schema/ownIndex.js";
import type { IndexDefinition } from "../schema/schema.js";

/** Statements that create the tables and their index. */
export function createUploadTables({ columnType, place }: Dialect): { readonly tables: readonly string[]; readonly index: IndexDefinition } {
  const [text, integer] = [`${columnType("text")} not null`, `${columnType("int")} not null`];
  const named = (names: readonly string[], type: string) => names.map((column) => `${quoteIdentifier(column)} ${type}`);
  const columns = [
    `"id" ${text} primary key`,
    ...named(["tenant", "owner", "account"], text),
    ...named(["version", "open", "bytes"], integer),
    `"due" ${columnType("int")}`,
    `"data" ${columnType("text")}`,
  ];
  const sums = [...named(["tenant", "account"], text), ...named(["open", "bytes"], integer), `primary key ("tenant", "account")`];
  const table = (quoted: string, definitions: readonly string[]) => `create table if not exists ${quoted} (${definitions.join(", ")})`;
  return {
    tables: [table(place.own.uploads, columns), table(place.own.accounts, sums)],
    index: ownIndex(place, "uploads", "due", `("due", "id") where "due" is not null`),
  };
}
