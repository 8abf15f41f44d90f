import type { Context } from "../operation/context.js";
import { type Permit, permit } from "../operation/permit.js";
import type { Resource } from "../resource/resource.js";

/** Sets of fields that are remembered: rows of JSON may each have another. */
const maximumKnown = 1_000;

/** Asks once for each set of fields what `authorize` says of it. */
export class FieldPermits {
  readonly #resource: Resource;
  readonly #context: Context;
  readonly #known = new Map<string, Permit>();

  constructor(resource: Resource, context: Context) {
    this.#resource = resource;
    this.#context = context;
  }

  /** @throws {ProblemError} FORBIDDEN, UNAUTHENTICATED, NOT_FOUND */
  async toCreate(fields: readonly string[]): Promise<Permit> {
    const { environment, principal, authRequest } = this.#context;
    if (environment.authorize === undefined) return this.#context.permit;
    // Names that clients choose: any character between them could stand in one.
    const name = JSON.stringify(fields);
    const known = this.#known.get(name);
    if (known !== undefined) return known;
    const allowed = await permit(environment, { principal, authRequest, action: "create", collection: this.#resource.name, fields });
    if (this.#known.size < maximumKnown) this.#known.set(name, allowed);
    return allowed;
  }
}
