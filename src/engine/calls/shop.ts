import { ConfigurationError } from "../../ground/problem/index.js";
import { checkedPrincipal } from "../../parts/auth/checkedPrincipal.js";
import type { Principal } from "../../parts/auth/verifier.js";
import type { Offer } from "../operation/offers.js";
import type { Scopes } from "../operation/rules/scopes.js";
import type { TransactionTools } from "../resource/callTypes/transactionTools.js";
import type { CallTransactionOptions } from "../resource/callTypes/types.js";
import type { Resource } from "../resource/resource.js";
import type { Caller } from "./caller.js";
import { checkCall, type SystemOptions } from "./callOptions.js";
import { collectionCalls } from "./collection.js";
import type { CollectionCalls } from "./collectionCalls.js";
import type { Place, ServiceParts } from "./place.js";
import { transactionTools } from "./transactionTools.js";
import { watchCall, watchCalls } from "./watchCall.js";

/** The collections of a service for one caller: a member for each, by its name. Operations that a resource does not have are missing. */
export type Shop = ShopMethods & { readonly [collection: string]: CollectionCalls };

/** What a shop has in addition to its collections. */
export interface ShopMethods {
  /** The calls of a collection. @throws {ConfigurationError} for a resource of another service */
  of(resource: Resource): CollectionCalls;
  /**
   * Runs a function in one transaction: what it writes by `tx` commits together, or not at all if it throws. It runs again, up to three times, after a conflict with
   * another transaction. Within a transaction it is a savepoint.
   *
   * @throws {ConfigurationError} if the storage has no transactions
   */
  transaction<R>(run: (tx: TransactionShop) => Promise<R>, options?: CallTransactionOptions): Promise<R>;
}

/** The same within a transaction. */
export type TransactionShop = Shop & TransactionMethods;

/** What a shop has within a transaction. */
export interface TransactionMethods extends TransactionTools {
  /** The collections for another principal, in this transaction. */
  as(principal: Principal): Shop;
  /** The collections without rules for principals, in this transaction; by default in its tenant. */
  asSystem(options?: SystemOptions): Shop;
}

/** Names that no action can have, because the objects with its calls have members of these names, or must not have them. */
export const noActionNames: ReadonlySet<string> = new Set(["then", "toJSON", "of", "as", "asSystem", "transaction", "emit", "sql", "afterCommit"]);

/** Names that no collection can have, because the objects with its calls have members of these names, or must not have them. */
export const reservedNames: ReadonlySet<string> = new Set([...noActionNames, "lock"]);

/** Makes the objects with the collections of a service. */
export interface Shops {
  as(place: Place, principal: Principal, scopes?: Scopes): Shop;
  asSystem(place: Place, tenant: string | undefined): Shop;
  /** The collections for the system within a transaction. */
  within(place: Place, tenant: string | undefined): TransactionShop;
}

/** What calls are made of, which a service offers to the rules that run within its writes. */
export interface RowCalls extends Pick<ServiceParts, "resources"> {
  readonly shops: Shops;
}

export const rowCalls: Offer<RowCalls> = { name: "calls of rows" };

/** Getters that all shops share: a service may have hundreds of collections, and a request uses a few. */
function gettersOf(names: Iterable<string>, members: WeakMap<object, (name: string) => CollectionCalls>): object {
  const prototype: object = Object.create(null);
  for (const name of names) {
    const get = function get(this: object) {
      return members.get(this)?.(name);
    };
    Object.defineProperty(prototype, name, { enumerable: true, get });
  }
  return prototype;
}

/** @param resources of the service */
export function shopsOf(resources: readonly Resource[]): Shops {
  const known = new Map(resources.map(({ name, schema }) => [name, schema]));
  const members = new WeakMap<object, (name: string) => CollectionCalls>();
  const prototype = gettersOf(known.keys(), members);
  const make = (place: Place, caller: Caller, again: (inner: Place, scopes: Scopes | undefined) => Shop): Shop => {
    const made = new Map<string, CollectionCalls>();
    const callsOf = (name: string) => {
      const calls = made.get(name) ?? watchCalls(collectionCalls(caller, name), place.part);
      made.set(name, calls);
      return calls;
    };
    const shop: Shop = Object.assign(Object.create(prototype), {
      of(resource: Resource) {
        const { name, schema } = Object(resource) as Resource;
        if (schema && known.get(name) === schema) return callsOf(name);
        throw new ConfigurationError(`"${name ?? resource}" is not a resource of this service: pass one of ${[...known.keys()].join(", ")}.`);
      },
      transaction<R>(run: (tx: TransactionShop) => Promise<R>, options: CallTransactionOptions = {}) {
        checkCall.transaction(options);
        const transaction = place.transaction(
          caller,
          (inner, scopes) => run(withOthers(again(inner, scopes), inner, caller.principal.tenant)),
          options,
        );
        return watchCall(transaction, place.part());
      },
    });
    members.set(shop, callsOf);
    return shop;
  };

  const shops: Shops = {
    as: (place, principal, given) => make(place, place.caller(principal, false, given), (inner, scopes) => shops.as(inner, principal, scopes)),
    asSystem: (place, tenant) => make(place, place.caller({ id: "system", tenant }, true), (inner) => shops.asSystem(inner, tenant)),
    within: (place, tenant) => withOthers(shops.asSystem(place, tenant), place, tenant),
  };
  const withOthers = (shop: Shop, place: Place, tenant: string | undefined): TransactionShop =>
    Object.assign(shop, watchCalls(transactionTools(place, tenant), place.part), {
      as: (principal: Principal) => shops.as(place, checkedPrincipal(principal)),
      asSystem(options: SystemOptions = {}) {
        checkCall.asSystem(options);
        return shops.asSystem(place, options.tenant ?? tenant);
      },
    });
  return shops;
}
