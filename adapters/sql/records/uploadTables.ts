import type { Dialect } from "../engine/dialect.js";
import { quoteIdentifier } from "../schema/identifier.js";
import type { IndexDefinition } from "../schema/schema.js";

const uploads = "_restwright_uploads";

/** The quoted names of the tables of uploads. */
export const uploadTables = {
  uploads: quoteIdentifier(uploads),
  /** The sums of the records of each account; accounts without records have no row. */
  accounts: quoteIdentifier("_restwright_upload_accounts"),
} as const;

/** Statements that create the tables and their index. */
export function createUploadTables({ columnType }: Dialect): { readonly tables: readonly string[]; readonly index: IndexDefinition } {
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
  const name = `${uploads}:due`;
  return {
    tables: [table(uploadTables.uploads, columns), table(uploadTables.accounts, sums)],
    index: {
      name,
      text: `create index if not exists ${quoteIdentifier(name)} on ${uploadTables.uploads} ("due", "id") where "due" is not null`,
    },
  };
}
