import { once } from "../../ground/http/once.js";
import { checkedPrincipal } from "../../parts/auth/checkedPrincipal.js";
import type { Principal } from "../../parts/auth/verifier.js";
import type { CallTransactionOptions } from "../resource/callTypes/types.js";
import { linkResources } from "../resource/relations/link.js";
import type { Resource } from "../resource/resource.js";
import { type ServiceParts, serviceExecutor } from "./callExecutor.js";
import { type CallerCollections, collectionsFactory, type RowCalls, rowCalls, type TransactionCollections } from "./callerCollections.js";
import { checkCall, type SystemOptions } from "./callOptions.js";
import { codeResource, systemResource } from "./codeResource.js";
import { watchCall } from "./watchCall.js";

export { type CallerCollections, noActionNames, reservedNames, type TransactionCollections } from "./callerCollections.js";
export type { CollectionCalls } from "./collectionCalls.js";
export { etagOf } from "./rowTags.js";

/** Calls of the developer's own code, which follow the same rules as requests. */
export interface ServiceCalls {
  /** The collections on behalf of a principal: with its tenant, `authorize`, and its rules for fields. @throws {ConfigurationError} */
  as(principal: Principal): CallerCollections;
  /** The collections without rules for principals, in one tenant. Validation, unique keys, references and events stay. @throws {ConfigurationError} */
  asSystem(options?: SystemOptions): CallerCollections;
  /** Runs a function in one transaction on behalf of a principal. */
  transaction<R>(principal: Principal, run: (tx: TransactionCollections) => Promise<R>, options?: CallTransactionOptions): Promise<R>;
}

/** What the calls of a service need. */
interface CallParts extends Omit<ServiceParts, "resources"> {
  /** Offers the calls to the rules that run within writes. */
  provide(offer: typeof rowCalls, calls: RowCalls): void;
}

/** Makes the calls of a service. */
export function serviceCalls(resources: readonly Resource[], { environment, begin, provide }: CallParts): ServiceCalls {
  // Most services need one of the two, or none.
  const forPrincipals = once(() => linkResources(resources.map(codeResource)));
  const forSystem = once(() => linkResources(resources.map(systemResource)));
  const collections = (isSystem: boolean) => (isSystem ? forSystem() : forPrincipals());
  const executor = serviceExecutor({ environment, begin, resources: collections });
  const factory = collectionsFactory(resources);
  provide(rowCalls, { factory, resources: collections, executor });
  return {
    as: (principal) => factory.as(executor, checkedPrincipal(principal)),
    asSystem(options = {}) {
      checkCall.asSystem(options);
      return factory.asSystem(executor, options.tenant);
    },
    transaction(principal, run, options) {
      const begun = async () => factory.as(executor, checkedPrincipal(principal)).transaction(run, options);
      return watchCall(begun(), executor.part());
    },
  };
}
