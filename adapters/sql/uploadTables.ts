import type { Dialect } from "./dialect.js";
import { quoteIdentifier } from "./identifier.js";
import type { IndexDefinition } from "./schema.js";

const uploads = "_restwright_uploads";

/** The tables of uploads, quoted. */
export const uploadTables = {
  uploads: quoteIdentifier(uploads),
  /** What the records of each account take up together; one that has nothing has no row. */
  accounts: quoteIdentifier("_restwright_upload_accounts"),
} as const;

/** Statements that make the tables and their index where they are missing. */
export function createUploadTables({ columnType }: Dialect): { readonly tables: readonly string[]; readonly index: IndexDefinition } {
  const [text, integer] = [`${columnType("text")} not null`, `${columnType("int")} not null`];
  const named = (names: readonly string[], type: string) => names.map((column) => `"${column}" ${type}`);
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
