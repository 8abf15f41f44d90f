import { ConfigurationError } from "../../ground/problem/index.js";
import { checkedPrincipal } from "../../parts/auth/checkedPrincipal.js";
import type { Principal } from "../../parts/auth/verifier.js";
import type { Offer } from "../operation/offers.js";
import type { Scopes } from "../operation/rules/scopes.js";
import type { TransactionJobs, TransactionTools } from "../resource/callTypes/transactionTools.js";
import type { CallTransactionOptions } from "../resource/callTypes/types.js";
import type { Resource } from "../resource/resource.js";
import type { CallExecutor, ServiceParts } from "./callExecutor.js";
import type { Caller } from "./caller.js";
import { checkCall, type SystemOptions } from "./callOptions.js";
import { collectionCalls } from "./collection.js";
import type { CollectionCalls } from "./collectionCalls.js";
import { transactionJobs, transactionTools } from "./transactionTools.js";
import { watchCall, watchCalls } from "./watchCall.js";

/** The collections of a service for one caller: a member for each, by its name. Operations that a resource does not have are missing. */
export type CallerCollections = CallerMethods & { readonly [collection: string]: CollectionCalls };

/** What the object with the collections has in addition to them. */
export interface CallerMethods {
  /** The calls of a collection. @throws {ConfigurationError} for a resource of another service */
  of(resource: Resource): CollectionCalls;
  /**
   * Runs a function in one transaction: what it writes by `tx` commits together, or not at all if it throws. It runs again, up to three times, after a conflict with
   * another transaction. Within a transaction it is a savepoint.
   *
   * @throws {ConfigurationError} if the storage has no transactions
   */
  transaction<R>(run: (tx: TransactionCollections) => Promise<R>, options?: CallTransactionOptions): Promise<R>;
}

/** The same within a transaction. */
export type TransactionCollections = CallerCollections & TransactionMethods;

/** What the object with the collections has within a transaction. */
export interface TransactionMethods extends TransactionTools {
  /** The collections for another principal, in this transaction. */
  as(principal: Principal): CallerCollections;
  /** The collections without rules for principals, in this transaction; by default in its tenant. */
  asSystem(options?: SystemOptions): CallerCollections;
}

/** Names that no action can have, because the objects with its calls have members of these names, or must not have them. */
export const noActionNames: ReadonlySet<string> = new Set(["then", "toJSON", "of", "as", "asSystem", "transaction", "emit", "sql", "afterCommit"]);

/** Names that no collection can have, because the objects with its calls have members of these names, or must not have them. */
export const reservedNames: ReadonlySet<string> = new Set([...noActionNames, "lock"]);

/** Makes the objects with the collections of a service. */
export interface CollectionsFactory {
  as(executor: CallExecutor, principal: Principal, scopes?: Scopes): CallerCollections;
  asSystem(executor: CallExecutor, tenant: string | undefined): CallerCollections;
  /** The collections for the system within a transaction. */
  within(executor: CallExecutor, tenant: string | undefined): TransactionCollections;
}

/** What calls are made of, which a service offers to the rules that run within its writes. */
export interface RowCalls extends Pick<ServiceParts, "resources"> {
  readonly factory: CollectionsFactory;
  /** Runs calls outside of transactions. */
  readonly executor: CallExecutor;
}

export const rowCalls: Offer<RowCalls> = { name: "calls of rows" };

/** Getters that all of these objects share: a service may have hundreds of collections, and a request uses a few. */
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
export function collectionsFactory(resources: readonly Resource[]): CollectionsFactory {
  const known = new Map(resources.map(({ name, schema }) => [name, schema]));
  const members = new WeakMap<object, (name: string) => CollectionCalls>();
  const prototype = gettersOf(known.keys(), members);
  const make = (
    executor: CallExecutor,
    caller: Caller,
    again: (inner: CallExecutor, scopes: Scopes | undefined) => CallerCollections,
  ): CallerCollections => {
    const made = new Map<string, CollectionCalls>();
    const callsOf = (name: string) => {
      const calls = made.get(name) ?? watchCalls(collectionCalls(caller, name), executor.part);
      made.set(name, calls);
      return calls;
    };
    const collections: CallerCollections = Object.assign(Object.create(prototype), {
      of(resource: Resource) {
        const { name, schema } = Object(resource) as Resource;
        if (schema && known.get(name) === schema) return callsOf(name);
        throw new ConfigurationError(`"${name ?? resource}" is not a resource of this service: pass one of ${[...known.keys()].join(", ")}.`);
      },
      transaction<R>(run: (tx: TransactionCollections) => Promise<R>, options: CallTransactionOptions = {}) {
        checkCall.transaction(options);
        const transaction = executor.transaction(
          caller,
          (inner, scopes) => run(withOthers(again(inner, scopes), inner, caller.principal.tenant)),
          options,
        );
        return watchCall(transaction, executor.part());
      },
    });
    members.set(collections, callsOf);
    return collections;
  };

  const factory: CollectionsFactory = {
    as: (executor, principal, given) =>
      make(executor, executor.caller(principal, false, given), (inner, scopes) => factory.as(inner, principal, scopes)),
    asSystem: (executor, tenant) => make(executor, executor.caller({ id: "system", tenant }, true), (inner) => factory.asSystem(inner, tenant)),
    within: (executor, tenant) => withOthers(factory.asSystem(executor, tenant), executor, tenant),
  };
  const withOthers = (collections: CallerCollections, executor: CallExecutor, tenant: string | undefined): TransactionCollections =>
    Object.assign(
      collections,
      transactionMethods(factory, executor, tenant),
      known.has("jobs") ? {} : transactionJobsOf(executor, tenant),
    ) as TransactionCollections;
  return factory;
}

/** Beside the collections, none of which has that name. */
function transactionJobsOf(executor: CallExecutor, tenant: string | undefined): { readonly jobs: TransactionJobs } {
  return { jobs: watchCalls(transactionJobs(executor, tenant), executor.part) };
}

/** @param tenant that of the transaction */
function transactionMethods(factory: CollectionsFactory, executor: CallExecutor, tenant: string | undefined): Omit<TransactionMethods, "jobs"> {
  return Object.assign(watchCalls(transactionTools(executor, tenant), executor.part), {
    as: (principal: Principal) => factory.as(executor, checkedPrincipal(principal)),
    asSystem(options: SystemOptions = {}) {
      checkCall.asSystem(options);
      return factory.asSystem(executor, options.tenant ?? tenant);
    },
  });
}
