import type { CollectionModel } from "../../ground/storage/model.js";

/** A model with a column of every kind, which scenarios change as needed. */
export const itemModel: Omit<CollectionModel, "name"> = {
  id: "id",
  idFrom: "caller",
  columns: [
    { name: "id", kind: "text" },
    { name: "name", kind: "text", fold: true },
    { name: "email", kind: "text", fold: true },
    { name: "code", kind: "text" },
    { name: "quantity", kind: "int" },
    { name: "price", kind: "number" },
    { name: "serial", kind: "bigint" },
    { name: "active", kind: "boolean" },
    { name: "at", kind: "datetime" },
    { name: "address", kind: "json" },
    { name: "tags", kind: "json" },
  ],
  unique: [],
  indexes: [],
  searchable: [["name"], ["address", "city"]],
};

/** The change that makes `code` a unique key. */
export const uniqueCode: Partial<CollectionModel> = { unique: [{ fields: ["code"] }] };

/** The change to another kind of id. */
export function withId(kind: "int" | "bigint", idFrom: "store" | "caller"): Partial<CollectionModel> {
  return { idFrom, columns: itemModel.columns.map((column) => (column.name === "id" ? { name: "id", kind } : column)) };
}
