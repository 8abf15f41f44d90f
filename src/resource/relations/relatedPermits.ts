import type { Context } from "../../operation/context.js";
import { type Permit, tryPermit } from "../../operation/permit.js";
import type { Row } from "../../storage/collection.js";
import type { Id } from "../../storage/scalar.js";
import type { LinkedResource } from "./link.js";

/** The permissions of the principal on related rows; `undefined` if there is none. */
export interface RelatedPermits {
  /** For the row of a to-one relation. */
  read(target: LinkedResource, id: Id, row: Row): Permit | undefined | Promise<Permit | undefined>;
  /** For the collection of a to-many relation. */
  list(target: LinkedResource): Permit | undefined | Promise<Permit | undefined>;
}

const everything: Permit = { fields: undefined };
const open: RelatedPermits = { read: () => everything, list: () => everything };

/** Calls `authorize` for each row and each collection once per request, however often they are included. */
export function relatedPermits({ environment, principal }: Context): RelatedPermits {
  if (environment.authorize === undefined) return open;
  const lists = new Map<string, Promise<Permit | undefined>>();
  const rows = new Map<string, Map<Id, Promise<Permit | undefined>>>();
  return {
    list: ({ name }) => once(lists, name, () => tryPermit(environment, { principal, action: "list", collection: name })),
    read: ({ name }, id, row) => {
      const known = rows.get(name) ?? new Map<Id, Promise<Permit | undefined>>();
      rows.set(name, known);
      return once(known, id, () => tryPermit(environment, { principal, action: "read", collection: name, resource: row }));
    },
  };
}

function once<K, V>(known: Map<K, V>, key: K, make: () => V): V {
  const value = known.get(key) ?? make();
  known.set(key, value);
  return value;
}
