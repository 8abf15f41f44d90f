import type { Context } from "../../../engine/operation/context.js";
import { permit } from "../../../engine/operation/permit.js";
import { ProblemError, problemOf } from "../../../ground/problem/index.js";
import { gateFor } from "../../../language/schema/access.js";
import type { Principal } from "../../../parts/auth/verifier.js";
import { compileEventPatterns } from "../../events/matchEvent.js";
import { type FilterFaults, invalidFilter } from "../events/filterFault.js";
import type { WebhookSettings } from "../settings.js";

/** What a webhook subscribes to. */
export interface Subscription {
  /** Patterns of event types. */
  readonly events: readonly string[];
  readonly filter?: unknown;
  readonly owner: Principal;
}

/**
 * Events reveal the rows of a collection, so subscribing requires the permission to list it and a `read` scope that may have rows. A filter reveals values, so it may
 * name only fields that the owner may read.
 *
 * @throws {ProblemError} FORBIDDEN, NOT_FOUND, UNAUTHENTICATED, INVALID_FILTER
 */
export async function requireAudience(settings: WebhookSettings, context: Context, { events, filter, owner }: Subscription): Promise<void> {
  const { environment, principal, authRequest, scopes } = context;
  const faults: FilterFaults = [];
  for (const collection of settings.collectionsOf(compileEventPatterns(events))) {
    const { fields } = await permit(environment, { principal, authRequest, action: "list", collection });
    const readable = (await scopes?.ask(collection, "read", "before"))?.filter;
    // What `false` becomes.
    if (readable?.op === "or" && readable.args.length === 0) throw new ProblemError("FORBIDDEN", `Not allowed to list "${collection}".`);
    const [known, gate] = [settings.fieldsOf(collection), gateFor(owner, fields)];
    for (const key of Object.keys(filter ?? {})) {
      const field = known.get(key.split(".")[0] ?? "");
      if (field === undefined || gate(field, "read") === "allowed") continue;
      faults.push(invalidFilter(`"${field.name}" cannot be named in a filter.`, ["filter", key]));
    }
  }
  if (faults.length > 0) throw problemOf("INVALID_FILTER", faults);
}
