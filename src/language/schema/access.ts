import type { Principal } from "../../parts/auth/verifier.js";
import type { FieldModel } from "./field.js";

/** Returns whether a principal may use a field in one way. */
export type FieldRule = boolean | ((principal: Principal) => boolean);

/**
 * The access rules of a field. Everything is allowed by default; `filter` and `sort` default to `read`.
 *
 * `read: false` makes the field write-only: everywhere except in writes the response is that of an unknown field.
 */
export interface FieldAccess<Read extends FieldRule = FieldRule> {
  /** Who may read it (default: everyone). `false` makes it write-only. */
  readonly read?: Read | undefined;
  /** Who may write it (default: everyone). */
  readonly write?: FieldRule | undefined;
  /** Who may filter by it (default: who may read it). */
  readonly filter?: FieldRule | undefined;
  /** Who may sort by it (default: who may read it). */
  readonly sort?: FieldRule | undefined;
  /**
   * The response if a principal without the right names the field: `"403"` says so, `"omit"` (default) leaves the field out of responses,
   * `"hide"` responds as if the field did not exist.
   */
  readonly onForbidden?: "omit" | "403" | "hide" | undefined;
}

/** A field with its policy, for all code that names fields to a client. */
export interface GuardedField extends FieldModel {
  readonly access?: FieldAccess | undefined;
  /** Whether rows may have its instants with microseconds, as tables of the developer do. */
  readonly holdsMicros?: boolean | undefined;
  /** The names of all fields that its use reveals, if they are others than its own. */
  readonly reveals?: readonly string[] | undefined;
}

export type FieldUse = "read" | "write" | "filter" | "sort";

/** The decision on a use of a field for one principal. */
export type Permission = "allowed" | "forbidden" | "hidden";

/** Evaluates the use of a field for one request. */
export type Gate = (field: GuardedField, use: FieldUse) => Permission;

/**
 * Makes the one gate that every code path calls.
 *
 * @param only Fields that an `authorize` callback narrowed the request to: the others are forbidden, whatever their own rules say.
 */
export function gateFor(principal: Principal, only?: readonly string[] | undefined): Gate {
  return ({ name, access, reveals = [name] }, use) => {
    const allowed = permission(access, use, principal);
    return allowed === "allowed" && reveals.some((each) => only?.includes(each) === false) ? "forbidden" : allowed;
  };
}

/** A field that may be read and filtered by those who may do so with another one too; for all others it does not exist. */
export function guardedBy<F extends GuardedField>(field: F, other: GuardedField): F {
  const both = { ...field, reveals: [...(field.reveals ?? [field.name]), ...(other.reveals ?? [other.name])] };
  if (field.access === undefined && other.access === undefined) return both;
  const rule = (use: "read" | "filter") => (principal: Principal) =>
    permission(field.access, use, principal) === "allowed" && permission(other.access, use, principal) === "allowed";
  return { ...both, access: { read: rule("read"), filter: rule("filter"), onForbidden: "hide" } };
}

/** Evaluates the rules of a field. A principal for whom the field is hidden may not write it either, unless its rules allow that. */
export function permission(access: FieldAccess | undefined, use: FieldUse, principal: Principal): Permission {
  if (access === undefined) return "allowed";
  const followsRead = use === "filter" || use === "sort" || (access.onForbidden === "hide" && access.read !== false);
  const rule = followsRead ? (access[use] ?? access.read) : access[use];
  if (use !== "write" && access.read === false) return "hidden";
  if (rule === undefined || rule === true) return "allowed";
  if (rule !== false && rule(principal)) return "allowed";
  return access.onForbidden === "hide" ? "hidden" : "forbidden";
}

/** Whether nobody may read the field, so that a copy of its value must not be stored in plain text. */
export function isWriteOnly({ access }: Pick<GuardedField, "access">): boolean {
  return access?.read === false;
}

/** Whether the decision can differ between principals. */
export function dependsOnPrincipal(access: FieldAccess | undefined): boolean {
  return access !== undefined && Object.values(access).some((rule) => typeof rule === "function");
}
