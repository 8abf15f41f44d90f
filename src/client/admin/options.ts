import type { SendFile } from "./files.js";
import type { IdNames } from "./ids.js";

/** What the data providers have in common. */
export interface AdminOptions {
  /** The id of each collection whose id is not `id`: `{ products: "sku", lines: ["orderId", "line"] }`. */
  readonly ids?: IdNames | undefined;
  /** Sends the files of forms: `(file) => startUpload(client, file).done` of `restwright/client/uploads`. */
  readonly upload?: SendFile | undefined;
  /** The limit `maxPerPage` of the service (100): larger pages are read in parts. */
  readonly maxPerPage?: number | undefined;
  /** Writes of several rows: of each 100 all or none, by `batch()` of the service (default), or each by itself with `false`. */
  readonly atomic?: boolean | undefined;
}

const types: Readonly<Record<string, string>> = { ids: "object", upload: "function", maxPerPage: "number", atomic: "boolean", maxRows: "number" };

/** @throws {TypeError} for an unknown option, or one of another type */
export function checkAdminOptions(place: string, options: object, names: readonly string[]): void {
  for (const [name, value] of Object.entries(options)) {
    if (!names.includes(name)) throw new TypeError(`${place} has no option "${name}", but ${names.join(", ")}.`);
    const isWrong = typeof value !== types[name] || (types[name] === "number" && !(Number.isInteger(value) && value >= 1));
    if (value !== undefined && isWrong)
      throw new TypeError(`${place}: "${name}" is ${value}, but must be ${types[name] === "number" ? "a whole number from 1" : `a ${types[name]}`}.`);
  }
}
