import type { Id } from "../../../src/storage/scalar.js";
import type { MappedSqlTable } from "./mappedTable.js";

/** The id that a text was made from. */
export function idOfText({ id }: MappedSqlTable, text: string): Id {
  if (id.kind === "bigint") return BigInt(text);
  return id.kind === "int" ? Number(text) : text;
}
