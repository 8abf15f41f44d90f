import { gateFor } from "../../../language/schema/access.js";
import type { Principal } from "../../../parts/auth/verifier.js";
import type { Environment } from "../../operation/environment.js";
import { type Permit, tryPermit } from "../../operation/permit.js";
import type { Resource } from "../resource.js";

/** Whose rights are evaluated. */
export interface FieldReader {
  readonly environment: Environment;
  readonly principal: Principal;
}

/**
 * The fields of a collection that the principal may read now, as `users.salary`: a stored answer is shown to those who may still read what its first receiver could. Fields that
 * everybody may always read are left out, unless `authorize` can restrict them.
 *
 * @param permit what the principal may do, if that is already known
 */
export async function readableFields(
  { name, fields }: Resource,
  { environment, principal }: FieldReader,
  permit?: Permit,
): Promise<readonly string[]> {
  const isNarrowed = environment.authorize !== undefined;
  const guarded = [...fields.values()].filter(({ access }) => isNarrowed || access?.read !== undefined);
  if (guarded.length === 0) return [];
  const allowed = permit ?? (await tryPermit(environment, { principal, action: "read", collection: name }));
  if (allowed === undefined) return [];
  const gate = gateFor(principal, allowed.fields);
  return guarded.filter((field) => gate(field, "read") === "allowed").map((field) => `${name}.${field.name}`);
}
