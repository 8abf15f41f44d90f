import { encode, type RowId } from "../parameters.js";
import { etagOf, noteTag } from "../rowTags.js";
import type { Members } from "./members.js";

/** The id of each collection whose id is not `id`: the name of its field, or those of a composite one. */
export type IdNames = Readonly<Record<string, string | readonly string[]>>;

/** An id as admin pages have it: a composite one is a text such as `7,2`. */
export type AdminId = string | number;

/** Admin pages know a row by its member `id`. */
export function idsOf(names: IdNames) {
  const namesOf = (collection: string): readonly string[] => (Object.hasOwn(names, collection) ? [names[collection] ?? "id"].flat() : ["id"]);
  const isPlain = (collection: string) => namesOf(collection).join() === "id";

  return {
    namesOf,

    /** The id as the client takes it. @throws {TypeError} for a text with other parts than the id has */
    idOf(collection: string, id: AdminId): RowId {
      const { length } = namesOf(collection);
      if (length === 1) return id;
      const parts = String(id).split(",").map(decodeURIComponent);
      if (parts.length !== length) throw new TypeError(`"${id}" is not an id of "${collection}": it has ${namesOf(collection).join(" and ")}.`);
      return parts;
    },

    /** The row with a member `id`. @throws {TypeError} for a row that cannot be named */
    shown(collection: string, row: Members): Members {
      const parts = namesOf(collection).map((name) => row[name]);
      if (parts.includes(undefined))
        throw new TypeError(`A row of "${collection}" has no ${namesOf(collection).join(" and ")}; see "ids" and "fields".`);
      if (isPlain(collection)) return row;
      if ("id" in row) throw new TypeError(`"${collection}" has a field "id" besides its id, so that its rows cannot be named.`);
      const shown = { ...row, id: parts.length === 1 ? parts[0] : parts.map(encode).join() };
      noteTag(shown, etagOf(row) ?? null);
      return shown;
    },

    /** Values of a form without the member that only admin pages have. */
    sent(collection: string, values: Members): Members {
      if (isPlain(collection)) return values;
      const { id: _, ...others } = values;
      return others;
    },

    /** The sort keys for a field: `id` is that of the collection. */
    sortBy(collection: string, field: string, isDescending: boolean): string[] {
      return (field === "id" ? namesOf(collection) : [field]).map((name) => (isDescending ? `-${name}` : name));
    },
  };
}
