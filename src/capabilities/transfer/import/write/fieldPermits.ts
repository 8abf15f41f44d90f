import type { Context } from "../../../../engine/operation/context.js";
import { type Permit, permit } from "../../../../engine/operation/permit.js";
import type { Resource } from "../../../../engine/resource/resource.js";
import type { RowMembers } from "../columns/members.js";

/** Bound of the cache: every row of JSON may have another set of fields. */
const maxRemembered = 1_000;

/** Asks `authorize` once for each set of fields, and caches the permits. */
export class FieldPermits {
  readonly #resource: Resource;
  readonly #context: Context;
  readonly #known = new Map<string, Permit>();

  constructor(resource: Resource, context: Context) {
    this.#resource = resource;
    this.#context = context;
  }

  /** The permit to create a row with these members; a promise only while `authorize` is asked, since files have many rows. Rejects with FORBIDDEN, UNAUTHENTICATED, NOT_FOUND. */
  toCreate({ members, generated }: RowMembers): Permit | Promise<Permit> {
    if (this.#context.environment.authorize === undefined) return this.#context.permit;
    const fields = [...Object.keys(members), ...Object.keys(generated)];
    // JSON, because clients choose the names and a name may contain any separator.
    const name = JSON.stringify(fields);
    const known = this.#known.get(name);
    return known ?? this.#ask(name, fields);
  }

  async #ask(name: string, fields: readonly string[]): Promise<Permit> {
    const { environment, principal, authRequest } = this.#context;
    const allowed = await permit(environment, { principal, authRequest, action: "create", collection: this.#resource.name, fields });
    if (this.#known.size < maxRemembered) this.#known.set(name, allowed);
    return allowed;
  }
}
