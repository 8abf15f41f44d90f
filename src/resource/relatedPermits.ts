import type { Context } from "../operation/context.js";
import { type Permit, tryPermit } from "../operation/permit.js";
import type { Row } from "../storage/collection.js";
import type { Id } from "../storage/scalar.js";
import type { LinkedResource } from "./link.js";

/** What the principal may see of related rows; `undefined` where it may not. */
export interface RelatedPermits {
  /** Of one row, that a relation to one leads to. */
  read(target: LinkedResource, id: Id, row: Row): Permit | undefined | Promise<Permit | undefined>;
  /** Of a collection, that a relation to many leads to. */
  list(target: LinkedResource): Permit | undefined | Promise<Permit | undefined>;
}

const everything: Permit = { fields: undefined };
const open: RelatedPermits = { read: () => everything, list: () => everything };

/** Asks `authorize` of each row and of each collection once a request, however often they are included. Without one nothing is asked. */
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
