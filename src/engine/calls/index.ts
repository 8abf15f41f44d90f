import { once } from "../../ground/http/once.js";
import { checkedPrincipal } from "../../parts/auth/checkedPrincipal.js";
import type { Principal } from "../../parts/auth/verifier.js";
import type { CallTransactionOptions } from "../resource/callTypes/types.js";
import { linkResources } from "../resource/relations/link.js";
import type { Resource } from "../resource/resource.js";
import { checkCall, type SystemOptions } from "./callOptions.js";
import { codeResource, systemResource } from "./codeResource.js";
import { type ServiceParts, servicePlace } from "./place.js";
import { type RowCalls, rowCalls, type Shop, shopsOf, type TransactionShop } from "./shop.js";
import { watchCall } from "./watchCall.js";

export type { CollectionCalls } from "./collectionCalls.js";
export { etagOf } from "./rowTags.js";
export { noActionNames, reservedNames, type Shop, type TransactionShop } from "./shop.js";

/** Calls of the developer's own code, which follow the same rules as requests. */
export interface ServiceCalls {
  /** The collections on behalf of a principal: with its tenant, `authorize`, and its rules for fields. @throws {ConfigurationError} */
  as(principal: Principal): Shop;
  /** The collections without rules for principals, in one tenant. Validation, unique keys, references and events stay. @throws {ConfigurationError} */
  asSystem(options?: SystemOptions): Shop;
  /** Runs a function in one transaction on behalf of a principal. */
  transaction<R>(principal: Principal, run: (tx: TransactionShop) => Promise<R>, options?: CallTransactionOptions): Promise<R>;
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
  const place = servicePlace({ environment, begin, resources: collections });
  const shops = shopsOf(resources);
  provide(rowCalls, { shops, resources: collections });
  return {
    as: (principal) => shops.as(place, checkedPrincipal(principal)),
    asSystem(options = {}) {
      checkCall.asSystem(options);
      return shops.asSystem(place, options.tenant);
    },
    transaction(principal, run, options) {
      const begun = async () => shops.as(place, checkedPrincipal(principal)).transaction(run, options);
      return watchCall(begun(), place.part());
    },
  };
}
